#include "kernels/cuda/axes.hpp"

#include <algorithm>
#include <string>

namespace assay::cuda {

Axis gpus_axis(const Layout& layout, Suite alone_from) {
  Axis axis{"gpus", {{"node"}}};
  if (gpus_on_fullest_node(layout) < 2) return axis;
  const int highest = *std::max_element(layout.gpu_of.begin(), layout.gpu_of.end());
  for (int gpu = 0; gpu <= highest; ++gpu)
    if (!gpu_rank_alone(layout, gpu).empty()) axis.values.push_back({std::to_string(gpu), alone_from});
  return axis;
}

RankSets gpus_sets(const Layout& layout, const Point& point) {
  if (point.get("gpus") == "node") return gpu_ranks_each_node(layout);
  return gpu_rank_alone(layout, static_cast<int>(point.integer("gpus")));
}

}  // namespace assay::cuda
