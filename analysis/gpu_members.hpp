#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/comparison.hpp"
#include "analysis/measurement.hpp"
#include "analysis/run_data.hpp"
#include "analysis/verdict.hpp"

namespace assay {

/// GPUs as members of sets: their own figures, their names, and what holds them back. Pure.

/// "GPU 3 (0000:1b:00.0, GPU-5a...) on node2, rank 11"; without the rank when none measures on it.
[[nodiscard]] std::string describe_gpu(const RunData& run, const results::GpuRow& gpu);
/// That of a rank's GPU; "rank 11 on node2" when the table does not hold it.
[[nodiscard]] std::string describe_gpu_of(const RunData& run, int rank);
/// Two GPUs: "GPU 0 (...) and GPU 5 (...) on node1, ranks 0,5".
[[nodiscard]] std::string describe_gpus_of(const RunData& run, const std::vector<int>& ranks);

/// Each member's own figure of all these sets, `who` filled.
[[nodiscard]] std::vector<Measurement> each_gpu(const JudgeContext& context, const std::vector<const SeriesSet*>& sets);

/// "GPU 7 (...) on node2": GPUs of the run that none of the measurements covers; empty when all are.
[[nodiscard]] std::string missing_gpus(const RunData& run, const std::vector<Measurement>& measurements);

/// What a GPU did while sets worked: telemetry inside of their windows.
struct GpuLoad {
  double seconds = 0;                ///< of work, warm-up included
  int moments = 0;                   ///< readings in which the card was not idle
  double sm_clock = 0;               ///< upper quartile, Hz; NaN when not read, as below
  double power = 0;                  ///< median, W
  double temperature = 0;            ///< highest, degC
  std::vector<double> reason_share;  ///< share of the readings with bit b of the clock event reasons set, 16 bits
};
[[nodiscard]] GpuLoad load_of(const RunData& run, const results::GpuRow& gpu,
                              const std::vector<const SeriesSet*>& sets);

/// Ways in which a card is held back, in words; empty when it is not. Running into the default power limit and low
/// clocks of an idle card are none.
[[nodiscard]] std::vector<std::string> held_back(const RunData& run, const Catalogue& catalogue,
                                                 const results::GpuRow& gpu, const std::vector<const SeriesSet*>& sets);

/// Why a GPU computes less: held back, partitioned, shared with others. Empty when nothing can be named.
[[nodiscard]] std::string gpu_cause(const JudgeContext& context, const results::GpuRow& gpu,
                                    const std::vector<const SeriesSet*>& sets);

/// Sets of a gpu case in which all GPUs of each node work at once, of the largest value on the axis.
[[nodiscard]] std::vector<const SeriesSet*> all_gpus_at_once(const JudgeContext& context, const Clause& clause,
                                                             const Pattern& pattern, std::string_view size_axis);

/// Judges each GPU on its own (the worst decides), with a ceiling by what it is, completeness, and the likely cause.
/// `ceiling`: of a product and its card; NaN for none.
struct GpuJudge {
  Pattern pattern;  ///< without the axis `gpus`
  std::string size_axis;
  std::function<double(const Product&, const results::GpuRow&)> ceiling;
  std::string ceiling_words;
};
void judge_each_gpu(Verdict& verdict, const JudgeContext& context, const GpuJudge& how);

}  // namespace assay
