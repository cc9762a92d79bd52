#include "collectives/nccl/collective.hpp"

#include <algorithm>

#include "collectives/nccl/operation_case.hpp"
#include "core/error.hpp"

namespace assay::nccl {

namespace {

void keep_from(Axis& axis, Suite from) {
  for (AxisValue& value : axis.values) value.from = std::max(value.from, from);
}

std::vector<Axis> axes_of(const CollectiveCase& collective, const Layout& layout) {
  std::vector<Axis> axes{bytes_axis(layout, collective.sizes())};
  keep_from(axes.front(), collective.from);
  if (collective.kind.result == Result::sum) axes.push_back(dtype_axis(layout));
  axes.push_back(ranks_axis(layout));
  for (AxisValue& value : axes.back().values)
    if (value.value == "node") value.from = std::max(value.from, collective.node_from);
  if (collective.algorithms) axes.push_back(algorithm_axis(layout, *collective.algorithms));
  if (collective.in_place) axes.push_back(place_axis());
  return axes;
}

std::unique_ptr<Case> make(const CollectiveCase& collective, Context& context, const Point& point) {
  OperationSetup setup;
  setup.kind = collective.kind;
  setup.bytes = point.integer("bytes");
  setup.in_place = point.has("place") && point.get("place") == "in";
  if (point.has("dtype")) setup.type = cuda::parse_dtype(point.get("dtype")).value_or(cuda::Dtype::f32);
  if (point.has("algo")) setup.algorithm = algorithm_setting(point.get("algo"));
  setup.work.direction = collective.direction;
  return std::make_unique<OperationCase>(context, setup);
}

}  // namespace

CaseInfo describe(const CollectiveCase& collective) {
  CaseInfo info;
  info.name = collective.name;
  info.summary = collective.summary;
  info.needs.gpus = 2;
  info.needs.nccl = true;
  info.timing = Timing::device;
  info.combine = Combine::slowest;
  info.longest_batch = OperationCase::longest_batch;
  info.axes = [collective](const Layout& layout) { return axes_of(collective, layout); };
  info.sets = [](const Layout& layout, const Point& point) {
    return worth_measuring(point) ? ranks_sets(layout, point.get("ranks")) : RankSets{};
  };
  info.make = [collective](Context& context, const Point& point) { return make(collective, context, point); };
  return info;
}

}  // namespace assay::nccl
