#include "launcher/run/placement_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace assay {

namespace {

constexpr std::size_t most_lines = 16;

using Hosts = std::set<int>;

/// "node2, node5" or, for all of several, "all 4 hosts".
std::string names_of(const Hosts& hosts, const Layout& layout) {
  if (layout.nodes() > 1 && static_cast<int>(hosts.size()) == layout.nodes())
    return fmt::format("all {} hosts", layout.nodes());
  std::string text;
  std::size_t shown = 0;
  for (const int host : hosts) {
    if (shown++ == most_lines) return text + fmt::format(" and {} more", hosts.size() - most_lines);
    text += (text.empty() ? "" : ", ") + layout.node_names[static_cast<std::size_t>(host)];
  }
  return text;
}

const results::GpuRow* gpu_of(const PlacementFacts& facts, const results::RankRow& rank) {
  const auto found = std::find_if(facts.gpus.begin(), facts.gpus.end(), [&](const results::GpuRow& gpu) {
    return gpu.node == rank.node && gpu.gpu == rank.gpu;
  });
  return rank.gpu < 0 || found == facts.gpus.end() ? nullptr : &*found;
}

bool any_gpu(const PlacementFacts& facts) {
  return std::any_of(facts.ranks.begin(), facts.ranks.end(), [](const auto& rank) { return rank.gpu >= 0; });
}

std::string line_of(const PlacementFacts& facts, const results::RankRow& rank) {
  const results::GpuRow* gpu = gpu_of(facts, rank);
  const std::string cpus = rank.share_cpus.empty() ? "none of its own" : rank.share_cpus;
  if (gpu == nullptr) return "no GPU, CPUs " + cpus;
  return fmt::format("GPU {} {} {}, NIC {}, CPUs {}", gpu->gpu, gpu->pci_bus_id, gpu->name,
                     rank.nic.empty() ? "not known" : rank.nic, cpus);
}

std::vector<std::string> table_by_rank(const PlacementFacts& facts) {
  std::vector<std::string> lines;
  for (const auto& rank : facts.ranks)
    lines.push_back(fmt::format("rank {} on {}: {}", rank.rank,
                                facts.layout.node_names[static_cast<std::size_t>(rank.node)], line_of(facts, rank)));
  return lines;
}

/// Nodes whose ranks have the same GPU numbers, NICs and CPUs share a line.
std::vector<std::string> table_by_layout(const PlacementFacts& facts) {
  std::map<int, std::string> layouts;
  for (const auto& rank : facts.ranks) {
    std::string& text = layouts[rank.node];
    text += (text.empty() ? "" : "; ") +
            (rank.gpu < 0 ? fmt::format("{}: no GPU", rank.local_rank)
                          : fmt::format("{}: GPU {} {} {}", rank.local_rank, rank.gpu, rank.nic, rank.share_cpus));
  }
  std::map<std::string, Hosts> nodes;
  for (const auto& [node, text] : layouts) nodes[text].insert(node);
  std::vector<std::string> lines{"rank of the node: GPU, NIC, CPUs"};
  for (const auto& [text, hosts] : nodes) lines.push_back(names_of(hosts, facts.layout) + ": " + text);
  return lines;
}

void add_ranks_without(const PlacementFacts& facts, std::vector<Finding>& findings) {
  std::map<std::string, std::pair<Hosts, std::vector<int>>> reasons;
  for (const auto& rank : facts.ranks) {
    if (rank.gpu >= 0) continue;
    auto& [hosts, ranks] = reasons[facts.why_not[static_cast<std::size_t>(rank.rank)]];
    hosts.insert(rank.node);
    ranks.push_back(rank.rank);
  }
  const bool others_have = any_gpu(facts);
  for (const auto& [reason, who] : reasons) {
    const auto& [hosts, ranks] = who;
    if (others_have)
      findings.push_back({"warning", fmt::format("{}: rank{} {} measure{} on the host only: {}",
                                                 names_of(hosts, facts.layout), ranks.size() == 1 ? "" : "s",
                                                 format_ranks(ranks), ranks.size() == 1 ? "s" : "", reason)});
    else
      findings.push_back({"info", fmt::format("no GPU is measured: {} ({})", reason, names_of(hosts, facts.layout))});
  }
}

std::vector<std::vector<Finding>> idle_gpus(const PlacementFacts& facts) {
  std::map<std::pair<int, std::string>, std::vector<const results::GpuRow*>> idle;  // node, why
  for (const auto& gpu : facts.gpus) {
    if (gpu.state != "ok")
      idle[{gpu.node, fmt::format("{}: {}", gpu.state, gpu.problem)}].push_back(&gpu);
    else if (gpu.rank < 0)
      idle[{gpu.node, ""}].push_back(&gpu);
  }
  std::vector<std::vector<Finding>> notes(static_cast<std::size_t>(facts.layout.nodes()));
  for (const auto& [place, gpus] : idle) {
    std::vector<int> numbers;
    for (const results::GpuRow* gpu : gpus) numbers.push_back(gpu->gpu);
    const bool one = numbers.size() == 1;
    const std::string who = one ? fmt::format("GPU {} {} is", numbers[0], gpus[0]->pci_bus_id)
                                : fmt::format("GPUs {} are", format_ranks(numbers));
    const std::string why =
        place.second.empty() ? fmt::format("no rank works on {}", one ? "it" : "them") : place.second;
    notes[static_cast<std::size_t>(place.first)].push_back({"warning", fmt::format("{} not measured: {}", who, why)});
  }
  return notes;
}

void add_idle_gpus(const PlacementFacts& facts, std::vector<Finding>& findings) {
  for (Finding& finding : grouped_notes(facts.layout, idle_gpus(facts))) findings.push_back(std::move(finding));
}

void add_strangers(const PlacementFacts& facts, std::vector<Finding>& findings) {
  for (const auto& gpu : facts.gpus) {
    if (gpu.foreign_processes <= 0) continue;
    const std::string& host = facts.layout.node_names[static_cast<std::size_t>(gpu.node)];
    findings.push_back(
        {"warning", fmt::format("{}: GPU {} {} is in use by {} process{} of others", host, gpu.gpu, gpu.pci_bus_id,
                                gpu.foreign_processes, gpu.foreign_processes == 1 ? "" : "es")});
  }
}

void add_shared_gpus(const PlacementFacts& facts, std::vector<Finding>& findings) {
  std::map<std::pair<int, int>, std::vector<int>> users;
  for (const auto& rank : facts.ranks)
    if (rank.gpu >= 0) users[{rank.node, rank.gpu}].push_back(rank.rank);
  for (const auto& [place, ranks] : users)
    if (ranks.size() > 1)
      findings.push_back({"warning", fmt::format("{}: ranks {} share GPU {}",
                                                 facts.layout.node_names[static_cast<std::size_t>(place.first)],
                                                 format_ranks(ranks), place.second)});
}

void add_uneven_nodes(const PlacementFacts& facts, std::vector<Finding>& findings) {
  const auto& found = facts.layout.gpus_found;
  if (found.empty() || !any_gpu(facts)) return;
  const int most = *std::max_element(found.begin(), found.end());
  std::map<int, Hosts> fewer;
  for (std::size_t node = 0; node < found.size(); ++node)
    if (found[node] < most) fewer[found[node]].insert(static_cast<int>(node));
  for (const auto& [count, hosts] : fewer)
    findings.push_back(
        {"warning", fmt::format("{} of {} GPUs can be used on {}", count, most, names_of(hosts, facts.layout))});
}

void add_models(const PlacementFacts& facts, std::vector<Finding>& findings) {
  std::map<std::string, Hosts> models;
  for (const auto& gpu : facts.gpus)
    if (gpu.state == "ok") models[gpu.name].insert(gpu.node);
  if (models.size() < 2) return;
  std::string text = "GPU models differ:";
  for (const auto& [name, hosts] : models) text += fmt::format(" {} on {};", name, names_of(hosts, facts.layout));
  text.pop_back();
  findings.push_back({"warning", text});
}

}  // namespace

std::vector<std::string> placement_table(const PlacementFacts& facts) {
  if (!any_gpu(facts)) return {};
  return facts.ranks.size() > most_lines ? table_by_layout(facts) : table_by_rank(facts);
}

std::vector<Finding> placement_findings(const PlacementFacts& facts) {
  std::vector<Finding> findings;
  add_ranks_without(facts, findings);
  add_uneven_nodes(facts, findings);
  add_idle_gpus(facts, findings);
  add_strangers(facts, findings);
  add_shared_gpus(facts, findings);
  add_models(facts, findings);
  return findings;
}

std::vector<Finding> grouped_notes(const Layout& layout, const std::vector<std::vector<Finding>>& notes) {
  std::map<std::pair<std::string, std::string>, Hosts> texts;
  for (std::size_t node = 0; node < notes.size(); ++node)
    for (const Finding& note : notes[node]) texts[{note.severity, note.text}].insert(static_cast<int>(node));
  std::vector<Finding> findings;
  for (const auto& [note, hosts] : texts)
    findings.push_back({note.first, names_of(hosts, layout) + ": " + note.second});
  return findings;
}

}  // namespace assay
