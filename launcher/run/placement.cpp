#include "launcher/run/placement.hpp"

#include <algorithm>

namespace assay {

std::vector<int> share_of(const std::vector<int>& cpus, int index, int workers) {
  const std::size_t count = cpus.size();
  const auto first = count * static_cast<std::size_t>(index) / static_cast<std::size_t>(workers);
  const auto last = count * static_cast<std::size_t>(index + 1) / static_cast<std::size_t>(workers);
  return {cpus.begin() + static_cast<std::ptrdiff_t>(first), cpus.begin() + static_cast<std::ptrdiff_t>(last)};
}

Placement place_ranks(Group& world, const std::string& host, const std::string& identity,
                      std::vector<int> granted_cpus) {
  Placement placement;
  const std::vector<std::string> identities = all_gather_texts(world, identity);
  const std::vector<std::string> hosts = all_gather_texts(world, host);
  std::vector<double> cpus(static_cast<std::size_t>(world.size()), 0);
  cpus[static_cast<std::size_t>(world.rank())] = static_cast<double>(granted_cpus.size());
  world.max_in_place(cpus);

  std::vector<std::string> known;
  for (std::size_t rank = 0; rank < identities.size(); ++rank) {
    const auto found = std::find(known.begin(), known.end(), identities[rank]);
    placement.layout.node_of.push_back(static_cast<int>(found - known.begin()));
    if (found != known.end()) continue;
    known.push_back(identities[rank]);
    placement.layout.node_names.push_back(hosts[rank]);
    placement.layout.cpus_granted.push_back(static_cast<int>(cpus[rank]));
  }
  placement.node = placement.layout.node_of[static_cast<std::size_t>(world.rank())];
  placement.on_node = world.split(placement.node);
  placement.local_rank = placement.on_node->rank();
  placement.granted_cpus = std::move(granted_cpus);
  const int workers = std::min(placement.on_node->size(), std::max(1, static_cast<int>(placement.granted_cpus.size())));
  if (placement.local_rank < workers) placement.share = share_of(placement.granted_cpus, placement.local_rank, workers);
  return placement;
}

}  // namespace assay
