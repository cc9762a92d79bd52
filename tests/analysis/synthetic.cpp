#include "tests/analysis/synthetic.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace assay::test {
namespace {

constexpr int iterations = 7;
constexpr double gib = 1024.0 * 1024.0 * 1024.0;

results::NodeRow node_row(int node) {
  results::NodeRow row;
  row.node = node;
  row.host = fmt::format("node{}", node + 1);
  row.cpu_model = "Test CPU";
  row.sockets = 1;
  row.cores = 4;
  row.threads = 4;
  row.numa_nodes = 1;
  row.cpus_granted = 4;
  row.cpu_quota = std::numeric_limits<double>::quiet_NaN();
  row.memory_bytes = static_cast<std::int64_t>(16 * gib);
  row.memory_granted_bytes = row.memory_bytes;
  return row;
}

}  // namespace

SyntheticRun::SyntheticRun(int nodes, int ranks_per_node) {
  data_.run.run_id = "00112233aabbccdd";
  data_.run.start_utc = "2026-11-30T17:58:12Z";
  data_.run.suite = "quick";
  data_.run.status = "done";
  data_.run.nodes = nodes;
  data_.run.ranks = nodes * ranks_per_node;
  data_.run.path = "/scratch";
  for (int node = 0; node < nodes; ++node) {
    data_.nodes.push_back(node_row(node));
    for (int local = 0; local < ranks_per_node; ++local) {
      data_.ranks.push_back({node * ranks_per_node + local, node, local, 100 + local, -1, "", "0-3", "0"});
    }
  }
}

std::vector<int> SyntheticRun::all_ranks() const {
  std::vector<int> ranks;
  for (const auto& row : data_.ranks) ranks.push_back(row.rank);
  return ranks;
}

std::vector<int> SyntheticRun::ranks_on(int node) const {
  std::vector<int> ranks;
  for (const auto& row : data_.ranks) {
    if (row.node == node) ranks.push_back(row.rank);
  }
  return ranks;
}

std::int64_t SyntheticRun::plant(const Planted& p) {
  const auto first = static_cast<std::int64_t>(data_.series.size());
  for (int epoch = 0; epoch < p.epochs; ++epoch) {
    results::SeriesRow row;
    row.series = static_cast<std::int64_t>(data_.series.size());
    row.case_name = p.case_name;
    row.point = p.point;
    row.epoch = epoch;
    row.status = p.status;
    row.ranks = static_cast<std::int32_t>(p.members.size());
    row.members = static_cast<std::int64_t>(data_.members.size());
    row.offset = static_cast<std::int64_t>(data_.samples.size());
    row.kept = p.status == "failed" ? 0 : iterations;
    row.count = row.kept * row.ranks;
    row.iterations = row.kept;
    row.work_kind = p.work_kind;
    row.work = p.work;
    row.direction = p.direction;
    row.bus_factor = p.bus_factor;
    row.timing = p.timing;
    row.combine = p.combine;
    row.method = p.method;
    row.start_time = p.start_time + epoch * p.seconds;
    row.end_time = row.start_time + p.seconds;
    row.measured_seconds = p.seconds;
    row.checked = p.status == "failed" ? 0 : 100;
    row.flags = p.flags;
    data_.members.insert(data_.members.end(), p.members.begin(), p.members.end());
    // Epochs lie evenly within +- spread, the middle one on the value; iterations are skewed, their median on the
    // epoch.
    const double offset = p.epochs == 1 ? 0 : p.spread * (2.0 * epoch / (p.epochs - 1) - 1);
    const double value = p.value * (1 + offset);
    const double seconds = p.work_kind == "latency" ? value * p.work : p.work * p.bus_factor / value;
    for (std::int64_t i = 0; i < row.count; ++i) {
      const auto iteration = i % std::max<std::int64_t>(1, row.kept);
      const auto member = static_cast<std::size_t>(i / std::max<std::int64_t>(1, row.kept));
      const double share = p.shares.empty() ? 1 : p.shares[member];
      data_.samples.push_back(
          seconds / share *
          (1 + (iteration < iterations / 2 ? -0.001 : 0.002) * static_cast<double>(iteration != iterations / 2) *
                   static_cast<double>(iteration + 1)));
    }
    data_.series.push_back(row);
  }
  return first;
}

void SyntheticRun::plant_everything(double scale) {
  const auto all = all_ranks();
  const double nodes = data_.run.nodes;
  for (const std::string dtype : {"f64", "f32"}) {
    const double core = (dtype == "f64" ? 10e9 : 20e9) * scale;
    const std::string point = "n:1024/dtype:" + dtype + "/ranks:";
    plant({.case_name = "host.gemm", .point = point + "one", .members = {0}, .work_kind = "flops", .value = core});
    plant({.case_name = "host.gemm",
           .point = point + "all",
           .members = all,
           .work_kind = "flops",
           .value = 0.95 * core * 4 * nodes});
    for (int node = 0; nodes > 1 && node < data_.run.nodes; ++node) {
      plant({.case_name = "host.gemm",
             .point = point + "node",
             .members = ranks_on(node),
             .work_kind = "flops",
             .value = 0.97 * core * 4});
    }
  }
  plant({.case_name = "host.memory",
         .point = "bytes:67108864/op:triad/ranks:all",
         .members = all,
         .value = 20e9 * nodes * scale});
  for (int a = 0; a < data_.run.ranks; ++a) {
    for (int b = a + 1; b < data_.run.ranks; ++b) {
      plant({.case_name = "mpi.pairs",
             .point = "bytes:8/round:0",
             .members = {a, b},
             .work_kind = "latency",
             .work = 2,
             .direction = "one_way",
             .value = 1e-6 / scale});
      plant({.case_name = "mpi.pairs",
             .point = "bytes:4194304/round:0",
             .members = {a, b},
             .direction = "one_way",
             .value = 5e9 * scale});
    }
  }
  for (const std::string name : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast"}) {
    for (const std::string bytes : {"8", "65536", "4194304"}) {
      plant({.case_name = "mpi." + name,
             .point = "bytes:" + bytes + "/dtype:f32/ranks:all",
             .members = all,
             .bus_factor = 1.5,
             .value = (bytes == "8"       ? 1e6
                       : bytes == "65536" ? 1e9
                                          : 4e9) *
                      scale});
    }
  }
  for (const std::string op : {"read", "write"}) {
    const std::string rest = "/op:" + op + "/depth:32/file:268435456/ranks:all/engine:io_uring";
    plant({.case_name = "storage.sequential",
           .point = "bytes:1048576" + rest,
           .members = all,
           .value = 1e9 * nodes * scale});
    plant({.case_name = "storage.random",
           .point = "bytes:4096" + rest,
           .members = all,
           .work_kind = "operations",
           .value = 50e3 * nodes * scale});
  }
}

std::string ClauseCase::offer(const std::string& value) const {
  const std::string name = key;
  const auto dot = name.find('.');
  return "[" + name.substr(0, dot) + "]\n" + name.substr(dot + 1) + " = " + value + "\n";
}

void PrintTo(const ClauseCase& clause, std::ostream* out) { *out << clause.key; }

Judgement judge(const RunData& run, const std::string& offer, bool partial) {
  return judge_run(run, parse_offer(offer, "offer.toml", builtin_clauses()), builtin_clauses(), partial);
}

Verdict judge_one(const RunData& run, const std::string& offer, bool partial) {
  const Judgement judgement = judge(run, offer, partial);
  if (judgement.verdicts.size() != 1) throw std::logic_error("the offer of this test has to have one clause");
  return judgement.verdicts.front();
}

}  // namespace assay::test
