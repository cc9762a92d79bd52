#include "launcher/run/harness.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/error.hpp"
#include "core/random.hpp"

namespace assay {

namespace {

int own_set_of(const RankSets& sets, int rank) {
  for (std::size_t i = 0; i < sets.size(); ++i)
    if (std::find(sets[i].begin(), sets[i].end(), rank) != sets[i].end()) return static_cast<int>(i);
  return -1;
}

bool oversubscribes(const RankSets& sets, const Layout& layout) {
  std::vector<int> working(static_cast<std::size_t>(layout.nodes()), 0);
  for (const auto& set : sets)
    for (const int rank : set) ++working[static_cast<std::size_t>(layout.node_of[static_cast<std::size_t>(rank)])];
  for (std::size_t node = 0; node < working.size(); ++node)
    if (working[node] > layout.cpus_granted[node]) return true;
  return false;
}

// Every flag that ranks must agree on is given, since each could also come from the environment, differently per rank
// (google-benchmark reads BENCHMARK_* variables; the command line wins).
void initialise_library() {
  static bool done = false;
  if (done) return;
  done = true;
  std::array<const char*, 9> flags{"assay",
                                   "--benchmark_filter=.",
                                   "--benchmark_repetitions=1",
                                   "--benchmark_min_time=0.001",
                                   "--benchmark_min_warmup_time=0",
                                   "--benchmark_enable_random_interleaving=false",
                                   "--benchmark_report_aggregates_only=false",
                                   "--benchmark_out=",
                                   "--benchmark_perf_counters="};
  std::array<char*, flags.size()> arguments{};
  std::array<std::string, flags.size()> texts;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    texts[i] = flags[i];
    arguments[i] = texts[i].data();
  }
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
}

}  // namespace

struct Harness::Pending {
  const PlannedPoint* planned = nullptr;
  int epoch = 0;
  std::uint64_t number = 0;
  std::optional<Sampled> sampled;
  Surroundings around;
};

/// Sits in the display slot: takes what the body measured when the library reports the run, on every rank alike.
class Harness::Reporter final : public benchmark::BenchmarkReporter {
 public:
  explicit Reporter(Harness& harness) : harness_(harness) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {
    if (pending.planned != nullptr) harness_.record(std::exchange(pending, {}));
  }
  Pending pending;

 private:
  Harness& harness_;
};

Harness::Harness(HarnessSetup setup) : setup_(std::move(setup)) { initialise_library(); }

Harness::~Harness() = default;

bool Harness::run_epoch(const Plan& plan, int epoch) {
  benchmark::ClearRegisteredBenchmarks();
  Reporter reporter(*this);
  for (const std::size_t index : plan.order(epoch, setup_.options.seed)) {
    const PlannedPoint& planned = plan.points[index];
    const auto body = [this, &plan, &planned, &reporter, epoch](benchmark::State& state) {
      std::uint64_t iterations = 1;
      double seconds = 0;
      if (stopped_) {
        state.SkipWithError("stopped");
      } else {
        reporter.pending = measure(plan, planned, epoch);
        if (const auto& sampled = reporter.pending.sampled; sampled && !sampled->seconds.empty()) {
          iterations = sampled->seconds.size();
          seconds = sampled->measured_seconds;
        }
      }
      while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(iterations))) {
      }
      state.SetIterationTime(seconds);
    };
    const std::string name = series_name(*planned.info, planned.point);
    benchmark::RegisterBenchmark(name.c_str(), body)->Iterations(1)->UseManualTime();
  }
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return !stopped_;
}

Harness::Pending Harness::measure(const Plan& plan, const PlannedPoint& planned, int epoch) {
  Group& world = setup_.world;
  Pending pending{&planned, epoch, ++series_, std::nullopt, {}};
  const int own_set = own_set_of(planned.sets, world.rank());
  setup_.board.begin_series(pending.number,
                            fmt::format("{}, epoch {}", series_name(*planned.info, planned.point), epoch + 1), own_set);
  setup_.board.enter(PhaseKind::wait, Seconds(0));
  Group* set = group_for(planned.sets, world, set_groups_, own_set);
  Group* same_node = set == nullptr ? nullptr : group_for(planned.sets, *set, node_groups_, setup_.placement.node);
  if (fingerprint_ < 0) fingerprint_ = setup_.probe.fingerprint();
  pending.around.fingerprint_before = fingerprint_;
  world.quiet_barrier();
  pending.around.start_time = monotonic_seconds() - setup_.run_start;
  setup_.telemetry.mark();
  setup_.probe.start();
  if (set != nullptr) {
    Context context{*set,
                    buffers_,
                    mix(setup_.options.seed, pending.number),
                    Deadline(clock_, plan.deadline),
                    setup_.placement.share,
                    setup_.options.path,
                    setup_.settings,
                    setup_.device,
                    &setup_.placement.layout,
                    planned.sets[static_cast<std::size_t>(own_set)]};
    Sampler sampler({*set, *same_node}, setup_.board, plan.stop_rule(setup_.options.precision),
                    {plan.deadline, plan.set_up_deadline}, setup_.stop_requested);
    pending.sampled = sampler.measure(*planned.info, context, planned.point);
  }
  setup_.board.enter(PhaseKind::wait, Seconds(0));
  world.quiet_barrier();
  look_around(planned, pending.around);
  return pending;
}

void Harness::look_around(const PlannedPoint& planned, Surroundings& around) {
  setup_.telemetry.mark();
  const Disturbance disturbance = setup_.probe.stop();
  around.end_time = monotonic_seconds() - setup_.run_start;
  around.competing_cpus = disturbance.competing_cpus;
  around.steal_share = disturbance.steal_share;
  around.involuntary_switches = disturbance.involuntary_switches;
  around.oversubscribed = oversubscribes(planned.sets, setup_.placement.layout);
  fingerprint_ = setup_.probe.fingerprint();
  around.fingerprint_after = fingerprint_;
}

void Harness::record(Pending pending) {
  setup_.board.enter(PhaseKind::record, Seconds(0));
  const bool interrupted = pending.sampled && pending.sampled->status == SeriesStatus::interrupted;
  if (max_over(setup_.world, interrupted || setup_.stop_requested() ? 1.0 : 0.0) > 0) {
    stopped_ = true;
    return;
  }
  if (pending.sampled) measuring_seconds_ += pending.sampled->warmup_seconds + pending.sampled->batch_seconds;
  const auto gpu_flags =
      setup_.telemetry.collect(*pending.planned, {pending.around.start_time, pending.around.end_time});
  const auto rows = setup_.recorder.record(*pending.planned, pending.epoch, pending.number,
                                           pending.sampled ? &*pending.sampled : nullptr, pending.around, gpu_flags);
  if (setup_.done) setup_.done(*pending.planned, pending.epoch, rows);
}

Group* Harness::group_for(const RankSets& sets, Group& parent, std::map<RankSets, std::unique_ptr<Group>>& known,
                          int color) {
  const auto found = known.find(sets);
  if (found != known.end()) return found->second.get();
  return known.emplace(sets, parent.split(color)).first->second.get();
}

}  // namespace assay
