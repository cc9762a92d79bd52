#include "analysis/remarks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/gpu_members.hpp"
#include "core/layout.hpp"

namespace assay {
namespace {

constexpr std::size_t most_named = 8;

/// "a; b; c and 5 more".
std::string listed(const std::vector<std::string>& texts) {
  const auto end = texts.begin() + static_cast<std::ptrdiff_t>(std::min(texts.size(), most_named));
  std::string text = fmt::format("{}", fmt::join(texts.begin(), end, "; "));
  return texts.size() > most_named ? fmt::format("{} and {} more", text, texts.size() - most_named) : text;
}

void missing_rows(const RunData& run, std::vector<std::string>& out) {
  std::vector<int> missing;
  std::set<int> known;
  for (const auto& row : run.ranks) known.insert(row.rank);
  for (int rank = 0; rank < run.run.ranks; ++rank) {
    if (!known.contains(rank)) missing.push_back(rank);
  }
  if (!missing.empty()) {
    out.push_back(fmt::format("the record lacks rank{} {} of {}", missing.size() == 1 ? "" : "s", format_ranks(missing),
                              run.run.ranks));
  }
}

/// Nodes with fewer ranks than the fullest one.
void uneven_nodes(const RunData& run, std::vector<std::string>& out) {
  std::map<int, int> ranks;
  for (const auto& node : run.nodes) ranks[node.node] = 0;
  for (const auto& row : run.ranks) ++ranks[row.node];
  int most = 0;
  for (const auto& [node, count] : ranks) most = std::max(most, count);
  std::vector<std::string> texts;
  for (const auto& [node, count] : ranks) {
    if (count < most) texts.push_back(fmt::format("{} {}", count, run.host_of(node)));
  }
  if (!texts.empty()) out.push_back(fmt::format("not all nodes have {} ranks: {}", most, listed(texts)));
}

void idle_parts(const RunData& run, std::vector<std::string>& out) {
  std::vector<std::string> idle;
  for (const auto& gpu : run.gpus) {
    const bool used = std::any_of(run.ranks.begin(), run.ranks.end(),
                                  [&](const auto& rank) { return rank.node == gpu.node && rank.gpu == gpu.gpu; });
    if (!used) idle.push_back(describe_gpu(run, gpu));
  }
  if (!idle.empty()) out.push_back("no rank measures on " + listed(idle));
  std::vector<std::string> hidden;
  for (const auto& gpu : run.hidden_gpus) hidden.push_back(describe_gpu(run, gpu));
  if (!hidden.empty()) out.push_back("on the bus, but not shown to this job: " + listed(hidden));
  const bool any = std::any_of(run.ranks.begin(), run.ranks.end(), [](const auto& rank) { return rank.gpu >= 0; });
  std::map<int, std::vector<int>> without;
  for (const auto& rank : run.ranks) {
    if (any && rank.gpu < 0) without[rank.node].push_back(rank.rank);
  }
  std::vector<std::string> texts;
  for (const auto& [node, ranks] : without) texts.push_back(run.describe(ranks));
  if (!texts.empty()) out.push_back("found no GPU and measured on the host only: " + listed(texts));
}

/// More than one value of something that ought to be equal everywhere; the rarer ones are named by member.
void mixed(const RunData& run, const std::string& what, const std::string results::GpuRow::*value,
           std::vector<std::string>& out) {
  std::map<std::string, std::vector<const results::GpuRow*>> groups;
  for (const auto& gpu : run.gpus) groups[gpu.*value].push_back(&gpu);
  if (groups.size() < 2) return;
  const auto most = std::max_element(groups.begin(), groups.end(),
                                     [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  std::vector<std::string> texts{fmt::format("{} x {}", most->second.size(), most->first)};
  for (const auto& [text, gpus] : groups) {
    if (text == most->first) continue;
    for (const auto* gpu : gpus) texts.push_back(fmt::format("{}: {}", describe_gpu(run, *gpu), text));
  }
  out.push_back(fmt::format("different {} in one run: {}", what, listed(texts)));
}

void mixed_libraries(const RunData& run, std::vector<std::string>& out) {
  std::map<std::string, std::vector<std::string>> versions;
  for (const auto& row : run.software) {
    if (row.name == "nccl") versions[row.version].push_back(run.host_of(row.node));
  }
  if (versions.size() < 2) return;
  std::vector<std::string> texts;
  for (const auto& [version, hosts] : versions)
    texts.push_back(fmt::format("{} on {}", version, fmt::join(hosts, ", ")));
  out.push_back("different NCCL versions in one run: " + listed(texts));
}

}  // namespace

std::vector<std::string> remarks(const RunData& run) {
  std::vector<std::string> found;
  missing_rows(run, found);
  uneven_nodes(run, found);
  idle_parts(run, found);
  mixed(run, "GPU models", &results::GpuRow::name, found);
  mixed(run, "GPU drivers", &results::GpuRow::driver, found);
  mixed_libraries(run, found);
  return found;
}

}  // namespace assay
