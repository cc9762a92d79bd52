#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/gpu_members.hpp"
#include "analysis/interconnect.hpp"
#include "analysis/pair_effects.hpp"
#include "analysis/selection.hpp"
#include "core/layout.hpp"
#include "core/statistics.hpp"

namespace assay {
namespace {

constexpr double slow_share = 0.85;
constexpr std::size_t most_causes = 4;

/// The NIC next to a rank's GPU: ", next to mlx5_3".
std::string nic_of(const RunData& run, int rank) {
  const auto* gpu = run.gpu_of(rank);
  return gpu == nullptr || gpu->nic.empty() ? "" : ", next to " + gpu->nic;
}

/// A rail that is slower than the others: all-reduce among the GPUs with one number on all nodes.
std::vector<std::string> slow_rails(const JudgeContext& context) {
  struct Rail {
    const SeriesSet* set;
    double value;
  };
  std::vector<Rail> rails;
  std::vector<double> values;
  for (const SeriesSet* set : largest(context.series.matching(all_reduce_pattern("rail")), "bytes")) {
    const double value = measure(context.run, *set).value;
    if (!(value > 0)) continue;
    rails.push_back({set, value});
    values.push_back(value);
  }
  std::vector<std::string> texts;
  const double typical = median(values);
  for (const Rail& rail : rails) {
    if (rails.size() < 3 || rail.value >= slow_share * typical) continue;
    const auto* gpu = context.run.gpu_of(rail.set->members.front());
    texts.push_back(fmt::format("the rail of GPU {}{} reaches {:.0f} % of the other rails",
                                gpu == nullptr ? rail.set->members.front() : gpu->gpu,
                                nic_of(context.run, rail.set->members.front()), 100 * rail.value / typical));
  }
  return texts;
}

/// Pairs of GPUs of one node, from nccl.pairs at its largest size.
std::vector<PairFigure> pairs_in_node(const JudgeContext& context, int node) {
  std::vector<PairFigure> pairs;
  for (const SeriesSet* set : largest(context.series.matching({"nccl.pairs", {{"level", "gpu"}}}), "bytes")) {
    if (set->members.size() != 2 || context.run.nodes_of(set->members) != std::vector<int>{node}) continue;
    const Measurement m = measure(context.run, *set);
    if (m.dimension == Dimension::bytes_per_second && m.value > 0)
      pairs.push_back({set->members[0], set->members[1], m.value});
  }
  return pairs;
}

/// GPUs of two nodes that exchanged with each other: those of equal number. The slower member of each is its figure.
std::vector<PairFigure> partners(const RunData& run, const SeriesSet& set) {
  std::map<int, std::vector<std::pair<int, double>>> by_number;
  const auto each = measure_members(run, set);
  for (const Measurement& m : each) {
    const auto* gpu = run.gpu_of(m.members.front());
    if (gpu != nullptr && m.value > 0) by_number[gpu->gpu].emplace_back(m.members.front(), m.value);
  }
  std::vector<PairFigure> pairs;
  for (const auto& [number, members] : by_number) {
    if (members.size() == 2)
      pairs.push_back({members[0].first, members[1].first, std::min(members[0].second, members[1].second)});
  }
  return pairs;
}

/// The ways of the GPUs out of their nodes: each NIC that is the nearest to some, or the GPU where that is not known.
class Ports {
 public:
  explicit Ports(const RunData& run) : run_(run) {}

  int of(int rank) {
    const auto* gpu = run_.gpu_of(rank);
    const bool known = gpu != nullptr && !gpu->nic.empty();
    const std::string name =
        known ? fmt::format("{} on {}", gpu->nic, run_.host_of(gpu->node)) : describe_gpu_of(run_, rank);
    const auto at = std::find_if(ports_.begin(), ports_.end(), [&](const Port& port) { return port.name == name; });
    if (at == ports_.end()) {
      ports_.push_back({name, {}, known});
      ports_.back().ranks.insert(rank);
      return static_cast<int>(ports_.size()) - 1;
    }
    at->ranks.insert(rank);
    return static_cast<int>(at - ports_.begin());
  }

  /// "mlx5_4 on node3 (of GPU 4 (...) on node3, rank 20)".
  [[nodiscard]] std::string describe(int port) const {
    const Port& found = ports_[static_cast<std::size_t>(port)];
    if (!found.is_nic) return found.name;
    if (found.ranks.size() > 1)
      return fmt::format("{} (of {} GPUs, ranks {})", found.name, found.ranks.size(),
                         format_ranks({found.ranks.begin(), found.ranks.end()}));
    return fmt::format("{} (of {})", found.name, describe_gpu_of(run_, *found.ranks.begin()));
  }

