#include <fmt/format.h>

#include "analysis/comparison.hpp"
#include "analysis/selection.hpp"

namespace assay {
namespace {

std::string cause_of(const results::NodeRow& node) {
  if (node.cpu_quota > 0 && node.cpu_quota < node.cpus_granted) {
    return fmt::format("the cgroup's quota grants {:.3g} of {} CPUs", node.cpu_quota, node.cpus_granted);
  }
  if (node.cpus_granted < node.threads) {
    return fmt::format("the job's cpuset grants {} of {} CPUs on line", node.cpus_granted, node.threads);
  }
  return fmt::format("the node has {} cores and {} hardware threads on line", node.cores, node.threads);
}

void judge(Verdict& verdict, const JudgeContext& context, double (*granted)(const results::NodeRow&)) {
  std::vector<Counted> members;
  for (const auto& node : context.run.nodes) {
    members.push_back({context.run.host_of(node.node), granted(node), cause_of(node)});
  }
  judge_counted(verdict, members);
}

const std::string question =
    "How many physical cores and hardware threads does the contract grant each node, and what limits them?";

const RegisterClause cores({
    .key = "node.cpu_cores",
    .summary = "physical CPU cores granted to the job on every node",
    .dimension = Dimension::count,
    .derate_source = "counted, so no derate",
    .question = question,
    .judge = [](Verdict& verdict, const JudgeContext& context) { judge(verdict, context, granted_cores); },
});

const RegisterClause threads({
    .key = "node.cpu_threads",
    .summary = "CPUs as the system counts them (vCPUs, hardware threads) granted to the job on every node",
    .dimension = Dimension::count,
    .derate_source = "counted, so no derate",
    .question = question,
    .judge = [](Verdict& verdict, const JudgeContext& context) { judge(verdict, context, granted_cpus); },
});

}  // namespace
}  // namespace assay
