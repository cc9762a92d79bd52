#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "analysis/clause.hpp"
#include "analysis/run_data.hpp"
#include "analysis/verdict.hpp"

namespace assay::test {

/// How one synthetic measurement comes about: `epochs` series, each with a few iterations around `seconds`.
struct Planted {
  std::string case_name;
  std::string point;
  std::vector<int> members;
  std::string work_kind = "bytes";
  double work = 1;
  std::string direction = "none";
  double bus_factor = 1;
  double value = 1;      ///< what the judge should find, in the work's dimension
  double spread = 0.01;  ///< epochs move by up to +- this share
  int epochs = 5;
  std::string status = "ok";
  std::uint32_t flags = 0;
  std::string timing = "per_rank";
  std::string combine = "slowest";
  std::string method = {};
  std::vector<double> shares = {};  ///< of each member's own value, where they differ: 1 = an equal part of `value`
  double start_time = 0;            ///< of the first epoch; each lasts `seconds`, the next begins then
  double seconds = 0;
};

/// Builds a RunData row by row. Starts as a complete run: `nodes` nodes of 4 cores and 16 GiB, `ranks_per_node` ranks
/// each.
class SyntheticRun {
 public:
  explicit SyntheticRun(int nodes = 1, int ranks_per_node = 4);

  /// Appends the series of all epochs; returns the id of the first one.
  std::int64_t plant(const Planted& planted);
  /// What a healthy machine would have: GEMM, memory, pairs, collectives, storage, all at `scale` times their base.
  void plant_everything(double scale = 1);

  [[nodiscard]] std::vector<int> all_ranks() const;
  [[nodiscard]] std::vector<int> ranks_on(int node) const;
  [[nodiscard]] RunData& data() { return data_; }

 private:
  RunData data_;
};

/// One clause against a healthy machine: an offer that it meets, and one that it does not.
struct ClauseCase {
  const char* key;
  const char* met;
  const char* breached;

  /// The offer with this clause alone, saying `value`.
  [[nodiscard]] std::string offer(const std::string& value) const;
};
void PrintTo(const ClauseCase& clause, std::ostream* out);

/// Judges the run by an offer given as text.
[[nodiscard]] Judgement judge(const RunData& run, const std::string& offer, bool partial = false);
/// The verdict of the only clause of the offer.
[[nodiscard]] Verdict judge_one(const RunData& run, const std::string& offer, bool partial = false);

}  // namespace assay::test
