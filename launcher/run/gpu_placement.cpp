#include "launcher/run/gpu_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "collectives/mpi/mpi_session.hpp"
#include "core/error.hpp"
#include "inventory/pci.hpp"
#include "launcher/run/gpu_assignment.hpp"
#include "launcher/run/nccl_version.hpp"

namespace assay {

namespace {

using Json = nlohmann::json;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// A GPU of the node as all its ranks know it.
struct NodeGpu {
  std::string bus_id;
  std::vector<int> near_cpus;
  std::string nic;
  bool usable = true;
};

Json own_view(Group& world, const GpuPlugin& plugin, const std::vector<int>& bound) {
  Json visible = Json::array();
  for (const DeviceIdentity& device : plugin.devices())
    visible.push_back({{"bus_id", normal_pci_address(device.pci_bus_id)},
                       {"uuid", device.uuid},
                       {"name", device.name},
                       {"memory", device.memory_bytes},
                       {"capability", device.capability}});
  return {{"rank", world.rank()},
          {"visible", visible},
          {"bound", bound},
          {"restricted", std::getenv("CUDA_VISIBLE_DEVICES") != nullptr}};
}

Json inventory_view(const std::vector<GpuFacts>& gpus) {
  Json list = Json::array();
  for (const GpuFacts& gpu : gpus)
    list.push_back({{"bus_id", gpu.pci_bus_id},
                    {"near", gpu.near_cpus.value_or({})},
                    {"nic", gpu.nic.value_or("")},
                    {"usable", gpu.state == GpuState::ok}});
  return list;
}

RankView parse_view(const Json& json) {
  RankView view;
  view.rank = json.at("rank");
  view.bound = json.at("bound").get<std::vector<int>>();
  view.restricted = json.at("restricted");
  for (const Json& gpu : json.at("visible")) view.visible.push_back({gpu.at("bus_id"), gpu.at("uuid")});
  return view;
}

/// What the ranks of a node know together.
struct NodeView {
  std::vector<RankView> ranks;
  std::vector<NodeGpu> gpus;       ///< by number
  std::vector<GpuFacts> unlisted;  ///< those that only CUDA shows

  [[nodiscard]] int number_of(const std::string& bus_id) const {
    const auto same = [&](const NodeGpu& gpu) { return gpu.bus_id == bus_id; };
    const auto found = std::find_if(gpus.begin(), gpus.end(), same);
    return found == gpus.end() ? -1 : static_cast<int>(found - gpus.begin());
  }
};

void add_unlisted(NodeView& node, const Json& gpu) {
  const std::string bus_id = gpu.at("bus_id");
  if (node.number_of(bus_id) >= 0) return;
  node.gpus.push_back({bus_id, {}, "", true});
  GpuFacts facts;
  facts.pci_bus_id = bus_id;
  facts.name = gpu.at("name").get<std::string>();
  facts.uuid = gpu.at("uuid").get<std::string>();
  facts.memory = gpu.at("memory").get<std::int64_t>();
  facts.capability = gpu.at("capability").get<std::int64_t>();
  node.unlisted.push_back(std::move(facts));
}

NodeView gather_node(Group& on_node, const Json& mine, const std::vector<GpuFacts>& gpus) {
  NodeView node;
  const std::string listed = broadcast_text(on_node, on_node.rank() == 0 ? dump(inventory_view(gpus)) : "");
  for (const Json& gpu : Json::parse(listed))
    node.gpus.push_back({gpu.at("bus_id"), gpu.at("near").get<std::vector<int>>(), gpu.at("nic"), gpu.at("usable")});
  for (const std::string& text : all_gather_texts(on_node, dump(mine))) {
    const Json view = Json::parse(text);
    node.ranks.push_back(parse_view(view));
    for (const Json& gpu : view.at("visible")) add_unlisted(node, gpu);
  }
  // One order for all: that of the bus, whoever told of a card.
  std::stable_sort(node.gpus.begin(), node.gpus.end(), [](const NodeGpu& a, const NodeGpu& b) {
    return std::pair(a.bus_id.empty(), a.bus_id) < std::pair(b.bus_id.empty(), b.bus_id);
  });
  return node;
}

void fail_alike(Group& world, const Placement& placement, const std::string& problem, const char* hint, ExitCode code) {
  const std::string mine =
      problem.empty()
          ? ""
          : fmt::format("{}: {}", placement.layout.node_names[static_cast<std::size_t>(placement.node)], problem);
  for (const std::string& text : all_gather_texts(world, mine))
    if (!text.empty()) throw Error(code, text, hint);
}

void take_near_cpus(const NodeView& node, const Assignment& assignment, Placement& placement) {
  if (placement.on_node->size() > static_cast<int>(placement.granted_cpus.size())) return;
  std::vector<std::vector<int>> near;
  bool known = false;
  for (std::size_t rank = 0; rank < node.ranks.size(); ++rank) {
    const int chosen = assignment.chosen[rank];
    near.emplace_back();
    if (chosen < 0) continue;
    const int number = node.number_of(node.ranks[rank].visible[static_cast<std::size_t>(chosen)].bus_id);
    near.back() = node.gpus[static_cast<std::size_t>(number)].near_cpus;
    known = known || !near.back().empty();
  }
  if (known)
    placement.share = near_shares(placement.granted_cpus, near)[static_cast<std::size_t>(placement.local_rank)];
}

/// Version of NCCL as a number; 0 when it cannot be used, and why.
int usable_nccl(const GpuPlugin& plugin, GpuPlacement& result) {
  if (result.device == nullptr) return 0;
  for (const auto& part : plugin.backend()->parts()) {
    if (part.name != "nccl") continue;
    result.nccl_problem = nccl_problem_of(part);
    return result.nccl_problem.empty() ? nccl_version_of(part.version) : 0;
  }
  return 0;
}

/// gpu_of, gpus_found and gpu of the layout, agreed by all.
void agree(Group& world, Placement& placement, const Device* device, int nccl, int number, int found) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> numbers(static_cast<std::size_t>(world.size()), -1);
  std::vector<double> cards(static_cast<std::size_t>(placement.layout.nodes()), 0);
  std::array<double, 3> least{infinite, infinite, infinite};
  cards[static_cast<std::size_t>(placement.node)] = found;
  if (device != nullptr) {
    numbers[static_cast<std::size_t>(world.rank())] = number;
    least = {static_cast<double>(device->identity().capability),
             static_cast<double>(device->identity().memory_free_bytes), static_cast<double>(nccl)};
  }
  world.max_in_place(numbers);
  world.max_in_place(cards);
  world.min_in_place(least);
  Layout& layout = placement.layout;
  layout.gpu_of.assign(numbers.begin(), numbers.end());
  layout.gpus_found.assign(cards.begin(), cards.end());
  if (std::all_of(numbers.begin(), numbers.end(), [](double one) { return one < 0; })) return;
  layout.gpu = {static_cast<int>(least[0]), static_cast<std::int64_t>(least[1]), least[2] > 0,
                MpiSession::takes_device_memory(), static_cast<int>(least[2])};
}

}  // namespace

