#include "launcher/run/clock_offset.hpp"

#include <algorithm>
#include <span>

#include "core/clock.hpp"
#include "core/statistics.hpp"

namespace assay {

std::vector<double> offsets_from(const std::vector<std::vector<double>>& readings) {
  std::vector<double> offsets;
  for (const auto& clock : readings) {
    std::vector<double> differences;
    for (std::size_t round = 0; round < clock.size(); ++round)
      differences.push_back(readings.front()[round] - clock[round]);
    offsets.push_back(median(differences));
  }
  return offsets;
}

double clock_offset(Group& world, const std::string& boot) {
  constexpr int rounds = 9;
  const std::string first = broadcast_text(world, boot);
  const bool other = boot != first || boot.empty();
  if (max_over(world, other ? 1.0 : 0.0) == 0 || world.size() == 1) return 0;
  std::vector<double> mine;
  for (int round = 0; round < rounds; ++round) {
    world.barrier();
    mine.push_back(monotonic_seconds());
  }
  std::vector<double> offsets(static_cast<std::size_t>(world.size()), 0);
  const auto all = gather_values<double>(world, mine);
  if (world.rank() == 0) offsets = offsets_from(all);
  world.broadcast(std::as_writable_bytes(std::span(offsets)), 0);
  return other ? offsets[static_cast<std::size_t>(world.rank())] : 0;
}

}  // namespace assay
