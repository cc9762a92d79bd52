#include "launcher/run/sampler.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>

#include "core/error.hpp"

namespace assay {

namespace {

// Share of a series' time that is spent warming up, beside the first trial.
constexpr double warm_up_share = 0.1;
// A single trial this much longer than the series may last is recorded as it is, and the point given up.
constexpr double hopeless = 5.0;
constexpr double hopeless_at_least_seconds = 1.0;
constexpr double longest_first_batch = 10'000;

}  // namespace

std::string_view to_string(SeriesStatus status) {
  switch (status) {
    case SeriesStatus::ok:
      return "ok";
    case SeriesStatus::wrong_data:
      return "wrong_data";
    case SeriesStatus::failed:
      return "failed";
    case SeriesStatus::too_slow:
      return "too_slow";
    case SeriesStatus::interrupted:
      return "interrupted";
  }
  return "unknown";
}

void Sampler::guarded(Sampled& result, const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& error) {
    result.failure = error.hint().empty() ? error.what() : std::string(error.what()) + " (" + error.hint() + ")";
  } catch (const std::exception& error) {
    result.failure = error.what();
  }
  if (!result.failure.empty()) result.status = SeriesStatus::failed;
}

bool Sampler::agreed(Sampled& result) {
  std::array<double, 2> bad{result.status == SeriesStatus::failed ? 1.0 : 0.0, stop_requested_() ? 1.0 : 0.0};
  groups_.set.max_in_place(bad);
  if (bad[0] > 0) result.status = SeriesStatus::failed;
  if (bad[1] > 0) result.status = SeriesStatus::interrupted;
  return bad[0] == 0 && bad[1] == 0;
}

Sampled Sampler::measure(const CaseInfo& info, Context& context, const Point& point) {
  Sampled result;
  std::unique_ptr<Case> subject;
  rule_.by_wall = info.timing == Timing::device;
  board_.enter(PhaseKind::set_up, limits_.set_up);
  const double start = monotonic_seconds();
  guarded(result, [&] {
    subject = info.make(context, point);
    result.work = subject->work();
  });
  const bool ready = agreed(result);
  result.setup_seconds = monotonic_seconds() - start;
  if (!ready) return result;

  const double trial_seconds = warm_up(result, info, *subject);
  if (result.status != SeriesStatus::ok) return result;
  measure_batches(result, info, *subject, trial_seconds);
  if (result.status == SeriesStatus::ok) verify(result, *subject);
  result.method = subject->method();
  return result;
}

double Sampler::warm_up(Sampled& result, const CaseInfo& info, Case& subject) {
  board_.enter(PhaseKind::warm_up, limits_.measuring);
  const double start = monotonic_seconds();
  Batch trial;
  guarded(result, [&] { trial = time_batch(info, subject, 1); });
  if (!agreed(result)) return 0;
  // A device's own clock does not see what the host spent on the first use of a library.
  std::array<double, 2> worst{rule_.by_wall ? trial.wall_seconds : trial.seconds.front(), trial.seconds.front()};
  groups_.set.max_in_place(worst);
  const double slowest = worst[0];
  if (worst[1] > std::max(hopeless * rule_.maximum_time.value, hopeless_at_least_seconds)) {
    result.status = SeriesStatus::too_slow;
    (void)set_seconds(info, trial);
    result.seconds = trial.seconds;
    result.measured_seconds = trial.seconds.front();
    return slowest;
  }
  const double most = std::min(longest_first_batch, static_cast<double>(info.longest_batch));
  const auto count = static_cast<std::uint64_t>(
      std::clamp(warm_up_share * rule_.maximum_time.value / std::max(slowest, 1e-9), 0.0, most));
  if (count > 0) guarded(result, [&] { trial = time_batch(info, subject, count); });
  (void)agreed(result);
  result.warmup_seconds = monotonic_seconds() - start;
  const double all =
      rule_.by_wall ? trial.wall_seconds : std::accumulate(trial.seconds.begin(), trial.seconds.end(), 0.0);
  double typical = all / std::max(1.0, static_cast<double>(trial.seconds.size()));
  groups_.set.max_in_place(std::span<double>(&typical, 1));
  return typical;
}

