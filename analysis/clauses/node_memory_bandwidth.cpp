#include "analysis/selection.hpp"

namespace assay {
namespace {

const Pattern triad{"host.memory", {{"op", "triad"}}};

const RegisterClause registered({
    .key = "node.memory_bandwidth",
    .summary = "STREAM triad (24 bytes an element) on all cores of every node at once, largest size measured",
    .dimension = Dimension::bytes_per_second,
    .derate = 0.78,
    .derate_source =
        "share of the data sheet's peak that is asked of device memory too; the peak itself is not reached",
    .question = "How many memory channels are populated, with which modules, and how many NUMA nodes are exposed?",
    .settled_by = triad,
    .judge = [](Verdict& verdict, const JudgeContext& context) { judge_per_node(verdict, context, triad, "bytes"); },
});

}  // namespace
}  // namespace assay