GpuPlacement place_gpus(Group& world, Placement& placement, const GpuPlugin& plugin, const RunOptions& options,
                        const std::vector<GpuFacts>& gpus, const std::vector<int>& bound_cpus) {
  GpuPlacement result;
  NodeView node = gather_node(*placement.on_node, own_view(world, plugin, bound_cpus), gpus);
  std::vector<NearCpus> near;
  for (const NodeGpu& gpu : node.gpus) near.push_back({gpu.bus_id, gpu.near_cpus});
  const Assignment assignment = assign_gpus(node.ranks, near, options.share_gpus);
  fail_alike(world, placement, placement.local_rank == 0 ? assignment.refused : "",
             "start one rank for each GPU, or ask with --share-gpus", ExitCode::bad_input);
  const auto own = static_cast<std::size_t>(placement.local_rank);
  result.why_not = plugin.devices().empty() ? plugin.why_not() : assignment.why[own];
  int number = -1;
  if (const int chosen = assignment.chosen[own]; chosen >= 0) {
    number = node.number_of(node.ranks[own].visible[static_cast<std::size_t>(chosen)].bus_id);
    result.nic = node.gpus[static_cast<std::size_t>(number)].nic;
    try {
      result.device = plugin.backend()->open(plugin.devices()[static_cast<std::size_t>(chosen)].ordinal);
    } catch (const Error& error) {
      result.why_not = error.what();
    }
  }
  take_near_cpus(node, assignment, placement);
  const auto usable = std::count_if(node.gpus.begin(), node.gpus.end(), [](const NodeGpu& gpu) { return gpu.usable; });
  agree(world, placement, result.device.get(), usable_nccl(plugin, result), number, static_cast<int>(usable));
  if (options.gpu == GpuUse::require && result.device == nullptr)
    result.why_not = result.why_not.empty() ? "no GPU is visible" : result.why_not;
  fail_alike(world, placement,
             options.gpu == GpuUse::require && result.device == nullptr
                 ? fmt::format("rank {} has no GPU: {}", world.rank(), result.why_not)
                 : "",
             "--gpu auto measures on the host where there is no GPU", ExitCode::environment);
  result.unlisted = std::move(node.unlisted);
  return result;
}

}  // namespace assay
