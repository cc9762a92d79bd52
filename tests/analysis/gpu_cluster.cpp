#include "tests/analysis/gpu_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analysis/expectation.hpp"
#include "core/layout.hpp"

namespace assay::test {
namespace {

constexpr double nic_rate = 50e9;
constexpr double payload = 1073741824;

double at(const std::map<int, double>& shares, int key) {
  const auto found = shares.find(key);
  return found == shares.end() ? 1 : found->second;
}

results::GpuRow gpu_row(const Product& product, int node, int gpu, int rank) {
  results::GpuRow row;
  row.node = node;
  row.gpu = gpu;
  row.rank = rank;
  row.state = "ok";
  row.name = product.names.front();
  row.uuid = fmt::format("GPU-{:04x}{:04x}", node, gpu);
  row.pci_bus_id = fmt::format("0000:{:02x}:00.0", 0x1b + gpu);
  row.nic = fmt::format("mlx5_{}", gpu);
  row.capability = product.capability;
  row.multiprocessors = product.multiprocessors;
  row.memory_bytes = product.memory_reported.front();
  row.memory_used_bytes = 0;
  row.sm_clock_max_hz = product.boost_hz;
  row.power_limit_watts = row.power_limit_default_watts = row.power_limit_max_watts = product.power_watts;
  row.ecc_enabled = 1;
  row.ecc_corrected = row.ecc_uncorrected = row.ecc_uncorrected_lifetime = row.rows_remapped = row.retired_pages = 0;
  row.remap_pending = row.remap_failed = row.mig_enabled = 0;
  row.pcie_generation = 1;  // idle
  row.pcie_generation_max = product.pcie_generation;
  row.pcie_width = row.pcie_width_max = product.pcie_lanes;
  row.nvlinks = row.nvlinks_active = product.nvlinks;
  row.nvlink_version = product.nvlink_generation;
  row.nvlink_errors = 0;
  row.compute_mode = "default";
  row.virtualization = "none";
  row.driver = "580.00";
  row.foreign_processes = 0;
  return row;
}

}  // namespace

GpuCluster::GpuCluster(const std::string& product, int nodes, int gpus_per_node)
    : product_(*builtin_catalogue().find(product)), nodes_(nodes), per_node_(gpus_per_node) {
  data_ = SyntheticRun(nodes, gpus_per_node).data();
  for (auto& rank : data_.ranks) {
    rank.gpu = rank.local_rank;
    data_.gpus.push_back(gpu_row(product_, rank.node, rank.local_rank, rank.rank));
    results::NicRow nic;
    nic.node = rank.node;
    nic.name = fmt::format("ib{}", rank.local_rank);
    nic.state = "up";
    nic.speed_bits_per_second = nic_rate * 8;
    nic.rdma_device = fmt::format("mlx5_{}", rank.local_rank);
    nic.rdma_state = "ACTIVE";
    nic.link_layer = "InfiniBand";
    data_.nics.push_back(nic);
  }
  if (product_.nvlinks == 0) node_method = "Ring/Simple, P2P/IPC";
  if (product_.nvlink_generation == 3) node_method = "Ring/Simple, P2P/CUMEM";
}

results::GpuRow& GpuCluster::gpu(int node, int gpu) {
  return *std::find_if(data_.gpus.begin(), data_.gpus.end(),
                       [&](const auto& row) { return row.node == node && row.gpu == gpu; });
}

results::NicRow& GpuCluster::nic(int node, int nic) {
  return data_.nics.at(static_cast<std::size_t>(node * per_node_ + nic));
}

void GpuCluster::remove_gpu(int node, int number) {
  const int rank = gpu(node, number).rank;
  std::erase_if(data_.gpus, [&](const auto& row) { return row.node == node && row.gpu == number; });
  data_.ranks[static_cast<std::size_t>(rank)].gpu = -1;
}

std::vector<int> GpuCluster::ranks_on(int node) const {
  std::vector<int> ranks;
  for (const auto& row : data_.ranks) {
    if (row.node == node && row.gpu >= 0) ranks.push_back(row.rank);
  }
  return ranks;
}

void GpuCluster::measure_compute(SyntheticRun& run) const {
  for (const auto& [dtype, peak] : product_.peaks) {
    const double healthy = expect_gemm(product_, dtype).healthy;
    const auto own = compute.find(dtype);
    const auto all = compute.find("");
    for (int node = 0; node < nodes_; ++node) {
      const auto ranks = ranks_on(node);
      std::vector<double> shares;
      for (const int rank : ranks) {
        const double one = own != compute.end() ? at(own->second, rank) : 1;
        shares.push_back(one * (all != compute.end() ? at(all->second, rank) : 1));
      }
      Planted planted{.case_name = "gpu.gemm",
                      .point = "n:8192/dtype:" + dtype + "/gpus:node",
                      .members = ranks,
                      .work_kind = "flops",
                      .value = healthy * static_cast<double>(ranks.size()),
                      .combine = "concurrent",
                      .shares = shares};
      // Data types one after the other, all nodes at the same time.
      const auto number = static_cast<double>(std::distance(product_.peaks.begin(), product_.peaks.find(dtype)));
      planted.seconds = load_seconds / 5 / static_cast<double>(product_.peaks.size());
      planted.start_time = 100 + number * 5 * planted.seconds;
      run.plant(planted);
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        run.plant({.case_name = "gpu.gemm",
                   .point = fmt::format("n:8192/dtype:{}/gpus:{}", dtype, i),
                   .members = {ranks[i]},
                   .work_kind = "flops",
                   .value = healthy * shares[i]});
      }
    }
  }
}

