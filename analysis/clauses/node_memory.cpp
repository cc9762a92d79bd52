#include <fmt/format.h>

#include "analysis/comparison.hpp"

namespace assay {
namespace {

void judge(Verdict& verdict, const JudgeContext& context) {
  std::vector<Counted> members;
  for (const auto& node : context.run.nodes) {
    const auto granted = static_cast<double>(node.memory_granted_bytes);
    const bool limited = node.memory_granted_bytes < node.memory_bytes;
    members.push_back({context.run.host_of(node.node), granted > 0 ? granted : -1,
                       limited ? "the cgroup's limit is below the installed " +
                                     format_quantity(static_cast<double>(node.memory_bytes), Dimension::bytes)
                               : "less is installed than was sold (or GB were delivered where GiB were sold)"});
  }
  judge_counted(verdict, members);
}

const RegisterClause registered({
    .key = "node.memory",
    .summary = "main memory granted to the job on every node",
    .dimension = Dimension::bytes,
    .derate = 0.95,
    .derate_source = "firmware, page tables' array and crash kernel take 2-4 %; GB in place of GiB would be 7 %",
    .question = "How much memory is installed in each node, and what limit is set on the job?",
    .judge = judge,
});

}  // namespace
}  // namespace assay
