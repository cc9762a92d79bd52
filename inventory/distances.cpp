#include "inventory/distances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "inventory/facts.hpp"

namespace assay {

namespace {

/// Length of the common beginning of two chains.
std::size_t common_length(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto [end, ignored] =
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
  return static_cast<std::size_t>(end - a.begin());
}

int active_links(const GpuFacts& gpu, std::string_view remote_kind, std::string_view remote) {
  int active = 0;
  for (const NvlinkFacts& link : gpu.nvlinks.value_or({})) {
    const bool fits =
        link.remote_kind.value_or("") == remote_kind && (remote.empty() || link.remote.value_or("") == remote);
    if (link.active && fits) ++active;
  }
  return active;
}

/// Switches join all cards that have links to them.
int joining_links(const GpuFacts& a, const GpuFacts& b) {
  const int through_switches = std::min(active_links(a, "switch", ""), active_links(b, "switch", ""));
  return through_switches + std::min(active_links(a, "gpu", b.pci_bus_id), active_links(b, "gpu", a.pci_bus_id));
}

const NicFacts* nic_named(const std::vector<NicFacts>& nics, const std::string& name) {
  const auto found = std::find_if(nics.begin(), nics.end(), [&](const NicFacts& nic) { return nic_name(nic) == name; });
  return found == nics.end() ? nullptr : &*found;
}

/// The best NICs for one GPU; several when nothing sets them apart.
std::vector<std::string> nearest(const std::string& gpu, const std::vector<NicFacts>& nics,
                                 const std::vector<DistanceFacts>& distances) {
  const bool rdma = std::any_of(nics.begin(), nics.end(), [](const NicFacts& nic) { return !nic.rdma_device.empty(); });
  std::vector<std::string> best;
  std::pair<Path, double> best_key{Path::unknown, 0};  // the path, then the speed, negative so that less is better
  for (const DistanceFacts& distance : distances) {
    if (distance.from != gpu || distance.path == Path::unknown) continue;
    const NicFacts* nic = nic_named(nics, distance.to);
    if (nic == nullptr || (rdma && nic->rdma_device.empty())) continue;
    const std::pair key{distance.path, -nic->speed.value_or(0)};
    if (key < best_key) best.clear();
    if (key > best_key) continue;
    best_key = key;
    best.push_back(distance.to);
  }
  return best;
}

}  // namespace

std::string_view to_string(Path path) {
  switch (path) {
    case Path::pix:
      return "PIX";
    case Path::pxb:
      return "PXB";
    case Path::phb:
      return "PHB";
    case Path::node:
      return "NODE";
    case Path::sys:
      return "SYS";
    case Path::unknown:
      return "unknown";
  }
  return "unknown";
}

Path path_between(const PciDevice& a, const PciDevice& b, std::int64_t numa_nodes) {
  if (a.chain.size() < 2 || b.chain.size() < 2) return Path::unknown;
  const std::size_t common = common_length(a.chain, b.chain);
  if (common == 0) {
    if (a.numa_node.known() && b.numa_node.known())
      return a.numa_node.value() == b.numa_node.value() ? Path::node : Path::sys;
    return numa_nodes == 1 ? Path::node : Path::unknown;
  }
  if (common == 1) return Path::phb;
  // Below the last common bridge a device of the same switch has one more, its port of the switch.
  const std::size_t longest = std::max(a.chain.size(), b.chain.size());
  return longest - common <= 2 ? Path::pix : Path::pxb;
}

std::string nic_name(const NicFacts& nic) { return nic.rdma_device.empty() ? nic.name : nic.rdma_device; }

std::vector<DistanceFacts> read_distances(const SystemRoot& root, const std::vector<GpuFacts>& gpus,
                                          const std::vector<NicFacts>& nics, std::int64_t numa_nodes) {
  std::vector<Place> places;
  for (const GpuFacts& gpu : gpus)
    places.push_back({fmt::format("gpu{}", gpu.number), read_pci_device(root, gpu.pci_bus_id)});
  for (const NicFacts& nic : nics)
    if (!nic.pci_bus_id.empty()) places.push_back({nic_name(nic), read_pci_device(root, nic.pci_bus_id)});
  std::vector<DistanceFacts> distances;
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = a + 1; b < places.size(); ++b) {
      DistanceFacts distance{places[a].name, places[b].name,
                             path_between(places[a].device, places[b].device, numa_nodes), 0};
      if (b < gpus.size()) distance.nvlinks = joining_links(gpus[a], gpus[b]);
      distances.push_back(std::move(distance));
    }
  }
  return distances;
}

void choose_nics(std::vector<GpuFacts>& gpus, const std::vector<NicFacts>& nics,
                 const std::vector<DistanceFacts>& distances) {
  std::map<std::vector<std::string>, std::size_t> turns;
  for (GpuFacts& gpu : gpus) {
    const auto candidates = nearest(fmt::format("gpu{}", gpu.number), nics, distances);
    if (candidates.empty()) {
      gpu.nic = Fact<std::string>::unknown(nics.empty() ? "the node has no NIC" : "no NIC has a known distance to it");
    } else {
      gpu.nic = candidates[turns[candidates]++ % candidates.size()];
    }
  }
}

}  // namespace assay
