#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace assay {

/// One candidate for OPENBLAS_CORETYPE and what became of it.
struct BlasTrial {
  std::string kernel;    ///< "" is the library's own choice
  std::string outcome;   ///< "ok", or why it is out: "wrong result", "killed by signal 4 (Illegal instruction)", ...
  std::string corename;  ///< kernels that ran; empty when it is not known
  FlopsPerSecond rate;   ///< median of fp64 products of order 512 on one thread; 0 when it is out

  [[nodiscard]] bool usable() const { return outcome == "ok"; }
};

/// The kernels that a run uses. An old OpenBLAS falls back to slow kernels on a CPU that it does not know.
struct BlasChoice {
  std::string kernel;  ///< for Blas and ctx.settings["blas.kernel"]
  std::string corename;
  FlopsPerSecond rate;
  std::vector<BlasTrial> trials;  ///< every candidate, in the order tried

  /// "SKYLAKEX: 86.6 GFLOP/s (SkylakeX); library's own: 45.9 GFLOP/s (Haswell); ZEN: timed out".
  [[nodiscard]] std::string summary() const;
};

/// Instruction sets that OpenBLAS's x86-64 kernels need.
struct CpuFeatures {
  bool avx2 = false;    ///< with FMA
  bool avx512 = false;  ///< F, BW, DQ, VL and CD
  bool avx512_bf16 = false;
  bool amx = false;  ///< tile and bf16

  [[nodiscard]] static CpuFeatures here();
};

/// The library's own choice first, then what was preset in OPENBLAS_CORETYPE, then kernels that the CPU can run, best
/// first; none twice.
[[nodiscard]] std::vector<std::string> blas_candidates(const CpuFeatures& features,
                                                       const std::optional<std::string>& preset);

/// As above for this machine and this process's environment.
[[nodiscard]] std::vector<std::string> blas_candidates();

/// Tries each candidate in a child process of its own, `command` with the candidate as one more argument; the child is
/// to call blas_trial_main. Kernels that ran already as the library's own choice are not tried again. A crash, a wrong
/// result, other kernels than asked for or a time-out puts a candidate out; of the others the first within 3 % of the
/// fastest is chosen, so that runs on equal machines use equal kernels. A candidate has `limit_each`, all together
/// `limit_all`; those that time does not reach are listed as not tried. Throws Error(environment) when none is left.
[[nodiscard]] BlasChoice choose_blas_kernel(const std::vector<std::string>& command,
                                            const std::vector<std::string>& candidates,
                                            Seconds limit_each = Seconds(0.6), Seconds limit_all = Seconds(1.5));

/// Body of the child: runs the kernels named by `kernel` for about 0.1 s and prints one line for choose_blas_kernel,
/// "rate=8.66e+10 correct=yes corename=SkylakeX" or "error=TEXT". Returns the exit code.
int blas_trial_main(const std::string& kernel);

}  // namespace assay