void GpuCluster::measure_memory(SyntheticRun& run) const {
  for (int node = 0; node < nodes_; ++node) {
    const auto ranks = ranks_on(node);
    std::vector<double> shares;
    for (const int rank : ranks) shares.push_back(at(memory, rank));
    run.plant({.case_name = "gpu.memory",
               .point = "op:triad/bytes:1073741824/gpus:node",
               .members = ranks,
               .value = 0.9 * product_.memory_rate * static_cast<double>(ranks.size()),
               .combine = "concurrent",
               .shares = shares});
    double bytes = 0;
    for (const int rank : ranks)
      bytes += 0.97 * at(allocatable, rank) * static_cast<double>(product_.memory_reported.front());
    run.plant({.case_name = "gpu.capacity", .point = "gpus:node", .members = ranks, .work = bytes});
  }
}

void GpuCluster::measure_copies(SyntheticRun& run) const {
  const double healthy = 1.02 * expect_pcie(product_, builtin_catalogue(), Direction::one_way).healthy;
  for (int node = 0; node < nodes_; ++node) {
    const auto ranks = ranks_on(node);
    for (const auto& [way, own] : {std::pair{"to_device", &to_device}, {"to_host", &to_host}}) {
      std::vector<double> shares;
      for (const int rank : ranks) shares.push_back(at_once * at(*own, rank));
      run.plant({.case_name = "gpu.host_copy",
                 .point = fmt::format("way:{}/bytes:67108864/numa:near/gpus:node", way),
                 .members = ranks,
                 .direction = "one_way",
                 .value = healthy * static_cast<double>(ranks.size()),
                 .combine = "concurrent",
                 .shares = shares});
    }
    for (std::size_t i = 0; copies_alone && i < ranks.size(); ++i) {
      const std::string rest = fmt::format("/bytes:268435456/numa:near/gpus:{}", i);
      const double to = at(to_device, ranks[i]);
      const double back = at(to_host, ranks[i]);
      run.plant({.case_name = "gpu.host_copy",
                 .point = "way:to_device" + rest,
                 .members = {ranks[i]},
                 .direction = "one_way",
                 .value = healthy * to});
      run.plant({.case_name = "gpu.host_copy",
                 .point = "way:to_host" + rest,
                 .members = {ranks[i]},
                 .direction = "one_way",
                 .value = healthy * back});
    }
  }
}

double GpuCluster::peer_share(int a, int b) const {
  const auto own = pair.find({a, b});
  return std::min(at(links, a), at(links, b)) * (own == pair.end() ? 1 : own->second);
}

