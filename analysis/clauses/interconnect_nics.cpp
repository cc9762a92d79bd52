#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/comparison.hpp"
#include "analysis/interconnect.hpp"

namespace assay {
namespace {

/// Ports report round rates: 400 Gbit/s is 400.
constexpr double rounding = 0.99;

struct NodeNics {
  int good = 0;
  std::vector<std::string> poor;
  int unknown = 0;
};

NodeNics count(const RunData& run, int node, double rate) {
  NodeNics nics;
  for (const auto* nic : fabric_nics(run, node)) {
    const std::string name = nic->rdma_device.empty() ? nic->name : nic->rdma_device;
    const double bytes = nic->speed_bits_per_second / 8;
    if (!is_up(*nic)) {
      nics.poor.push_back(name + " is down");
    } else if (std::isnan(bytes)) {
      ++nics.unknown;
    } else if (bytes < rounding * rate) {
      nics.poor.push_back(fmt::format("{} runs at {:.4g} Gbit/s", name, nic->speed_bits_per_second / 1e9));
    } else {
      ++nics.good;
    }
  }
  return nics;
}

void judge(Verdict& verdict, const JudgeContext& context) {
  const double rate = *verdict.clause.rate;
  std::vector<Counted> members;
  std::vector<std::string> others;
  for (const auto& node : context.run.nodes) {
    const std::string host = context.run.host_of(node.node);
    const NodeNics nics = count(context.run, node.node, rate);
    const bool open = nics.good < verdict.clause.limit() && nics.good + nics.unknown >= verdict.clause.limit();
    const std::string cause = nics.poor.empty() ? fmt::format("{} has fewer NICs of this rate", host)
                                                : fmt::format("{}: {}", host, fmt::join(nics.poor, ", "));
    members.push_back({host, open || context.run.nics.empty() ? -1 : static_cast<double>(nics.good), cause});
    if (nics.good < verdict.clause.limit() && !open) others.push_back(cause);
  }
  judge_counted(verdict, members);
  if (context.run.nics.empty()) verdict.decide(Outcome::not_tested, "the inventory holds no NIC");
  if (verdict.outcome != Outcome::fail) return;
  for (const std::string& cause : others) {
    if (cause != verdict.cause) verdict.notes.push_back(cause);
  }
}

const RegisterClause registered({
    .key = "interconnect.nics",
    .summary = "NICs that are up at the given rate on every node",
    .dimension = Dimension::count,
    .value_name = "count",
    .needs_rate = true,
    .derate_source = "counted, so no derate",
    .question = "Which port is down or runs below its rate, and is it the cable, the NIC or the switch?",
    .judge = judge,
});

}  // namespace
}  // namespace assay
