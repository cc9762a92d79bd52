#include "launcher/watch/watchdog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>

#include "core/error.hpp"

namespace assay {

namespace {

constexpr Seconds beat_interval{0.25};
constexpr Seconds poll_interval{0.05};

template <std::size_t N>
void copy_text(char (&target)[N], const std::string& text) {
  const std::size_t length = std::min(N - 1, text.size());
  std::memcpy(target, text.data(), length);
  target[length] = '\0';
}

Phase phase_of(const Beat& beat) {
  Phase phase;
  phase.series = beat.series;
  phase.kind = static_cast<PhaseKind>(beat.phase);
  phase.set = beat.set;
  phase.iteration = beat.iteration;
  phase.what = beat.what;
  return phase;
}

}  // namespace

struct Watchdog::Heard {
  struct Last {
    Beat beat;
    Seconds at;
  };
  std::map<std::int32_t, Last> ranks;
  Seconds server_at{0};
};

Watchdog::Watchdog(PhaseBoard& board, WatchdogSetup setup, std::unique_ptr<BeatServer> server,
                   std::unique_ptr<BeatClient> client)
    : board_(board),
      setup_(std::move(setup)),
      server_(std::move(server)),
      client_(std::move(client)),
      heard_(std::make_unique<Heard>()) {
  heard_->server_at = clock_.now();
  // Signals belong to the main thread: blocked here, so that they cannot cut short this thread's system calls.
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

Watchdog::~Watchdog() = default;

void Watchdog::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    watch_signal();
    if (client_)
      follow(stop);
    else
      lead(stop);
  }
}

void Watchdog::watch_signal() {
  const int signal = setup_.stop_signal ? setup_.stop_signal() : 0;
  if (signal == 0) return;
  if (signal_at_.value < 0) signal_at_ = clock_.now();
  if (clock_.now() - signal_at_ > setup_.signal_grace)
    end_process(fmt::format("signal {} ({}) received while {} {}", signal, strsignal(signal),
                            to_string(board_.read().kind), board_.read().what));
}

void Watchdog::lead(const std::stop_token& stop) {
  if (server_)
    take_beats(server_->receive(poll_interval));
  else
    clock_.sleep(poll_interval);
  if (!deadline_passed(states(), setup_.deadline) || stop.stop_requested()) return;
  // Others may be late with the same news: listen a little longer before saying who is missing.
  const Deadline grace(clock_, Seconds(1.0));
  while (server_ && !grace.expired()) take_beats(server_->receive(poll_interval));
  if (deadline_passed(states(), setup_.deadline) && !stop.stop_requested())
    end_process(describe_stall(states(), setup_.deadline));
}

void Watchdog::follow(const std::stop_token& stop) {
  const bool sent = client_->send(own_beat());
  std::vector<Beat> beats;
  const Deadline next(clock_, beat_interval);
  bool reachable = sent;
  while (reachable && !next.expired() && !stop.stop_requested()) {
    watch_signal();
    reachable = client_->receive(poll_interval, beats);
  }
  if (!beats.empty()) heard_->server_at = clock_.now();
  for (const Beat& beat : beats)
    if (beat.kind == Beat::Kind::end_now) end_process({});
  if (!reachable) clock_.sleep(poll_interval);
  const Seconds silent = clock_.now() - heard_->server_at;
  const bool own_deadline = own_state().remaining.value <= 0 && silent > silence_limit;
  if ((own_deadline || silent > setup_.deadline) && !stop.stop_requested()) {
    // One rank's word is enough: the others wait a moment, mpirun ends them when the first is gone.
    clock_.sleep(Seconds(0.2 * std::min(setup_.rank - 1, 10)));
    end_process(
        fmt::format("rank {} on {}: rank 0 has been silent for {:.1f} s (stopped, or its host is lost) in {} ({})",
                    setup_.rank, setup_.host, silent.value, board_.read().what, to_string(board_.read().kind)));
  }
}

void Watchdog::take_beats(const std::vector<Beat>& beats) {
  for (const Beat& beat : beats)
    if (beat.rank > 0 && beat.rank < setup_.size) heard_->ranks[beat.rank] = {beat, clock_.now()};
}

RankState Watchdog::own_state() const {
  const Phase phase = board_.read();
  return {setup_.rank, setup_.host, phase, Seconds(phase.deadline_at) - clock_.now(), Seconds(0)};
}

std::vector<RankState> Watchdog::states() const {
  std::vector<RankState> states{own_state()};
  for (const auto& [rank, last] : heard_->ranks) {
    const Seconds age = clock_.now() - last.at;
    states.push_back({rank, last.beat.host, phase_of(last.beat), Seconds(last.beat.remaining) - age, age});
  }
  return states;
}

Beat Watchdog::own_beat() const {
  const Phase phase = board_.read();
  Beat beat;
  beat.rank = setup_.rank;
  beat.series = phase.series;
  beat.iteration = phase.iteration;
  beat.remaining = phase.deadline_at - clock_.now().value;
  beat.phase = static_cast<std::uint32_t>(phase.kind);
  beat.set = phase.set;
  copy_text(beat.host, setup_.host);
  copy_text(beat.what, phase.what);
  return beat;
}

void Watchdog::end_process(const std::string& reason) {
  if (!reason.empty() && setup_.emergency) setup_.emergency(reason);
  if (server_) {
    server_->tell_all_to_end();
    clock_.sleep(Seconds(0.3));
  }
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(ExitCode::incomplete));
}

}  // namespace assay
