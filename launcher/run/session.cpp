#include "launcher/run/session.hpp"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <random>

#include "core/error.hpp"
#include "core/random.hpp"
#include "kernels/host/blas_trial.hpp"
#include "launcher/build_info.hpp"

namespace assay {

namespace {

// Start-up and closing move little data; on a healthy cluster they take seconds.
constexpr Seconds start_up_deadline{120};
constexpr Seconds closing_deadline{600};
constexpr Seconds connect_timeout{20};
constexpr Seconds emergency_patience{2};

std::uint64_t random_word() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

Session::Session(MpiSession& mpi, const Invocation& invocation, RunOptions options, GpuPlugin gpus, bool quiet)
    : mpi_(mpi),
      invocation_(invocation),
      options_(std::move(options)),
      quiet_(quiet),
      start_(monotonic_seconds()),
      start_unix_(std::time(nullptr)),
      gpus_(std::move(gpus)) {}

Session::~Session() = default;

ExitCode Session::run() {
  agree_on_options();
  look_at_node();
  look_at_gpus();
  place_on_gpus();
  plan_measurements();
  start_watchdog();
  make_settings();
  open_result();
  if (root()) print_plan();
  const bool complete = measure();
  finish(complete);
  return complete ? ExitCode::ok : ExitCode::incomplete;
}

void Session::fail_alike(const Error& error) {
  failed_alike_ = true;
  throw error;
}

void Session::on_root(const std::function<void()>& step) {
  struct Outcome {
    bool failed = false;
    ExitCode code = ExitCode::ok;
  } outcome;
  std::string message;
  std::string hint;
  if (root()) {
    try {
      step();
    } catch (const Error& error) {
      outcome = {true, error.code()};
      message = error.what();
      hint = error.hint();
    }
  }
  broadcast_value(mpi_.world(), outcome);
  if (!outcome.failed) return;
  message = broadcast_text(mpi_.world(), message);
  fail_alike(Error(outcome.code, message, broadcast_text(mpi_.world(), hint)));
}

std::string Session::place() const {
  return fmt::format("rank {} on {}", mpi_.world().rank(), facts_.host.value_or("this host"));
}

void Session::agree_on_options() {
  const BuildInfo& build = build_info();
  const std::string mine = fmt::format("version={} git={} {}", build.version, build.git_sha, options_.canonical());
  const std::vector<std::string> all = all_gather_texts(mpi_.world(), mine);
  std::vector<int> others;
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank] != all[0]) others.push_back(static_cast<int>(rank));
  if (others.empty()) return;
  const int first = others.front();
  fail_alike(bad_input(fmt::format("ranks {} were started with other options or another version than rank 0\n"
                                   "  rank 0: {}\n  rank {}: {}",
                                   format_ranks(others), all[0], first, all[static_cast<std::size_t>(first)]),
                       "start all ranks with the same command line and the same binary"));
}

void Session::plan_measurements() {
  on_root([&] { plan_ = make_plan(builtin_cases(), options_, placement_.layout); });
  const std::string points = broadcast_text(mpi_.world(), points_text(plan_));
  std::array<Seconds, 4> times{plan_.per_series, plan_.predicted, plan_.deadline, plan_.set_up_deadline};
  broadcast_value(mpi_.world(), times);
  plan_.points = parse_points(points, builtin_cases(), placement_.layout);
  plan_.epochs = options_.epochs;
  plan_.per_series = times[0];
  plan_.predicted = times[1];
  plan_.deadline = times[2];
  plan_.set_up_deadline = times[3];
}

void Session::start_watchdog() {
  Group& world = mpi_.world();
  board_.begin_series(0, "start-up", 0);
  board_.enter(PhaseKind::set_up, start_up_deadline);
  std::unique_ptr<BeatServer> server;
  std::unique_ptr<BeatClient> client;
  on_root([&] {
    if (world.size() > 1) server = std::make_unique<BeatServer>(random_word());
  });
  if (world.size() > 1) {
    const std::string address = broadcast_text(world, server ? server->address().text() : "");
    const bool same_host = placement_.node == placement_.layout.node_of[0];
    std::string problem;
    try {
      if (!root()) client = std::make_unique<BeatClient>(BeatAddress::parse(address), same_host, connect_timeout);
    } catch (const Error& error) {
      problem = fmt::format("{}: {} ({})", place(), error.what(), error.hint());
    }
    for (const std::string& text : all_gather_texts(world, problem))
      if (!text.empty()) fail_alike(environment_error(text));
  }
  WatchdogSetup setup;
  setup.rank = world.rank();
  setup.size = world.size();
  setup.host = facts_.host.value_or("unknown");
  setup.deadline = plan_.deadline;
  setup.stop_signal = [this] { return signals_.received(); };
  setup.emergency = [this](const std::string& reason) { emergency(reason); };
  watchdog_ = std::make_unique<Watchdog>(board_, std::move(setup), std::move(server), std::move(client));
  if (watched_) watched_();
}

