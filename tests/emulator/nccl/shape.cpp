#include "tests/emulator/nccl/shape.hpp"

#include <algorithm>

namespace emulator::nccl {

int Shape::rings() const {
  if (rails.empty()) return 0;
  const auto least = std::ranges::min_element(rails, {}, [](const auto& ways) { return ways.size(); });
  return static_cast<int>(least->size());
}

const Hop& Shape::hop(int from, int to) const {
  return hops[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

}  // namespace emulator::nccl
