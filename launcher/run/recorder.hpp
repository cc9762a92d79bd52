#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "launcher/run/plan.hpp"
#include "launcher/run/sampler.hpp"
#include "results/writer.hpp"

namespace assay {

/// What happened around a series on all nodes; the same on all ranks (worst node).
struct Surroundings {
  double start_time = 0;  ///< seconds since the start of the run
  double end_time = 0;
  double fingerprint_before = 0;
  double fingerprint_after = 0;
  double competing_cpus = 0;
  double steal_share = 0;
  std::int64_t involuntary_switches = 0;  ///< this rank's
  bool oversubscribed = false;
};

/// A series that is safe in the file.
struct Recorded {
  results::SeriesRow row;
  std::vector<std::int32_t> members;
  double value = 0;  ///< median over the set's iterations, in `dimension`; NaN without samples
  Dimension dimension = Dimension::ratio;
  std::string problem;  ///< first words about what went wrong
};

/// Brings the samples of all ranks to rank 0 and appends one series for each set. Collective over the world.
class Recorder {
 public:
  /// `writer` is null on all ranks but 0.
  Recorder(Group& world, results::Writer* writer, std::uint64_t keep_bytes, std::uint64_t seed)
      : world_(world), writer_(writer), keep_bytes_(keep_bytes), seed_(seed) {}

  /// `sampled` is null on a rank in no set. `set_flags`: more flags for each set, on rank 0; may be empty. On rank 0
  /// the recorded series come back; elsewhere nothing.
  std::vector<Recorded> record(const PlannedPoint& planned, int epoch, std::uint64_t number, const Sampled* sampled,
                               const Surroundings& around, const std::vector<std::uint32_t>& set_flags = {});

 private:
  /// What a rank sends beside its samples; trivially copyable.
  struct Header {
    std::uint64_t iterations = 0;
    std::uint64_t kept = 0;
    SeriesStatus status = SeriesStatus::ok;
    StopReason stop = StopReason::go_on;
    Work work;
    std::uint64_t checked = 0;
    std::uint64_t wrong = 0;
    double measured_seconds = 0;
    double warmup_seconds = 0;
    double setup_seconds = 0;
    std::int64_t involuntary_switches = 0;
  };
  struct Contribution {
    Header header;
    std::vector<double> seconds;
    std::vector<std::uint64_t> histogram;
    std::string problem;
    std::string method;
  };
  /// Everybody's, by world rank; on rank 0.
  struct Gathered {
    std::vector<Header> headers;
    std::vector<std::vector<double>> samples;
    std::vector<std::vector<std::uint64_t>> histograms;
    std::vector<std::string> problems;
    std::vector<std::string> methods;
  };
  [[nodiscard]] Contribution contribution(const PlannedPoint& planned, std::uint64_t number, const Sampled& sampled,
                                          const Surroundings& around) const;
  [[nodiscard]] static results::Series assemble(const PlannedPoint& planned, const std::vector<int>& members,
                                                const Gathered& all);
  /// An event for each rank that said what went wrong; the first text comes back.
  std::string report_problems(const results::Series& series, const std::vector<std::string>& problems);

  Group& world_;
  results::Writer* writer_;
  std::uint64_t keep_bytes_;
  std::uint64_t seed_;
};

/// `kept` indices of `total`, ascending, chosen by the seed; all of them when kept >= total.
[[nodiscard]] std::vector<std::size_t> choose_subset(std::size_t total, std::size_t kept, std::uint64_t seed);

}  // namespace assay
