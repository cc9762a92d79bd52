#include "analysis/interconnect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "analysis/selection.hpp"

namespace assay {
namespace {

/// Rates of ports are round numbers; drivers report them exactly.
constexpr double same_rate = 0.98;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string name_of(const results::NicRow& nic) { return nic.rdma_device.empty() ? nic.name : nic.rdma_device; }

std::string gbit(double bits_per_second) { return fmt::format("{:.4g} Gbit/s", bits_per_second / 1e9); }

/// Keeps the sets with the first of these values on the axis that any set has; all when none has one of them.
void prefer(std::vector<const SeriesSet*>& sets, std::string_view axis, const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    const auto has = [&](const SeriesSet* set) { return set->point.has(axis) && set->point.get(axis) == value; };
    if (std::none_of(sets.begin(), sets.end(), has)) continue;
    std::erase_if(sets, [&](const SeriesSet* set) { return !has(set); });
    return;
  }
}

}  // namespace

bool is_up(const results::NicRow& nic) {
  const std::string state = lower(nic.rdma_state.empty() ? nic.state : nic.rdma_state);
  return contains(state, "up") || (contains(state, "active") && !contains(state, "inactive"));
}

std::vector<const results::NicRow*> fabric_nics(const RunData& run, int node) {
  std::vector<const results::NicRow*> rdma;
  std::vector<const results::NicRow*> all;
  std::set<std::string> devices;
  for (const auto& nic : run.nics) {
    if (nic.node != node || nic.name == "lo") continue;
    all.push_back(&nic);
    if (!nic.rdma_device.empty() && devices.insert(nic.rdma_device).second) rdma.push_back(&nic);
  }
  return rdma.empty() ? all : rdma;
}

double best_nic_rate(const RunData& run) {
  double best = 0;
  for (const auto& node : run.nodes) {
    double rate = 0;
    for (const auto* nic : fabric_nics(run, node.node)) {
      if (nic->speed_bits_per_second > 0) rate += nic->speed_bits_per_second / 8;
    }
    best = std::max(best, rate);
  }
  return best > 0 ? best : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::string> nic_faults(const RunData& run) {
  double usual = 0;
  std::size_t most = 0;
  for (const auto& node : run.nodes) {
    const auto nics = fabric_nics(run, node.node);
    most = std::max(most, nics.size());
    for (const auto* nic : nics) usual = std::max(usual, nic->rdma_device.empty() ? 0 : nic->speed_bits_per_second);
  }
  std::vector<std::string> faults;
  for (const auto& node : run.nodes) {
    const auto nics = fabric_nics(run, node.node);
    for (const auto* nic : nics) {
      if (nic->rdma_device.empty()) continue;
      const std::string who = fmt::format("{} on {}", name_of(*nic), run.host_of(node.node));
      if (!is_up(*nic)) {
        faults.push_back(who + " is down");
      } else if (nic->speed_bits_per_second < same_rate * usual) {
        faults.push_back(
            fmt::format("{} runs at {}, others at {}", who, gbit(nic->speed_bits_per_second), gbit(usual)));
      }
    }
    if (nics.size() < most)
      faults.push_back(fmt::format("{} NICs on {}, {} on others", nics.size(), run.host_of(node.node), most));
  }
  return faults;
}

Transport transport_of(const RunData& run, const SeriesSet& set, const std::string& method) {
  const Transport told = transport_of(method);
  if (told != Transport::infiniband) return told;
  bool ethernet = false;
  for (const int node : run.nodes_of(set.members)) {
    for (const auto* nic : fabric_nics(run, node)) {
      if (nic->rdma_device.empty() || !is_up(*nic)) continue;
      if (nic->link_layer == "InfiniBand") return Transport::infiniband;
      ethernet = ethernet || nic->link_layer == "Ethernet";
    }
  }
  return ethernet ? Transport::roce : Transport::infiniband;
}

Transport transport_of(const std::string& method) {
  if (contains(method, "NET/Socket")) return Transport::sockets;
  if (contains(method, "NET/IB")) return contains(method, "RoCE") ? Transport::roce : Transport::infiniband;
  return contains(method, "NET/") ? Transport::other : Transport::unknown;
}

bool uses_gpu_direct(const std::string& method) {
  if (contains(method, "GPUDirect RDMA disabled")) return false;
  bool any = false;
  for (std::size_t at = method.find("NET/"); at != std::string::npos; at = method.find("NET/", at + 1)) {
    const std::string part = method.substr(at, method.find_first_of("+,(", at) - at);
    if (!contains(part, "GDR")) return false;
    any = true;
  }
  return any;
}

std::vector<const SeriesSet*> network_sets(const JudgeContext& context) {
  std::vector<const SeriesSet*> found;
  for (const SeriesSet& set : context.series.sets()) {
    if (!set.case_name.starts_with("nccl.") || context.run.nodes_of(set.members).size() < 2) continue;
    const bool told = std::any_of(set.rows.begin(), set.rows.end(),
                                  [](const auto* row) { return transport_of(row->method) != Transport::unknown; });
    if (told) found.push_back(&set);
  }
  return found;
}

Pattern all_reduce_pattern(const std::string& ranks) { return {"nccl.all_reduce", {{"ranks", ranks}}}; }

std::vector<const SeriesSet*> all_reduce_sets(const JudgeContext& context, const Clause& clause,
                                              const std::string& ranks) {
  auto sets = select(context, clause, all_reduce_pattern(ranks));
  prefer(sets, "algo", {"free", "ring"});
  prefer(sets, "dtype", {"f32", "bf16"});
  return sets;
}

}  // namespace assay
