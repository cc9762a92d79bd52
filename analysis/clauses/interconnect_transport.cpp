#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/gpu_members.hpp"
#include "analysis/interconnect.hpp"

namespace assay {
namespace {

std::string words_of(Transport transport) {
  switch (transport) {
    case Transport::sockets:
      return "tcp (NET/Socket)";
    case Transport::roce:
      return "roce";
    case Transport::infiniband:
      return "ib";
    case Transport::other:
      return "a plug-in's transport";
    case Transport::unknown:
      break;
  }
  return "unknown";
}

/// tcp < roce < ib: more than was sold is no fault.
bool delivers(Transport found, const std::string& sold) {
  if (sold == "tcp") return found != Transport::unknown;
  if (sold == "roce") return found == Transport::roce || found == Transport::infiniband;
  return found == Transport::infiniband;
}

/// One finding per transport that is not what was sold, with the first set that used it.
void judge_transport(Verdict& verdict, const JudgeContext& context) {
  std::vector<Finding> findings;
  std::map<Transport, int> counts;
  for (const SeriesSet* set : network_sets(context)) {
    for (const results::SeriesRow* row : set->rows) {
      const Transport found = transport_of(context.run, *set, row->method);
      if (found == Transport::unknown || ++counts[found] > 1 || delivers(found, verdict.clause.text)) continue;
      findings.push_back({context.run.describe(set->members) + ": " + set->name(), "NCCL used " + row->method});
      verdict.evidence.push_back(row->series);
    }
  }
  for (const auto& [transport, count] : counts)
    verdict.found += (verdict.found.empty() ? "" : ", ") + words_of(transport);
  if (counts.empty()) {
    verdict.decide(Outcome::not_tested, "no NCCL series over several nodes says which transport it used");
    return;
  }
  const bool only_other = counts.size() == 1 && counts.contains(Transport::other);
  judge_findings(verdict, findings, "", "NCCL used " + verdict.found);
  if (only_other && verdict.outcome == Outcome::fail)
    verdict.decide(Outcome::inconclusive, verdict.reason + ": whether it is RDMA is not told");
  if (verdict.outcome != Outcome::fail) return;
  const bool rdma = std::any_of(context.run.nics.begin(), context.run.nics.end(),
                                [](const auto& nic) { return !nic.rdma_device.empty() && is_up(nic); });
  verdict.cause = rdma ? "RDMA devices are there: NCCL's plug-in, permissions or NCCL_IB_* keep it from using them"
                       : "no RDMA device is up on any node";
}

void judge_gpu_direct(Verdict& verdict, const JudgeContext& context) {
  std::vector<Finding> findings;
  int told = 0;
  for (const SeriesSet* set : network_sets(context)) {
    for (const results::SeriesRow* row : set->rows) {
      if (transport_of(row->method) == Transport::unknown) continue;
      ++told;
      if (uses_gpu_direct(row->method) || !findings.empty()) continue;
      findings.push_back({context.run.describe(set->members) + ": " + set->name(), "NCCL used " + row->method});
      verdict.evidence.push_back(row->series);
    }
  }
  if (told == 0) {
    verdict.decide(Outcome::not_tested, "no NCCL series over several nodes says which transport it used");
    return;
  }
  judge_findings(verdict, findings, "", "NICs read and write device memory");
  if (verdict.outcome == Outcome::fail)
    verdict.cause = "nvidia-peermem or dma-buf is missing, NCCL_NET_GDR_LEVEL forbids it, or ACS or the IOMMU is on";
}

const RegisterClause transport({
    .key = "interconnect.transport",
    .summary = "what NCCL uses between nodes: ib, roce or tcp",
    .form = Form::text,
    .words = {"ib", "roce", "tcp"},
    .derate_source = "as NCCL reports it; better than sold is no fault",
    .question = "Which transport is sold, and what has to be set for NCCL to use it?",
    .settled_by = all_reduce_pattern("all"),
    .judge = judge_transport,
});

const RegisterClause gpu_direct({
    .key = "interconnect.gpu_direct",
    .summary = "NICs read and write device memory themselves (GPUDirect RDMA)",
    .form = Form::flag,
    .derate_source = "as NCCL reports it",
    .question = "Is GPUDirect RDMA enabled: nvidia-peermem or dma-buf, ACS off in the PCIe switches?",
    .settled_by = all_reduce_pattern("all"),
    .judge = judge_gpu_direct,
});

}  // namespace
}  // namespace assay
