#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

#include "core/case.hpp"
#include "core/registry.hpp"
#include "core/units.hpp"

namespace assay {

/// Whether GPUs are measured.
enum class GpuUse {
  automatic,  ///< where there are some
  require,    ///< every rank must have one
  off,
};
[[nodiscard]] std::string_view to_string(GpuUse use);
[[nodiscard]] std::optional<GpuUse> parse_gpu_use(std::string_view text);

/// What `assay run` was asked to do. Equal on all ranks, or the run is refused.
struct RunOptions {
  Suite suite = Suite::quick;
  Seconds budget{0};           ///< wall time for the measurements; 0 = the suite's own
  std::string filter;          ///< regular expression, searched in "case/point"; empty = everything
  std::filesystem::path out;   ///< result file; empty = named by UTC time
  bool force = false;          ///< an existing result file may be replaced
  std::filesystem::path path;  ///< directory for storage cases; empty = they do not run
  std::uint64_t seed = 1;
  int epochs = 5;           ///< rounds over the whole plan; verdict intervals need at least 5
  double precision = 0.01;  ///< half width of the 95 % interval of the median / median
  Seconds deadline{0};      ///< longest silence of a phase; 0 = derived from the plan
  std::uint64_t keep_bytes = std::uint64_t{64} << 20;  ///< raw samples kept per series, over all ranks

  GpuUse gpu = GpuUse::automatic;
  bool share_gpus = false;                ///< several ranks may work on one GPU
  std::filesystem::path machine_overlay;  ///< made-up facts about hosts; empty = none

  /// Wall time that the suite is made for, or the one asked for.
  [[nodiscard]] Seconds effective_budget() const;
  /// All of the above in one line; its hash must be equal on all ranks.
  [[nodiscard]] std::string canonical() const;
};

/// Checks what can be checked without MPI; throws Error(bad_input).
/// `writes_result`: this process is, or may be, rank 0.
void validate(const RunOptions& options, const Registry& registry, bool writes_result);

/// The filter as a regular expression; throws Error(bad_input) when it is malformed.
[[nodiscard]] std::regex compile_filter(const std::string& filter);

/// "assay-20261130T175812Z.h5"
[[nodiscard]] std::filesystem::path default_result_name(std::time_t now);

/// What the launcher's environment says about this process before MPI starts (Open MPI, PMIx, PMI, Slurm).
struct LaunchedRank {
  int rank = 0;
  int size = 1;
  bool launched = false;  ///< false: started by hand, one rank
};
[[nodiscard]] LaunchedRank launched_rank();

}  // namespace assay
