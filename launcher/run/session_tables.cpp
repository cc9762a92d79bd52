// What a run finds out about its nodes, GPUs and ranks before it measures, and how that is kept.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "core/error.hpp"
#include "inventory/collect.hpp"
#include "inventory/kernel_log.hpp"
#include "launcher/inventory_rows.hpp"
#include "launcher/run/clock_offset.hpp"
#include "launcher/run/row_transport.hpp"
#include "launcher/run/session.hpp"

namespace assay {

namespace {

std::string words_of(const XidFacts& xid) {
  const auto meaning = xid_meaning(xid.code);
  return fmt::format("Xid {}{}{} on {}", xid.code, meaning.empty() ? "" : ", ", meaning, xid.pci_bus_id);
}

/// What a node has to say about its GPUs beyond the tables.
std::vector<Finding> notes_of(const NodeFacts& facts) {
  std::vector<Finding> notes;
  if (facts.gpus.empty()) return notes;
  if (!facts.xids.known()) notes.push_back({"info", "NOT_RUN: errors (Xid) in the kernel's log: " + facts.xids.why()});
  for (const XidFacts& xid : facts.xids.value_or({}))
    notes.push_back({"warning", fmt::format("{}, {:.0f} minutes before the run", words_of(xid), xid.age / 60)});
  if (!facts.gpu_driver.driver.known())
    notes.push_back({"info", "NOT_RUN: state of GPUs: " + facts.gpu_driver.driver.why()});
  return notes;
}

template <class Row>
std::vector<Row> only(bool leader, std::vector<Row> rows) {
  return leader ? std::move(rows) : std::vector<Row>{};
}

}  // namespace

void Session::look_at_node() {
  CollectOptions wanted;
  if (!options_.path.empty()) wanted.paths.push_back(options_.path.string());
  wanted.software.push_back({"mpi", mpi_.library_version(), ""});
  facts_ = collect_node(machine_, wanted);
  const std::string host = facts_.host.value_or("unknown");
  const std::string boot = machine_.read("/proc/sys/kernel/random/boot_id").value_or("");
  placement_ = place_ranks(mpi_.world(), host, host + "/" + boot, facts_.cpu.grant.granted.value_or({}));
  double began = start_;
  broadcast_value(mpi_.world(), began);
  origin_ = began - clock_offset(mpi_.world(), boot);
}

void Session::look_at_gpus() {
  if (placement_.local_rank != 0) return;
  gpu_library_ = open_gpu_library();
  add_gpus(machine_, gpu_library_, facts_);
}

void Session::place_on_gpus() {
  Group& world = mpi_.world();
  try {
    gpu_ = place_gpus(world, placement_, gpus_, options_, facts_.gpus, facts_.cpu.grant.bound.value_or({}));
  } catch (const Error& error) {
    fail_alike(error);
  }
  if (placement_.local_rank == 0 && !gpu_.nccl_problem.empty())
    fmt::print(stderr, "assay: {}: {}; cases that need it are left out\n", facts_.host.value_or("this host"),
               gpu_.nccl_problem);
  if (placement_.local_rank == 0) add_unlisted(machine_, gpu_.unlisted, facts_);
  const bool modelled = facts_.emulated || (gpus_.backend() != nullptr && gpus_.backend()->emulated());
  emulated_ = max_over(world, modelled ? 1.0 : 0.0) > 0;
}

std::vector<results::SoftwareRow> Session::own_software() const {
  std::vector<results::SoftwareRow> rows = software_rows(facts_, placement_.node);
  rows.insert(rows.end(), software_.begin(), software_.end());
  if (gpus_.loaded()) rows.push_back({placement_.node, "cuda.plugin", gpus_.built(), "built into libassay_cuda.so"});
  if (gpus_.backend() != nullptr)
    for (const auto& part : gpus_.backend()->parts())
      rows.push_back({placement_.node, part.name, part.version.empty() ? "absent" : part.version, part.detail});
  return rows;
}

void Session::write_tables() {
  Group& world = mpi_.world();
  const bool leader = placement_.local_rank == 0;
  const std::int32_t node = placement_.node;
  const auto nodes = gather_rows(world, only(leader, std::vector{node_row(facts_, node)}));
  const auto nics = gather_rows(world, only(leader, nic_rows(facts_, node)));
  const auto disks = gather_rows(world, only(leader, disk_rows(facts_, node)));
  const auto programs = gather_rows(world, only(leader, own_software()));
  on_root([&] {
    writer_->append(nodes);
    writer_->append(nics);
    writer_->append(disks);
    writer_->append(programs);
  });
}

results::RankRow Session::own_rank() const {
  results::RankRow row;
  row.rank = mpi_.world().rank();
  row.node = placement_.node;
  row.local_rank = placement_.local_rank;
  row.pid = getpid();
  row.gpu = placement_.layout.gpu_of[static_cast<std::size_t>(row.rank)];
  row.nic = gpu_.nic;
  row.bound_cpus = format_ranks(facts_.cpu.grant.bound.value_or({}));
  row.share_cpus = format_ranks(placement_.share);
  return row;
}

std::vector<results::GpuRow> Session::gather_gpus(const std::vector<results::RankRow>& ranks) {
  Group& world = mpi_.world();
  std::vector<std::int64_t> own;
  for (const std::string& text : all_gather_texts(*placement_.on_node, std::to_string(getpid())))
    own.push_back(std::stoll(text));
  std::vector<Fact<std::int64_t>> foreign;
  for (const GpuFacts& gpu : facts_.gpus) foreign.push_back(foreign_processes(machine_, gpu, own));
  auto gpus = gather_rows(world, only(placement_.local_rank == 0, gpu_rows(facts_, placement_.node, foreign)));
  const int mine = gpu_.device == nullptr ? -1 : gpu_.device->identity().multiprocessors;
  const auto multiprocessors = gather_values<int>(world, std::span<const int>(&mine, 1));
  for (results::GpuRow& gpu : gpus) {
    const auto user = std::find_if(ranks.begin(), ranks.end(),
                                   [&](const auto& one) { return one.node == gpu.node && one.gpu == gpu.gpu; });
    if (user == ranks.end()) continue;
    gpu.rank = user->rank;
    gpu.multiprocessors = multiprocessors[static_cast<std::size_t>(user->rank)].front();
  }
  return gpus;
}

void Session::write_gpu_tables() {
  Group& world = mpi_.world();
  const bool leader = placement_.local_rank == 0;
  const auto ranks = gather_rows<results::RankRow>(world, {own_rank()});
  const auto gpus = gather_gpus(ranks);
  const auto links = gather_rows(world, only(leader, nvlink_rows(facts_, placement_.node)));
  const auto distances = gather_rows(world, only(leader, distance_rows(facts_, placement_.node)));
  const auto why_not = gather_texts(world, gpu_.why_not);
  const std::vector<Finding> notes = gather_notes();
  on_root([&] {
    const PlacementFacts facts{placement_.layout, ranks, gpus, why_not};
    placement_table_ = placement_table(facts);
    if (options_.gpu != GpuUse::off) findings_ = placement_findings(facts);
    findings_.insert(findings_.end(), notes.begin(), notes.end());
    writer_->append(ranks);
    writer_->append(gpus);
    writer_->append(links);
    writer_->append(distances);
    std::vector<results::EventRow> events;
    for (const Finding& finding : findings_) events.push_back({0, finding.severity, -1, -1, finding.text});
    writer_->append(events);
  });
}

std::vector<Finding> Session::gather_notes() {
  nlohmann::json mine = nlohmann::json::array();
  if (placement_.local_rank == 0)
    for (const Finding& note : notes_of(facts_)) mine.push_back({note.severity, note.text});
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  const auto texts = gather_texts(mpi_.world(), mine.dump(-1, ' ', false, replace));
  std::vector<std::vector<Finding>> notes(static_cast<std::size_t>(placement_.layout.nodes()));
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const auto node = static_cast<std::size_t>(placement_.layout.node_of[rank]);
    for (const auto& note : nlohmann::json::parse(texts[rank])) notes[node].push_back({note.at(0), note.at(1)});
  }
  return grouped_notes(placement_.layout, notes);
}

std::unique_ptr<TelemetrySource> Session::telemetry_source() const {
  if (placement_.local_rank != 0) return nullptr;
  const Layout& layout = placement_.layout;
  const std::vector<int> ranks = layout.ranks_on(placement_.node);
  const bool used = std::any_of(ranks.begin(), ranks.end(), [&](int rank) { return layout.has_gpu(rank); });
  return node_telemetry(machine_, used ? gpu_library_ : GpuLibrary{}, facts_);
}

void Session::report_new_xids() {
  std::vector<results::EventRow> events;
  const double now = monotonic_seconds() - origin_;
  if (placement_.local_rank == 0 && !facts_.gpus.empty()) {
    for (const XidFacts& xid : read_xids(machine_).value_or({}))
      if (xid.age < now)
        events.push_back({now - xid.age, "error", -1, mpi_.world().rank(),
                          fmt::format("{}: {}", facts_.host.value_or("unknown"), words_of(xid))});
  }
  events = gather_rows(mpi_.world(), events);
  on_root([&] { writer_->append(events); });
}

}  // namespace assay
