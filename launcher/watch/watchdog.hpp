#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "launcher/watch/beat_channel.hpp"
#include "launcher/watch/diagnosis.hpp"
#include "launcher/watch/phase_board.hpp"

namespace assay {

struct WatchdogSetup {
  int rank = 0;
  int size = 1;
  std::string host;
  Seconds deadline{60};              ///< how long any rank may be silent
  Seconds signal_grace{0.4};         ///< after a signal, for the main thread to end by itself (mpirun kills after 1 s)
  std::function<int()> stop_signal;  ///< the signal received, 0 = none
  /// Called once, before the process ends, with what happened. On rank 0 it saves the result file. Must not block long.
  std::function<void(const std::string& reason)> emergency;
};

/// Watches over deadlines from a thread that makes no MPI call, and alone may end the process (exit code 3): blocking
/// MPI calls never come back when a rank has stopped, and mpirun does not notice (it waits for ever).
class Watchdog {
 public:
  /// Rank 0 passes the server, the others a client; a single rank neither.
  Watchdog(PhaseBoard& board, WatchdogSetup setup, std::unique_ptr<BeatServer> server,
           std::unique_ptr<BeatClient> client);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch(const std::stop_token& stop);
  void watch_signal();
  void lead(const std::stop_token& stop);
  void follow(const std::stop_token& stop);
  void take_beats(const std::vector<Beat>& beats);
  [[nodiscard]] std::vector<RankState> states() const;
  [[nodiscard]] RankState own_state() const;
  [[nodiscard]] Beat own_beat() const;
  [[noreturn]] void end_process(const std::string& reason);

  PhaseBoard& board_;
  WatchdogSetup setup_;
  MonotonicClock clock_;
  std::unique_ptr<BeatServer> server_;
  std::unique_ptr<BeatClient> client_;
  struct Heard;
  std::unique_ptr<Heard> heard_;
  Seconds signal_at_{-1};
  std::jthread thread_;
};

}  // namespace assay
