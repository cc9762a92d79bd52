#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "analysis/gpu_members.hpp"

namespace assay {
namespace {

using Words = std::vector<std::string>;

void memory_faults(const RunData& run, const results::GpuRow& gpu, Words& faults) {
  if (gpu.ecc_uncorrected > 0) faults.push_back(fmt::format("{} uncorrected memory errors (ECC)", gpu.ecc_uncorrected));
  if (gpu.remap_pending == 1) faults.emplace_back("a memory row waits to be replaced: the card needs a reset");
  if (gpu.remap_failed == 1) faults.emplace_back("a memory row could not be replaced: no spare is left");
  const auto at = run.gpu_moments.find({gpu.node, gpu.gpu});
  double most = 0;
  if (at != run.gpu_moments.end()) {
    for (const GpuMoment& moment : at->second) {
      if (moment.ecc_uncorrected > most) most = moment.ecc_uncorrected;
    }
  }
  const auto before = static_cast<double>(std::max<std::int64_t>(0, gpu.ecc_uncorrected));
  if (most > before)
    faults.push_back(fmt::format("{:.0f} uncorrected memory errors (ECC) during the run", most - before));
}

/// Against what the card can do; a slower slot is no fault where the offer asks for no more than it carries.
void link_faults(const JudgeContext& context, const results::GpuRow& gpu, Words& faults) {
  const Product* product = context.catalogue.find(gpu.name);
  if (gpu.nvlinks > 0 && gpu.nvlinks_active >= 0 && gpu.nvlinks_active < gpu.nvlinks)
    faults.push_back(fmt::format("{} of {} NVLinks are up", gpu.nvlinks_active, gpu.nvlinks));
  if (gpu.fabric_state == "in_progress")
    faults.emplace_back("the NVSwitch fabric is not ready: is the fabric manager running?");
  if (product == nullptr) return;
  if (!product->nvlink_bridge && gpu.nvlinks >= 0 && gpu.nvlinks < product->nvlinks)
    faults.push_back(fmt::format("{} NVLinks, this product has {}", gpu.nvlinks, product->nvlinks));
  const int width = gpu.pcie_width > 0 ? std::min(gpu.pcie_width, std::max(gpu.pcie_width_max, 0)) : gpu.pcie_width_max;
  const Clause* sold = context.offer.find("gpu.pcie_bandwidth");
  const double needed = sold == nullptr ? std::numeric_limits<double>::infinity() : sold->value;
  const double ways = sold != nullptr && sold->direction == Direction::both_ways ? 2 : 1;
  if (ways * context.catalogue.pcie_reached(gpu.pcie_generation_max, width) >= needed) return;
  if (width > 0 && width < product->pcie_lanes)
    faults.push_back(fmt::format("PCIe link of {} lanes, the card has {}", width, product->pcie_lanes));
  if (gpu.pcie_generation_max > 0 && gpu.pcie_generation_max < product->pcie_generation)
    faults.push_back(
        fmt::format("PCIe {} at most, the card can do {}", gpu.pcie_generation_max, product->pcie_generation));
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// "1b:00" of "0000:1b:00.0": how the kernel's log names a card ends without the function.
std::string slot_of(const results::GpuRow& gpu) { return gpu.pci_bus_id.substr(0, gpu.pci_bus_id.rfind('.')); }

/// Number behind "GPU " in "node1: GPU 5 is lost"; -1 without one.
int number_in(std::string_view text) {
  const auto at = text.find("GPU ");
  if (at == std::string_view::npos) return -1;
  const std::string_view digits = text.substr(at + 4);
  int number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = end == digits.data() + digits.size() || *end == ' ' || *end == ',';
  return error == std::errc() && whole ? number : -1;
}

/// Whether a piece of text speaks of a node: the host in it decides, else the node of the rank that wrote it.
bool speaks_of_node(const RunData& run, int node, const results::EventRow& event, std::string_view text) {
  const auto names = [&](const results::NodeRow& row) {
    return has(text, " on " + row.host) || text.starts_with(row.host + ":");
  };
  if (std::any_of(run.nodes.begin(), run.nodes.end(), names)) {
    const auto own =
        std::find_if(run.nodes.begin(), run.nodes.end(), [&](const auto& row) { return row.node == node; });
    return own != run.nodes.end() && names(*own);
  }
  return event.rank < 0 || run.node_of(event.rank) == node;
}

/// Whether a piece of text speaks of this card: by UUID, by address or number on its node, else by the rank.
bool speaks_of(const RunData& run, const results::GpuRow& gpu, const results::EventRow& event, std::string_view text) {
  if (!gpu.uuid.empty() && has(text, gpu.uuid)) return true;
  const bool any_address = std::any_of(run.gpus.begin(), run.gpus.end(), [&](const auto& other) {
    return !other.pci_bus_id.empty() && has(text, slot_of(other));
  });
  if (any_address)
    return !gpu.pci_bus_id.empty() && has(text, slot_of(gpu)) && speaks_of_node(run, gpu.node, event, text);
  if (const int number = number_in(text); number >= 0)
    return number == gpu.gpu && speaks_of_node(run, gpu.node, event, text);
  return event.rank >= 0 && event.rank == gpu.rank;
}

bool tells_of_damage(std::string_view text) {
  for (const std::string_view words :
       {"Xid", "is lost", "fallen off the bus", "busy or unavailable", "uncorrectable ECC"}) {
    if (has(text, words)) return true;
  }
  return false;
}

/// The first error that the driver or a library reported of this GPU, and how many came later. An error may list what
/// each rank saw.
void event_faults(const RunData& run, const results::GpuRow& gpu, Words& faults) {
  constexpr std::string_view next_rank = ", rank ";
  std::string first;
  int later = 0;
  for (const auto& event : run.events) {
    std::string_view rest = tells_of_damage(event.text) ? std::string_view(event.text) : std::string_view();
    while (!rest.empty()) {
      const auto end = std::min(rest.find(next_rank), rest.size());
      const std::string_view part = rest.substr(0, end);
      rest = end == rest.size() ? std::string_view() : rest.substr(end + next_rank.size());
      if (!tells_of_damage(part) || !speaks_of(run, gpu, event, part)) continue;
      later += first.empty() ? 0 : 1;
      if (first.empty()) first = part;
    }
  }
  if (!first.empty()) faults.push_back(later == 0 ? first : fmt::format("{} (and {} more errors of it)", first, later));
}

Words faults_of(const JudgeContext& context, const results::GpuRow& gpu) {
  Words faults;
  if (!is_usable(gpu)) faults.push_back(gpu.state + (gpu.problem.empty() ? "" : ": " + gpu.problem));
  memory_faults(context.run, gpu, faults);
  link_faults(context, gpu, faults);
  event_faults(context.run, gpu, faults);
  if (gpu.mig_enabled == 1) faults.emplace_back("partitioned into instances (MIG)");
  if (gpu.virtualization == "vgpu") faults.emplace_back("a share of a card (vGPU), not the whole");
  if (gpu.foreign_processes > 0)
    faults.push_back(
        fmt::format("{} foreign process{} on it", gpu.foreign_processes, gpu.foreign_processes == 1 ? "" : "es"));
  if (gpu.compute_mode == "prohibited") faults.emplace_back("computing is prohibited on it");
  return faults;
}

/// Whether anything at all could be read that would show a fault.
bool readable(const results::GpuRow& gpu) {
  return !is_usable(gpu) || gpu.ecc_uncorrected >= 0 || gpu.pcie_width_max >= 0 || gpu.mig_enabled >= 0;
}

std::string not_read(const results::GpuRow& gpu) {
  Words facts;
  if (gpu.ecc_uncorrected < 0) facts.emplace_back("memory errors");
  if (gpu.remap_failed < 0) facts.emplace_back("replaced rows");
  if (gpu.pcie_width_max < 0) facts.emplace_back("PCIe width");
  if (gpu.foreign_processes < 0) facts.emplace_back("other processes");
  std::string text;
  for (const std::string& fact : facts) text += (text.empty() ? "" : ", ") + fact;
  return text;
}

void judge(Verdict& verdict, const JudgeContext& context) {
  std::vector<Finding> findings;
  std::string unknown;
  std::vector<std::pair<std::string, int>> unread;
  for (const auto& gpu : context.run.gpus) {
    const std::string member = describe_gpu(context.run, gpu);
    for (const std::string& fault : faults_of(context, gpu)) findings.push_back({member, fault});
    if (!readable(gpu)) unknown += (unknown.empty() ? "" : "; ") + member;
    const std::string facts = not_read(gpu);
    if (facts.empty() || !readable(gpu)) continue;
    const auto at = std::find_if(unread.begin(), unread.end(), [&](const auto& one) { return one.first == facts; });
    if (at == unread.end()) {
      unread.emplace_back(facts, 1);
    } else {
      ++at->second;
    }
  }
  if (context.run.gpus.empty()) {
    verdict.decide(Outcome::not_tested, "the inventory holds no GPU");
    return;
  }
  judge_findings(verdict, findings, unknown,
                 fmt::format("no error, dead link, slice or foreign process on {} GPUs", context.run.gpus.size()));
  for (const auto& [facts, count] : unread)
    verdict.notes.push_back(fmt::format("not readable on {} GPUs: {}", count, facts));
}

const RegisterClause registered({
    .key = "gpu.healthy",
    .summary = "no GPU with memory errors, dead links, narrow PCIe, partitions, other users, or lost",
    .form = Form::flag,
    .derate_source = "facts of the driver and events of the run",
    .question = "When is this card or its slot repaired or replaced, and what is credited until then?",
    .judge = judge,
});

}  // namespace
}  // namespace assay
