#include <fmt/format.h>

#include <algorithm>

#include "analysis/gpu_members.hpp"

namespace assay {
namespace {

/// Numbers of the cards that other nodes have and this one has not, so that "GPU 5" can be looked for.
std::string others_have(const RunData& run, int node) {
  std::vector<std::string> here;
  std::string text;
  for (const auto& gpu : run.gpus) {
    if (gpu.node == node) here.push_back(gpu.pci_bus_id);
  }
  std::vector<std::string> missing;
  for (const auto& gpu : run.gpus) {
    const bool known = gpu.pci_bus_id.empty() || std::find(here.begin(), here.end(), gpu.pci_bus_id) != here.end();
    if (known || std::find(missing.begin(), missing.end(), gpu.pci_bus_id) != missing.end()) continue;
    missing.push_back(gpu.pci_bus_id);
    text += (text.empty() ? "; other nodes also have one at " : ", ") + gpu.pci_bus_id;
  }
  return missing.size() <= 8 ? text : "";
}

void judge(Verdict& verdict, const JudgeContext& context) {
  std::vector<Counted> members;
  for (const auto& node : context.run.nodes) {
    const auto found = std::count_if(context.run.gpus.begin(), context.run.gpus.end(),
                                     [&](const auto& gpu) { return gpu.node == node.node; });
    const std::string host = context.run.host_of(node.node);
    const std::string cause =
        found == 0 ? "no GPU is visible on " + host + ": none there, or its driver is not loaded"
                   : fmt::format("{} GPUs are visible on {}{}", found, host, others_have(context.run, node.node));
    members.push_back({host, context.run.gpus.empty() ? -1 : static_cast<double>(found), cause});
  }
  judge_counted(verdict, members);
  if (context.run.gpus.empty()) verdict.decide(Outcome::not_tested, "the inventory holds no GPU");
  if (verdict.outcome != Outcome::fail) return;
  for (const Counted& member : members) {
    if (member.value < verdict.clause.limit() && member.member != verdict.member)
      verdict.notes.push_back(fmt::format("{}: {:.0f} found", member.member, member.value));
  }
}

const RegisterClause registered({
    .key = "gpu.count",
    .summary = "GPUs visible on every node",
    .dimension = Dimension::count,
    .derate_source = "counted, so no derate",
    .question = "Why does this node show fewer GPUs than were sold, and when is the missing one replaced?",
    .judge = judge,
});

}  // namespace
}  // namespace assay
