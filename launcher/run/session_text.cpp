// What a run tells a person at its start and end, and what it records about itself.

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "core/random.hpp"
#include "launcher/build_info.hpp"
#include "launcher/inventory_gpu_table.hpp"
#include "launcher/run/say.hpp"
#include "launcher/run/session.hpp"

namespace assay {

namespace {

// What changes results and holds no secrets.
constexpr std::array recorded_environment{
    "OMPI_MCA_btl",         "OMPI_MCA_pml",       "OMPI_MCA_coll", "UCX_TLS",           "UCX_NET_DEVICES",
    "OMP_NUM_THREADS",      "OMP_PROC_BIND",      "OMP_PLACES",    "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS",
    "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",  "SLURM_JOB_ID",  "SLURM_NNODES",      "SLURM_NTASKS",
    "SLURM_CPUS_PER_TASK",  "SLURM_JOB_PARTITION"};

std::string allowed_environment() {
  std::string lines;
  for (const char* name : recorded_environment)
    if (const char* value = std::getenv(name); value != nullptr) lines += fmt::format("{}={}\n", name, value);
  return lines;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string utc_text(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

}  // namespace

results::RunInfo Session::run_info() const {
  results::RunInfo info;
  info.start_unix_time = static_cast<double>(start_unix_);
  info.start_utc = utc_text(start_unix_);
  info.command = joined(invocation_.arguments);
  info.suite = to_string(options_.suite);
  info.filter = options_.filter;
  info.seed = options_.seed;
  info.budget_seconds = options_.effective_budget().value;
  info.predicted_seconds = plan_.predicted.value;
  info.target_relative_width = options_.precision;
  info.epochs = plan_.epochs;
  info.ranks = placement_.layout.ranks();
  info.nodes = placement_.layout.nodes();
  info.assay_version = build_info().version;
  info.git_sha = build_info().git_sha;
  info.mpi_library = mpi_.library_version();
  info.options_hash = fmt::format("{:016x}", hash_text(options_.canonical()));
  info.path = options_.path.string();
  info.environment = allowed_environment();
  info.emulated = emulated_;
  info.status = "running";
  return info;
}

void Session::print_plan() const {
  const Layout& layout = placement_.layout;
  if (emulated_) say("{}\n", emulated_notice);
  say("assay {}: {} ranks on {} node{}, suite {}, result {}\n", build_info().version, layout.ranks(), layout.nodes(),
      layout.nodes() == 1 ? "" : "s", to_string(options_.suite), writer_->path().string());
  for (int node = 0; node < layout.nodes(); ++node) {
    const auto index = static_cast<std::size_t>(node);
    const auto ranks = static_cast<int>(layout.ranks_on(node).size());
    say("  {}: {} ranks, {} CPUs granted{}\n", layout.node_names[index], ranks, layout.cpus_granted[index],
        ranks > layout.cpus_granted[index] ? " (more ranks than CPUs: MPI figures show time-sharing)" : "");
  }
  for (const std::string& line : placement_table_) say("  {}\n", line);
  for (const Finding& finding : findings_) say("  {}: {}\n", finding.severity, finding.text);
  for (const results::SoftwareRow& row : software_) say("  {}: {}\n", row.name, row.detail);
  for (const NotApplicable& item : plan_.left_out) say("  not measured: {}: {}\n", item.name, item.reason);
  say("{} points x {} epochs, at most {} each; predicted time {} (deadline of a phase: {})\n", plan_.points.size(),
      plan_.epochs, to_string(plan_.per_series), format_remaining(plan_.predicted), to_string(plan_.deadline));
}

void Session::print_summary(bool complete) const {
  const std::string path = writer_->path().string();
  say("{} after {}; {:.0f} % of the time spent measuring or warming up", complete ? "done" : "stopped",
      format_remaining(Seconds(monotonic_seconds() - start_)), 100 * measured_share_);
  if (failed_series_ > 0) say("; {} series not ok (`assay show` tells why)", failed_series_);
  say("\nresult: {}\nnext:   assay show {}\n        assay judge {} --offer OFFER.toml\n", path, path, path);
}

}  // namespace assay