void GpuCluster::measure_peers(SyntheticRun& run) const {
  const double rate = product_.nvlinks > 0 ? 0.86 * product_.nvlink_rate : 20e9;
  for (int round = 0; round < tournament_rounds(per_node_); ++round) {
    for (const auto& members : tournament_round(per_node_, round)) {
      for (int node = 0; node < nodes_; ++node) {
        const int a = std::min(members[0], members[1]) + node * per_node_;
        const int b = std::max(members[0], members[1]) + node * per_node_;
        if (data_.ranks[static_cast<std::size_t>(a)].gpu < 0 || data_.ranks[static_cast<std::size_t>(b)].gpu < 0)
          continue;
        for (const std::string from : {"lower", "upper"}) {
          run.plant(
              {.case_name = "gpu.peer_copy",
               .point = fmt::format("by:copy_engine/op:write/way:one/bytes:268435456/from:{}/round:{}", from, round),
               .members = {a, b},
               .direction = "one_way",
               .value = rate * peer_share(a, b)});
        }
      }
    }
  }
}

double GpuCluster::node_bus() const {
  if (product_.nvlinks == 0) return 19e9;
  return product_.nvlink_generation >= 4 ? 1.06 * product_.nvlink_rate : 0.77 * product_.nvlink_rate;
}

double GpuCluster::all_bus() const { return std::min(node_bus(), 0.92 * nic_rate * per_node_); }

void GpuCluster::measure_collectives(SyntheticRun& run) const {
  const std::string point = fmt::format("bytes:{:.0f}/dtype:f32/algo:free/place:out/ranks:", payload);
  std::vector<int> everyone;
  for (int node = 0; node < nodes_; ++node) {
    const auto ranks = ranks_on(node);
    everyone.insert(everyone.end(), ranks.begin(), ranks.end());
    double slowest = at(node_all_reduce, node);
    run.plant({.case_name = "nccl.all_reduce",
               .point = point + "node",
               .members = ranks,
               .bus_factor = 1.75,
               .value = node_bus() * slowest,
               .method = node_method});
  }
  double worst = 1;
  for (const int rank : everyone) worst = std::min(worst, at(nics, rank));
  worst *= all_reduce_all;
  run.plant({.case_name = "nccl.all_reduce",
             .point = point + "all",
             .members = everyone,
             .bus_factor = 1.9,
             .value = (nodes_ == 1 ? node_bus() : all_bus()) * worst,
             .method = nodes_ == 1 ? node_method : all_method});
  for (int rail = 0; nodes_ > 1 && rail < per_node_; ++rail) {
    std::vector<int> members;
    double share = 1;
    for (int node = 0; node < nodes_; ++node) {
      const int rank = node * per_node_ + rail;
      if (data_.ranks[static_cast<std::size_t>(rank)].gpu < 0) continue;
      members.push_back(rank);
      share = std::min(share, at(nics, rank));
    }
    run.plant({.case_name = "nccl.all_reduce",
               .point = point + "rail",
               .members = members,
               .bus_factor = 1.5,
               .value = 0.92 * nic_rate * share,
               .method = all_method});
  }
  measure_pairs(run);
}

void GpuCluster::measure_pairs(SyntheticRun& run) const {
  for (int round = 0; round < tournament_rounds(nodes_); ++round) {
    for (const auto& nodes : tournament_round(nodes_, round)) {
      std::vector<int> members = ranks_on(nodes[0]);
      const auto others = ranks_on(nodes[1]);
      members.insert(members.end(), others.begin(), others.end());
      std::sort(members.begin(), members.end());
      std::vector<double> shares;
      for (const int rank : members) {
        const int other_node = rank / per_node_ == nodes[0] ? nodes[1] : nodes[0];
        shares.push_back(std::min(at(nics, rank), at(nics, other_node * per_node_ + rank % per_node_)));
      }
      run.plant({.case_name = "nccl.pairs",
                 .point = fmt::format("bytes:67108864/level:node/round:{}", round),
                 .members = members,
                 .direction = "both_ways",
                 .value = 0.9 * nic_rate * static_cast<double>(members.size()),
                 .method = all_method,
                 .shares = shares});
    }
  }
}