void Session::make_settings() {
  if (!plan_.needs_blas()) return;
  std::string text;
  std::string problem;
  if (placement_.local_rank == 0) {
    try {
      const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
      const BlasChoice choice = choose_blas_kernel({program, "blas-trial"}, blas_candidates());
      text = choice.kernel;
      software_.push_back(
          {placement_.node, "blas.kernel", choice.kernel.empty() ? "default" : choice.kernel, choice.summary()});
    } catch (const Error& error) {
      problem = fmt::format("{}: {} ({})", place(), error.what(), error.hint());
    }
  }
  for (const std::string& one : all_gather_texts(mpi_.world(), problem))
    if (!one.empty()) fail_alike(environment_error(one, "leave out the cases that need BLAS with --filter"));
  settings_["blas.kernel"] = broadcast_text(*placement_.on_node, text);
}

void Session::open_result() {
  const std::string run_id = broadcast_text(mpi_.world(), fmt::format("{:016x}", random_word()));
  on_root([&] {
    results::RunInfo info = run_info();
    info.run_id = run_id;
    const auto out = options_.out.empty() ? default_result_name(start_unix_) : options_.out;
    writer_.emplace(results::Writer::create(out, info, options_.force));
    watched_writer_ = &*writer_;
  });
  write_tables();
  write_gpu_tables();
}

bool Session::measure() {
  Group& world = mpi_.world();
  NodeProbe probe(world, placement_, usage_);
  RunTelemetry telemetry(world, placement_, telemetry_source(), origin_, writer_ ? &*writer_ : nullptr);
  Recorder recorder(world, writer_ ? &*writer_ : nullptr, options_.keep_bytes, options_.seed);
  std::optional<Progress> progress;
  if (root()) progress.emplace(plan_, prints_to_terminal(launched_rank().launched), quiet_);
  const double begin = monotonic_seconds();
  Harness harness({world, placement_, options_, settings_, board_, probe, telemetry, recorder, gpu_.device.get(),
                   [this] { return signals_.received() != 0; }, start_,
                   [&](const PlannedPoint& planned, int epoch, const std::vector<Recorded>& recorded) {
                     if (progress)
                       progress->series_done(planned, epoch, recorded, Seconds(monotonic_seconds() - begin));
                   }});
  bool complete = true;
  for (int epoch = 0; complete && epoch < plan_.epochs; ++epoch) {
    complete = harness.run_epoch(plan_, epoch);
    std::array<double, 2> slowest{monotonic_seconds() - begin, harness.measuring_seconds()};
    world.max_in_place(slowest);
    plan_.adapt(epoch + 1, Seconds(slowest[0]), Seconds(slowest[1]), options_.effective_budget());
    measured_share_ = slowest[1] / slowest[0];
  }
  if (complete) {
    telemetry.finish();
    report_new_xids();
  }
  failed_series_ = progress ? progress->failed() : 0;
  return complete;
}

void Session::finish(bool complete) {
  board_.begin_series(board_.read().series + 1, "closing the result file", 0);
  board_.enter(PhaseKind::finish, closing_deadline);
  const int signal = signals_.received();
  on_root([&] {
    const std::string reason = complete ? "" : fmt::format("stopped by signal {}", signal == 0 ? SIGTERM : signal);
    // A signal leaves about a second: the plain file is complete, compressing it can be left out. The watchdog keeps
    // sight of the writer: when its patience ends meanwhile, it waits for this close instead of cutting it short.
    if (complete)
      writer_->finish("done", reason);
    else
      writer_->try_finish("stopped", reason, {monotonic_seconds() - start_, "warning", -1, 0, reason},
                          emergency_patience);
  });
  if (root()) print_summary(complete);
  watchdog_.reset();
}

void Session::emergency(const std::string& reason) {
  fmt::print(stderr, "assay: stopped early: {}\n", reason);
  results::Writer* writer = watched_writer_.exchange(nullptr);
  if (writer == nullptr) return;
  const results::EventRow event{monotonic_seconds() - start_, "error", -1, mpi_.world().rank(), reason};
  (void)writer->try_finish("stopped", reason, event, emergency_patience);
  fmt::print(stderr, "  {} keeps every series that was reported as done\n", writer->path().string());
}

}  // namespace assay