void Sampler::measure_batches(Sampled& result, const CaseInfo& info, Case& subject, double trial_seconds) {
  std::vector<double> agreed_seconds;
  double spent = 0;
  const auto most = static_cast<double>(info.longest_batch);
  double count = std::clamp(warm_up_share * rule_.maximum_time.value / std::max(trial_seconds, 1e-9), 1.0,
                            std::min(longest_first_batch, most));
  while (result.stop == StopReason::go_on) {
    board_.enter(PhaseKind::measure, limits_.measuring);
    const double start = monotonic_seconds();
    Batch batch;
    guarded(result, [&] { batch = time_batch(info, subject, static_cast<std::uint64_t>(count)); });
    result.batch_seconds += monotonic_seconds() - start;
    if (!agreed(result)) return;
    const std::vector<double> of_set = set_seconds(info, batch);
    agreed_seconds.insert(agreed_seconds.end(), of_set.begin(), of_set.end());
    result.seconds.insert(result.seconds.end(), batch.seconds.begin(), batch.seconds.end());
    double wall = monotonic_seconds() - start;
    groups_.set.max_in_place(std::span<double>(&wall, 1));
    spent += wall;
    result.stop = rule_.decide(agreed_seconds, Seconds(spent));
    count = std::min(most, static_cast<double>(rule_.next_batch(agreed_seconds, Seconds(spent))));
  }
  result.measured_seconds = std::accumulate(result.seconds.begin(), result.seconds.end(), 0.0);
}

Sampler::Batch Sampler::time_batch(const CaseInfo& info, Case& subject, std::uint64_t count) {
  Batch batch;
  batch.starts.resize(count);
  batch.seconds.resize(count);
  const double begin = monotonic_seconds();
  subject.begin();
  for (std::uint64_t i = 0; i < count; ++i) {
    board_.iteration(i + 1);
    if (info.barrier_before_each) groups_.set.barrier();
    const double start = monotonic_seconds();
    subject.run();
    batch.seconds[i] = monotonic_seconds() - start;
    batch.starts[i] = start;
  }
  subject.end();
  batch.wall_seconds = monotonic_seconds() - begin;
  if (info.timing == Timing::device) subject.device_seconds(batch.seconds);
  return batch;
}

std::vector<double> Sampler::set_seconds(const CaseInfo& info, Batch& batch) {
  if (info.timing == Timing::shared_start) {
    std::vector<double> earliest = batch.starts;
    groups_.same_node.min_in_place(earliest);
    for (std::size_t i = 0; i < earliest.size(); ++i) batch.seconds[i] += batch.starts[i] - earliest[i];
  }
  std::vector<double> combined = batch.seconds;
  if (info.combine == Combine::slowest) {
    groups_.set.max_in_place(combined);
  } else {
    for (double& seconds : combined) seconds = 1 / seconds;
    groups_.set.sum_in_place(combined);
    for (double& rate : combined) rate = groups_.set.size() / rate;
  }
  return combined;
}

void Sampler::verify(Sampled& result, Case& subject) {
  board_.enter(PhaseKind::verify, limits_.measuring);
  const double start = monotonic_seconds();
  guarded(result, [&] { result.check = subject.verify(); });
  result.setup_seconds += monotonic_seconds() - start;
  if (!agreed(result)) return;
  std::array<double, 2> sums{static_cast<double>(result.check.checked), static_cast<double>(result.check.wrong)};
  groups_.set.sum_in_place(sums);
  result.check.checked = static_cast<std::uint64_t>(sums[0]);
  result.check.wrong = static_cast<std::uint64_t>(sums[1]);
  if (result.check.checked == 0 || result.check.wrong > 0) result.status = SeriesStatus::wrong_data;
}

}  // namespace assay
