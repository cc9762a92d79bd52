#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/gpu_members.hpp"
#include "analysis/interconnect.hpp"
#include "analysis/pair_effects.hpp"
#include "analysis/selection.hpp"
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

/// Figures of nccl.pairs at one level at the largest size, of pairs inside of a node or across nodes.
std::vector<PairFigure> pair_figures(const JudgeContext& context, const char* level, bool across) {
  std::vector<PairFigure> pairs;
  for (const SeriesSet* set : largest(context.series.matching({"nccl.pairs", {{"level", level}}}), "bytes")) {
    if (set->members.size() != 2 || (context.run.nodes_of(set->members).size() > 1) != across) continue;
    const Measurement m = measure(context.run, *set);
    if (m.dimension == Dimension::bytes_per_second && m.value > 0)
      pairs.push_back({set->members[0], set->members[1], m.value});
  }
  return pairs;
}

std::vector<std::string> slow_pairs(const JudgeContext& context) {
  std::vector<std::string> texts;
  for (const SlowMember& slow : diagnose_pairs(pair_figures(context, "gpu", true)).members) {
    texts.push_back(fmt::format("{}{} is in {} slow pairs of {} with other nodes ({:.0f} % of a typical pair)",
                                describe_gpu_of(context.run, slow.member), nic_of(context.run, slow.member), slow.slow,
                                slow.pairs, 100 * slow.share));
  }
  if (!texts.empty()) return texts;
  for (const SlowMember& slow : diagnose_pairs(pair_figures(context, "node", true)).members) {
    texts.push_back(fmt::format("{} is in {} slow pairs of {} with other nodes ({:.0f} % of a typical pair)",
                                context.run.host_of(context.run.node_of(slow.member)), slow.slow, slow.pairs,
                                100 * slow.share));
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
  for (const auto& gpu : context.run.gpus) {
    if (gpu.node != node) continue;
    linked = linked || gpu.nvlinks > 0;
    if (gpu.nvlinks > 0 && gpu.nvlinks_active >= 0 && gpu.nvlinks_active < gpu.nvlinks) {
      dead_links = true;
      causes.push_back(
          fmt::format("{}: {} of {} NVLinks are up", describe_gpu(context.run, gpu), gpu.nvlinks_active, gpu.nvlinks));
    }
    const Product* product = context.catalogue.find(gpu.name);
    if (product != nullptr && gpu.pcie_width_max > 0 && gpu.pcie_width_max < product->pcie_lanes)
      causes.push_back(fmt::format("{}: PCIe link of {} lanes, the card has {}", describe_gpu(context.run, gpu),
                                   gpu.pcie_width_max, product->pcie_lanes));
  }
  const bool host_memory = method.find("SHM") != std::string::npos && method.find("P2P") == std::string::npos;
  if (linked && host_memory) causes.emplace_back("GPUs talk through host memory (SHM): peer access is off");
  std::vector<PairFigure> pairs = pair_figures(context, "gpu", false);
  std::erase_if(pairs, [&](const PairFigure& pair) { return context.run.node_of(pair.a) != node; });
  for (const SlowMember& slow : diagnose_pairs(pairs).members) {
    if (!dead_links)
      causes.push_back(fmt::format("{} is in {} slow pairs of {}", describe_gpu_of(context.run, slow.member), slow.slow,
                                   slow.pairs));
  }
  const bool reduces = context.model != nullptr && context.model->nvlink_generation >= 4 && linked;
  if (causes.empty() && reduces && method.find("NVLS") == std::string::npos && !method.empty())
    causes.emplace_back("the switches do not reduce (NVLS is not used): is the fabric manager running?");
  return joined(std::move(causes));
}

}  // namespace assay
