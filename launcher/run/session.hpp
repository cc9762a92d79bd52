#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/mpi/mpi_session.hpp"
#include "inventory/facts.hpp"
#include "inventory/gpus.hpp"
#include "inventory/system_root.hpp"
#include "inventory/usage.hpp"
#include "launcher/command.hpp"
#include "launcher/run/gpu_placement.hpp"
#include "launcher/run/gpu_plugin.hpp"
#include "launcher/run/harness.hpp"
#include "launcher/run/placement.hpp"
#include "launcher/run/placement_report.hpp"
#include "launcher/run/plan.hpp"
#include "launcher/run/progress.hpp"
#include "launcher/run/signals.hpp"
#include "launcher/watch/watchdog.hpp"
#include "results/writer.hpp"

namespace assay {

/// One run from MPI start to the closed result file, on every rank.
class Session {
 public:
  /// `options` are validated.
  Session(MpiSession& mpi, const Invocation& invocation, RunOptions options, GpuPlugin gpus, bool quiet);
  ~Session();

  /// Measures everything planned. ok, or incomplete when a signal asked to stop.
  [[nodiscard]] ExitCode run();

  /// Called once the watchdog has taken over from whoever watched the start.
  void when_watched(std::function<void()> tell) { watched_ = std::move(tell); }

  /// After run() has thrown: every rank threw the same Error, so that all can leave in peace.
  [[nodiscard]] bool failed_alike() const { return failed_alike_; }
  /// "rank 3 on node2"
  [[nodiscard]] std::string place() const;
  /// Closes the result file, when there is one, with the reason why the run ends here.
  void emergency(const std::string& reason);

 private:
  [[noreturn]] void fail_alike(const Error& error);
  void agree_on_options();
  void look_at_node();
  void look_at_gpus();
  void place_on_gpus();
  void plan_measurements();
  void start_watchdog();
  void make_settings();
  void open_result();
  void write_tables();
  void write_gpu_tables();
  [[nodiscard]] results::RankRow own_rank() const;
  /// On rank 0, with the ranks that work on them; collective.
  [[nodiscard]] std::vector<results::GpuRow> gather_gpus(const std::vector<results::RankRow>& ranks);
  /// On the first rank of each node; GPUs are read only where ranks work on some.
  [[nodiscard]] std::unique_ptr<TelemetrySource> telemetry_source() const;
  /// What nodes say of themselves, on rank 0; collective.
  [[nodiscard]] std::vector<Finding> gather_notes();
  [[nodiscard]] std::vector<results::SoftwareRow> own_software() const;
  /// Errors that the driver has logged since the run began become events; collective.
  void report_new_xids();
  [[nodiscard]] bool measure();
  void finish(bool complete);

  [[nodiscard]] results::RunInfo run_info() const;
  void print_plan() const;
  void print_summary(bool complete) const;
  /// Runs `step` on rank 0 and throws its Error on all ranks, so that none waits for the others.
  void on_root(const std::function<void()>& step);
  [[nodiscard]] bool root() const { return mpi_.world().rank() == 0; }

  MpiSession& mpi_;
  const Invocation& invocation_;
  RunOptions options_;
  bool quiet_;
  StopSignals signals_;
  MonotonicClock clock_;
  double start_;  ///< monotonic seconds
  std::time_t start_unix_;
  SystemRoot machine_ = machine_with_overlay(options_.machine_overlay);
  UsageProbe usage_{machine_};
  NodeFacts facts_;
  Placement placement_;
  GpuPlugin gpus_;
  GpuLibrary gpu_library_;  ///< on the first rank of each node
  GpuPlacement gpu_;
  double origin_ = 0;                         ///< when rank 0 began, on this host's clock; monotonic seconds
  bool emulated_ = false;                     ///< any rank sees modelled hardware
  std::vector<std::string> placement_table_;  ///< on rank 0
  std::vector<Finding> findings_;             ///< on rank 0
  Plan plan_;
  std::map<std::string, std::string> settings_;
  std::vector<results::SoftwareRow> software_;
  PhaseBoard board_{clock_};
  std::optional<results::Writer> writer_;
  std::atomic<results::Writer*> watched_writer_{nullptr};  ///< for the watchdog: set once the file is there
  std::function<void()> watched_;
  bool failed_alike_ = false;
  double measured_share_ = 0;
  int failed_series_ = 0;
  std::unique_ptr<Watchdog> watchdog_;  ///< last: ends before all that it looks at
};

}  // namespace assay
