#pragma once

#include <string>
#include <vector>

#include "launcher/run/plan.hpp"
#include "launcher/run/recorder.hpp"

namespace assay {

/// Tells a person how far the run is: one rewritten line on a terminal, a line for every series elsewhere. Rank 0 only.
class Progress {
 public:
  Progress(const Plan& plan, bool terminal, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `elapsed` since the first series began.
  void series_done(const PlannedPoint& planned, int epoch, const std::vector<Recorded>& recorded, Seconds elapsed);

  [[nodiscard]] int failed() const { return failed_; }

 private:
  void print_line(const std::string& text);

  std::size_t total_;
  int epochs_;
  bool terminal_;
  bool quiet_;
  std::size_t done_ = 0;
  int failed_ = 0;
  bool line_open_ = false;
};

/// True when what rank 0 prints ends on a terminal. Under mpirun a rank's own output is a pseudo terminal whatever
/// mpirun's is, so there the launcher's is asked.
[[nodiscard]] bool prints_to_terminal(bool launched);

/// "1:05" or "2:03:10".
[[nodiscard]] std::string format_remaining(Seconds seconds);

}  // namespace assay