 private:
  struct Port {
    std::string name;
    std::set<int> ranks;
    bool is_nic = false;
  };
  const RunData& run_;
  std::vector<Port> ports_;
};

/// One NIC that is slow whichever node it exchanges with.
std::vector<std::string> slow_pairs(const JudgeContext& context) {
  Ports ports(context.run);
  std::vector<PairFigure> pairs;
  for (const SeriesSet* set : largest(context.series.matching({"nccl.pairs", {{"level", "node"}}}), "bytes")) {
    for (const PairFigure& pair : partners(context.run, *set))
      pairs.push_back({ports.of(pair.a), ports.of(pair.b), pair.value});
  }
  std::vector<std::string> texts;
  const PairDiagnosis diagnosis = diagnose_pairs(pairs);
  for (const SlowMember& slow : diagnosis.members) {
    texts.push_back(fmt::format("{} is in {} slow pairs of {} with other nodes, {:.0f} % of a typical pair",
                                ports.describe(slow.member), slow.slow, slow.pairs, 100 * slow.share));
  }
  for (const PairFigure& link : diagnosis.links) {
    texts.push_back(fmt::format("{} and {} reach {:.0f} % of a typical pair", ports.describe(link.a),
                                ports.describe(link.b), 100 * link.value / diagnosis.typical));
  }
  return texts;
}

std::string joined(std::vector<std::string> causes) {
  if (causes.size() > most_causes) {
    const auto more = causes.size() - most_causes;
    causes.resize(most_causes);
    causes.push_back(fmt::format("and {} more", more));
  }
  return fmt::format("{}", fmt::join(causes, "; "));
}

}  // namespace

std::string network_cause(const JudgeContext& context, const std::string& method) {
  std::vector<std::string> causes;
  if (transport_of(method) == Transport::sockets) causes.emplace_back("NCCL went over sockets (NET/Socket), not RDMA");
  for (const std::string& fault : nic_faults(context.run)) causes.push_back(fault);
  const bool rdma = transport_of(method) == Transport::infiniband || transport_of(method) == Transport::roce;
  if (rdma && !uses_gpu_direct(method)) causes.emplace_back("NICs do not reach device memory (no GPUDirect RDMA)");
  for (const std::string& text : slow_rails(context)) causes.push_back(text);
  for (const std::string& text : slow_pairs(context)) causes.push_back(text);
  return joined(std::move(causes));
}

std::string node_cause(const JudgeContext& context, int node, const std::string& method) {
  std::vector<std::string> causes;
  bool dead_links = false;
  bool linked = false;
  int gpus = 0;
  for (const auto& gpu : context.run.gpus) {
    if (gpu.node != node) continue;
    linked = linked || gpu.nvlinks > 0;
    ++gpus;
    if (gpu.nvlinks > 0 && gpu.nvlinks_active >= 0 && gpu.nvlinks_active < gpu.nvlinks) {
      dead_links = true;
      causes.push_back(
          fmt::format("{}: {} of {} NVLinks are up", describe_gpu(context.run, gpu), gpu.nvlinks_active, gpu.nvlinks));
    }
    const Product* product = context.catalogue.find(gpu.name);
    if (product != nullptr && !product->nvlink_bridge && gpu.nvlinks >= 0 && gpu.nvlinks < product->nvlinks)
      causes.push_back(fmt::format("{}: {} NVLinks, this product has {}", describe_gpu(context.run, gpu), gpu.nvlinks,
                                   product->nvlinks));
    if (product != nullptr && gpu.pcie_width_max > 0 && gpu.pcie_width_max < product->pcie_lanes)
      causes.push_back(fmt::format("{}: PCIe link of {} lanes, the card has {}", describe_gpu(context.run, gpu),
                                   gpu.pcie_width_max, product->pcie_lanes));
  }
  const bool host_memory = method.find("SHM") != std::string::npos && method.find("P2P") == std::string::npos;
  if (linked && host_memory) causes.emplace_back("GPUs talk through host memory (SHM): peer access is off");
  for (const SlowMember& slow : diagnose_pairs(pairs_in_node(context, node)).members) {
    if (!dead_links)
      causes.push_back(fmt::format("{} is in {} slow pairs of {}", describe_gpu_of(context.run, slow.member), slow.slow,
                                   slow.pairs));
  }
  // With fewer, a ring is as fast (catalogue, nvlink_sharp).
  constexpr int least_to_reduce = 5;
  const bool reduces =
      context.model != nullptr && context.model->nvlink_generation >= 4 && linked && gpus >= least_to_reduce;
  if (causes.empty() && reduces && method.find("NVLS") == std::string::npos && !method.empty())
    causes.emplace_back("the switches do not reduce (NVLS is not used): is the fabric manager running?");
  return joined(std::move(causes));
}

}  // namespace assay
