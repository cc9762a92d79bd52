#include "launcher/run/gpu_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>

#include "collectives/mpi/mpi_session.hpp"

namespace assay {

namespace {

/// Number of a GPU on its node: its place among all bus ids that the node's ranks see.
int number_of(const std::string& bus_id, const std::vector<std::string>& lists) {
  std::set<std::string> known;
  for (const std::string& list : lists) {
    for (std::size_t begin = 0; begin < list.size(); begin = list.find('\n', begin) + 1)
      known.insert(list.substr(begin, list.find('\n', begin) - begin));
  }
  return static_cast<int>(std::distance(known.begin(), known.find(bus_id)));
}

constexpr int oldest_nccl = 21800;

}  // namespace

int nccl_version_of(std::string_view text) {
  std::array<int, 3> parts{};
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [next, error] = std::from_chars(at, end, parts[i]);
    if (error != std::errc{} || (next != end && *next != '.')) return 0;
    if (next == end) break;
    at = next + 1;
  }
  return 10000 * parts[0] + 100 * parts[1] + parts[2];
}

std::string nccl_problem_of(const DeviceBackend::Part& part) {
  if (part.version.empty()) return fmt::format("no NCCL: {}", part.detail);
  if (nccl_version_of(part.version) >= oldest_nccl) return {};
  return fmt::format("NCCL {} ({}) is too old; 2.18 is the first that is of use", part.version, part.detail);
}

GpuChoice place_gpus(Group& world, Placement& placement, const GpuPlugin& plugin) {
  GpuChoice choice;
  const auto& devices = plugin.devices();
  std::string mine;
  for (const DeviceIdentity& device : devices) mine += device.pci_bus_id + '\n';
  const auto on_node = all_gather_texts(*placement.on_node, mine);
  // With one visible device for each rank the launcher has placed already; otherwise ranks take them in turn.
  if (devices.size() == 1)
    choice.ordinal = 0;
  else if (placement.local_rank < static_cast<int>(devices.size()))
    choice.ordinal = placement.local_rank;

  const auto rank = static_cast<std::size_t>(world.rank());
  std::vector<double> numbers(static_cast<std::size_t>(world.size()), -1);
  std::array<double, 2> least{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  double nccl = std::numeric_limits<double>::infinity();
  if (choice.ordinal >= 0) {
    const DeviceIdentity& device = devices[static_cast<std::size_t>(choice.ordinal)];
    numbers[rank] = number_of(device.pci_bus_id, on_node);
    least = {static_cast<double>(device.capability), static_cast<double>(device.memory_free_bytes)};
    for (const auto& part : plugin.backend()->parts()) {
      if (part.name != "nccl") continue;
      choice.nccl_problem = nccl_problem_of(part);
      nccl = choice.nccl_problem.empty() ? nccl_version_of(part.version) : 0;
    }
  }
  world.max_in_place(numbers);
  world.min_in_place(least);
  world.min_in_place(std::span<double>(&nccl, 1));
  Layout& layout = placement.layout;
  layout.gpu_of.assign(numbers.begin(), numbers.end());
  if (std::all_of(numbers.begin(), numbers.end(), [](double number) { return number < 0; })) return choice;
  layout.gpu = {static_cast<int>(least[0]), static_cast<std::int64_t>(least[1]), nccl > 0,
                MpiSession::takes_device_memory(), static_cast<int>(nccl)};
  return choice;
}

}  // namespace assay
