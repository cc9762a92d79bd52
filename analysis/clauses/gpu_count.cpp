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

/// Cards that are there and cannot be used: what is the matter with them.
std::string unusable(const RunData& run, int node) {
  std::string text;
  for (const auto* gpus : {&run.gpus, &run.hidden_gpus}) {
    for (const auto& gpu : *gpus) {
      if (gpu.node != node || (gpus == &run.gpus && is_usable(gpu))) continue;
      text +=
          fmt::format("; {}: {}{}{}", describe_gpu(run, gpu), gpu.state, gpu.problem.empty() ? "" : ", ", gpu.problem);
    }
  }
  return text;
}

void judge(Verdict& verdict, const JudgeContext& context) {
  std::vector<Counted> members;
  const bool any = !context.run.gpus.empty() || !context.run.hidden_gpus.empty();
  for (const auto& node : context.run.nodes) {
    const auto found = std::count_if(context.run.gpus.begin(), context.run.gpus.end(),
                                     [&](const auto& gpu) { return gpu.node == node.node && is_usable(gpu); });
    const std::string host = context.run.host_of(node.node);
    const std::string broken = unusable(context.run, node.node);
    std::string cause = fmt::format("{} GPU{} can be used on {}{}", found, found == 1 ? "" : "s", host, broken);
    if (found == 0 && broken.empty())
      cause = "no GPU is visible on " + host + ": none there, or its driver is not loaded";
    if (found > 0 && broken.empty()) cause += others_have(context.run, node.node);
    members.push_back({host, any ? static_cast<double>(found) : -1, cause});
  }
  judge_counted(verdict, members);
  if (!any) verdict.decide(Outcome::not_tested, "the inventory holds no GPU");
  if (verdict.outcome != Outcome::fail) return;
  for (const Counted& member : members) {
    if (member.value < verdict.clause.limit() && member.member != verdict.member) verdict.notes.push_back(member.cause);
  }
}

const RegisterClause registered({
    .key = "gpu.count",
    .summary = "GPUs that can be used on every node",
    .dimension = Dimension::count,
    .derate_source = "counted, so no derate",
    .question = "Why does this node show fewer GPUs than were sold, and when is the missing one replaced?",
    .judge = judge,
});

}  // namespace
}  // namespace assay