void GpuCluster::record_telemetry(RunData& data) const {
  for (const auto& row : data.gpus) {
    const auto found = load.find(row.rank);
    const Load busy = found == load.end() ? Load{} : found->second;
    auto& moments = data.gpu_moments[{row.node, row.gpu}];
    for (double time = 0; time < 100 + load_seconds; time += 0.5) {
      const bool idle = time < 100;
      GpuMoment moment{.time = time};
      moment.sm_clock = idle ? 210e6 : busy.clock_share * std::min(product_.boost_hz, product_.tensor_boost_hz);
      moment.power = idle ? 70 : busy.power_share * row.power_limit_watts;
      moment.temperature = idle ? 35 : 65;
      moment.clock_event_reasons = idle ? 1 : busy.reasons;
      moment.pcie_generation = idle ? 1 : row.pcie_generation_max;
      moment.pcie_width = row.pcie_width;
      moment.ecc_uncorrected = static_cast<double>(row.ecc_uncorrected);
      moments.push_back(moment);
    }
  }
}

RunData GpuCluster::run() {
  SyntheticRun synthetic(nodes_, per_node_);
  synthetic.data() = data_;
  measure_compute(synthetic);
  measure_memory(synthetic);
  measure_copies(synthetic);
  measure_peers(synthetic);
  if (per_node_ > 1) measure_collectives(synthetic);
  if (telemetry) record_telemetry(synthetic.data());
  return synthetic.data();
}

std::string GpuCluster::offer() const {
  constexpr std::pair<const char*, const char*> types[] = {{"fp64", "f64"},  {"fp32", "f32"}, {"tf32", "tf32"},
                                                           {"bf16", "bf16"}, {"fp16", "f16"}, {"fp8", "f8"},
                                                           {"int8", "i8"}};
  std::string text = fmt::format("[cluster]\nnodes = {}\n[gpu]\nmodel = \"{}\"\ncount = {}\nmemory = \"{} GiB\"\n",
                                 nodes_, product_.id, per_node_, product_.memory_bytes >> 30);
  for (const auto& [name, dtype] : types) {
    if (product_.peaks.contains(dtype))
      text += fmt::format("gemm_{} = \"{} TFLOP/s\"\n", name, product_.peak(dtype) / 1e12);
  }
  text += fmt::format("memory_bandwidth = \"{} GB/s\"\n", product_.memory_rate / 1e9);
  text += fmt::format("pcie_bandwidth = {{ value = \"{} GB/s\", direction = \"one_way\" }}\n",
                      builtin_catalogue().pcie_rate(product_.pcie_generation, product_.pcie_lanes) / 1e9);
  if (product_.nvlinks > 0 && per_node_ > 1) {
    text += fmt::format("nvlink_bandwidth = {{ value = \"{} GB/s\", direction = \"one_way\" }}\n",
                        product_.nvlink_rate / 1e9);
  }
  text += "not_held_back = \"60 s\"\nhealthy = true\n[interconnect]\n";
  if (per_node_ > 1)
    text += fmt::format("all_reduce_node = {{ busbw = \"{} GB/s\", from = \"1 GiB\" }}\n", node_bus() / 1e9);
  if (nodes_ > 1) {
    text += fmt::format(
        "transport = \"ib\"\ngpu_direct = true\nnics = {{ count = {}, rate = \"400 Gbit/s\" }}\n"
        "all_reduce_all = {{ busbw = \"{} GB/s\", from = \"1 GiB\" }}\n",
        per_node_, all_bus() / 1e9);
  }
  return text + "[scaling]\ngpu_efficiency = 0.95\n";
}

std::vector<std::string> not_passed(const Judgement& judgement) {
  std::vector<std::string> keys;
  for (const Verdict& verdict : judgement.verdicts) {
    if (verdict.outcome != Outcome::pass) keys.push_back(verdict.clause.key);
  }
  return keys;
}

const Verdict& verdict_of(const Judgement& judgement, const std::string& key) {
  const auto at = std::find_if(judgement.verdicts.begin(), judgement.verdicts.end(),
                               [&](const Verdict& verdict) { return verdict.clause.key == key; });
  if (at == judgement.verdicts.end()) throw std::logic_error("the offer has no " + key);
  return *at;
}

}  // namespace assay::test
