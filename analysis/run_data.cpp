#include "analysis/run_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "core/layout.hpp"
#include "results/reader.hpp"

namespace assay {
namespace {

constexpr std::size_t most_hosts_named = 4;

template <class T>
std::span<const T> part(const std::vector<T>& all, std::int64_t offset, std::int64_t count,
                        const results::SeriesRow& row, const char* table) {
  const auto size = static_cast<std::int64_t>(all.size());
  if (offset < 0 || count < 0 || offset > size || count > size - offset) {
    throw bad_input(fmt::format("series {} ({}/{}) points outside of {}", row.series, row.case_name, row.point, table),
                    "the result file is damaged: run again");
  }
  return std::span(all).subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(count));
}

}  // namespace

std::span<const double> RunData::samples_of(const results::SeriesRow& row) const {
  return part(samples, row.offset, row.count, row, "/samples");
}

std::span<const std::int32_t> RunData::members_of(const results::SeriesRow& row) const {
  return part(members, row.members, row.ranks, row, "/members");
}

int RunData::node_of(int rank) const {
  const auto index = static_cast<std::size_t>(rank);  // the table is in rank order when whole
  if (rank >= 0 && index < ranks.size() && ranks[index].rank == rank) return ranks[index].node;
  const auto at = std::find_if(ranks.begin(), ranks.end(), [&](const auto& row) { return row.rank == rank; });
  return at == ranks.end() ? -1 : at->node;
}

std::vector<int> RunData::nodes_of(std::span<const int> ranks_asked) const {
  std::set<int> found;
  for (const int rank : ranks_asked) found.insert(node_of(rank));
  return {found.begin(), found.end()};
}

std::string RunData::host_of(int node) const {
  const auto at = std::find_if(nodes.begin(), nodes.end(), [&](const auto& row) { return row.node == node; });
  return at == nodes.end() || at->host.empty() ? fmt::format("node {}", node) : at->host;
}

std::string RunData::describe(std::span<const int> ranks_asked) const {
  const std::vector<int> on = nodes_of(ranks_asked);
  std::vector<std::string> hosts;
  for (const int node : on) hosts.push_back(host_of(node));
  return fmt::format("{} {} on {}", ranks_asked.size() == 1 ? "rank" : "ranks",
                     format_ranks({ranks_asked.begin(), ranks_asked.end()}),
                     hosts.size() <= most_hosts_named ? fmt::format("{}", fmt::join(hosts, ", "))
                                                      : fmt::format("{} nodes", hosts.size()));
}

const results::GpuRow* RunData::gpu_of(int rank) const {
  const auto at =
      std::find_if(ranks.begin(), ranks.end(), [&](const results::RankRow& row) { return row.rank == rank; });
  if (at == ranks.end() || at->gpu < 0) return nullptr;
  const auto gpu = std::find_if(gpus.begin(), gpus.end(),
                                [&](const results::GpuRow& row) { return row.node == at->node && row.gpu == at->gpu; });
  return gpu == gpus.end() ? nullptr : &*gpu;
}

void RunData::add_gpus(std::vector<results::GpuRow> rows) {
  for (auto& row : rows) (row.state == "hidden" ? hidden_gpus : gpus).push_back(std::move(row));
}

void RunData::add_telemetry(const results::TelemetryRow& row) {
  constexpr std::pair<std::string_view, double GpuMoment::*> metrics[] = {
      {"gpu.sm_clock", &GpuMoment::sm_clock},
      {"gpu.power", &GpuMoment::power},
      {"gpu.temperature", &GpuMoment::temperature},
      {"gpu.clock_event_reasons", &GpuMoment::clock_event_reasons},
      {"gpu.pcie_generation", &GpuMoment::pcie_generation},
      {"gpu.pcie_width", &GpuMoment::pcie_width},
      {"gpu.ecc_uncorrected", &GpuMoment::ecc_uncorrected},
      {"gpu.nvlink_errors", &GpuMoment::nvlink_errors},
  };
  for (const auto& [name, member] : metrics) {
    if (row.metric != name) continue;
    auto& moments = gpu_moments[{row.node, row.device}];
    if (moments.empty() || moments.back().time != row.time) moments.push_back({.time = row.time});
    moments.back().*member = row.value;
  }
}

bool is_usable(const results::GpuRow& gpu) { return gpu.state.empty() || gpu.state == "ok"; }

RunData load_run(const std::filesystem::path& path) {
  const results::Reader reader = results::Reader::open(path);
  RunData data;
  data.run = reader.run();
  data.nodes = reader.rows<results::NodeRow>();
  data.add_gpus(reader.rows<results::GpuRow>());
  data.nics = reader.rows<results::NicRow>();
  data.disks = reader.rows<results::DiskRow>();
  data.software = reader.rows<results::SoftwareRow>();
  data.ranks = reader.rows<results::RankRow>();
  data.events = reader.rows<results::EventRow>();
  for (const auto& row : reader.rows<results::TelemetryRow>()) data.add_telemetry(row);
  for (auto& [gpu, moments] : data.gpu_moments) {
    std::stable_sort(moments.begin(), moments.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  }
  data.series = reader.series();
  data.members = reader.members();
  data.samples = reader.all_samples();
  return data;
}

}  // namespace assay
