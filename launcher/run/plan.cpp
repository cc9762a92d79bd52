#include "launcher/run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "core/error.hpp"
#include "core/random.hpp"

namespace assay {

namespace {

// Set-up, verification and alignment of a series beside its measured time, for the prediction only: quick suites on
// 2-core virtual machines spent 20 to 40 ms a series on them.
constexpr double set_up_seconds = 0.03;
// Below this a series has no chance to see more than a few time slices.
constexpr double shortest_series = 0.02;
constexpr double longest_series = 10.0;
constexpr double shortest_deadline = 20.0;
// A single operation may be this much slower than the time planned for its series before it counts as hung.
constexpr double slowest_operation = 20.0;
constexpr double set_up_patience = 15.0;

std::string missing_gpu_need(const Needs& needs, const Layout& layout) {
  const RankSets nodes = gpu_ranks_each_node(layout);
  int ranks = 0;
  for (const auto& set : nodes) ranks += static_cast<int>(set.size());
  const int wanted = std::max({needs.gpus, needs.gpus_on_node, needs.gpu_nodes});
  if (ranks < wanted) return fmt::format("needs {} ranks with a GPU, has {}", wanted, ranks);
  if (gpus_on_fullest_node(layout) < needs.gpus_on_node)
    return fmt::format("needs {} GPUs on one node, has {}", needs.gpus_on_node, gpus_on_fullest_node(layout));
  if (static_cast<int>(nodes.size()) < needs.gpu_nodes)
    return fmt::format("needs {} nodes with GPUs, has {}", needs.gpu_nodes, nodes.size());
  if (needs.mpi_on_device && !layout.gpu.mpi_takes_device_memory)
    return "needs an MPI library that takes GPU memory (CUDA-aware), which this one says it does not";
  if (needs.nccl && !layout.gpu.nccl) return "needs NCCL 2.18 or later on every node: see the messages at the start";
  return {};
}

std::string missing_need(const CaseInfo& info, const RunOptions& options, const Layout& layout) {
  if (layout.ranks() < info.needs.ranks) return fmt::format("needs {} ranks, has {}", info.needs.ranks, layout.ranks());
  if (layout.nodes() < info.needs.nodes) return fmt::format("needs {} nodes, has {}", info.needs.nodes, layout.nodes());
  if (std::string missing = missing_gpu_need(info.needs, layout); !missing.empty()) return missing;
  if (info.needs.path && options.path.empty()) return "needs a directory to test: --path DIR";
  return {};
}

}  // namespace

std::string series_name(const CaseInfo& info, const Point& point) {
  const std::string text = point.text();
  return text.empty() ? info.name : info.name + "/" + text;
}

bool Plan::needs_blas() const {
  return std::any_of(points.begin(), points.end(),
                     [](const PlannedPoint& planned) { return planned.info->needs.blas; });
}

StopRule Plan::stop_rule(double precision) const {
  StopRule rule;
  rule.target_relative_width = precision;
  rule.minimum_count = 5;
  rule.maximum_count = 2'000'000;
  // The epochs together see at least 100 ms, spread over the run.
  rule.minimum_time = Seconds(std::min(per_series.value, std::max(shortest_series, 0.1 / epochs)));
  rule.maximum_time = per_series;
  return rule;
}

std::vector<std::size_t> Plan::order(int epoch, std::uint64_t seed) const {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (epoch > 0) Random(mix(seed, static_cast<std::uint64_t>(epoch))).shuffle(order);
  return order;
}

void Plan::adapt(int epochs_done, Seconds spent, Seconds measured, Seconds budget) {
  const int left = epochs - epochs_done;
  if (left <= 0 || epochs_done <= 0) return;
  const double set_up_per_epoch = (spent - measured).value / epochs_done;
  const double available = (budget - spent).value / left - set_up_per_epoch;
  const double fitting = available / static_cast<double>(points.size());
  per_series = Seconds(std::clamp(fitting, shortest_series, longest_series));
}

std::string points_text(const Plan& plan) {
  std::string text;
  for (const PlannedPoint& planned : plan.points) text += planned.info->name + ' ' + planned.point.text() + '\n';
  return text;
}

std::vector<PlannedPoint> parse_points(const std::string& text, const Registry& registry, const Layout& layout) {
  std::vector<PlannedPoint> points;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    const CaseInfo* info = registry.find(line.substr(0, space));
    std::optional<Point> point = Point::parse(line.substr(space + 1));
    if (info == nullptr || !point)
      throw environment_error("rank 0 plans '" + line + "', which is not known here", "use one binary on all hosts");
    RankSets sets = info->sets(layout, *point);
    points.push_back({info, std::move(*point), std::move(sets)});
  }
  return points;
}

Plan make_plan(const Registry& registry, const RunOptions& options, const Layout& layout) {
  const std::regex filter = compile_filter(options.filter);
  Plan plan;
  plan.epochs = options.epochs;
  for (const CaseInfo& info : registry.cases()) {
    std::vector<PlannedPoint> matching;
    for (Point& point : points_of(info, options.suite, layout)) {
      if (!std::regex_search(series_name(info, point), filter)) continue;
      RankSets sets = info.sets(layout, point);
      if (!sets.empty()) matching.push_back({&info, std::move(point), std::move(sets)});
    }
    const std::string missing = missing_need(info, options, layout);
    if (missing.empty())
      std::move(matching.begin(), matching.end(), std::back_inserter(plan.points));
    else if (options.filter.empty() || std::regex_search(info.name, filter) || !matching.empty())
      plan.left_out.push_back({info.name, missing});
  }
  if (plan.points.empty()) {
    std::string reasons;
    for (const NotApplicable& item : plan.left_out) reasons += fmt::format(" {} {};", item.name, item.reason);
    throw bad_input(fmt::format("nothing to measure with suite {} and filter '{}' on {} ranks.{}",
                                to_string(options.suite), options.filter, layout.ranks(), reasons),
                    "see `assay list --suite full` for what there is");
  }
  const double series = static_cast<double>(plan.points.size()) * plan.epochs;
  const double per_series = options.effective_budget().value / series - set_up_seconds;
  plan.per_series = Seconds(std::clamp(per_series, shortest_series, longest_series));
  plan.predicted = Seconds(series * (plan.per_series.value + set_up_seconds));
  plan.deadline = options.deadline.value > 0
                      ? options.deadline
                      : Seconds(std::max(shortest_deadline, slowest_operation * plan.per_series.value));
  plan.set_up_deadline = options.deadline.value > 0 ? options.deadline : plan.deadline * set_up_patience;
  return plan;
}

}  // namespace assay
