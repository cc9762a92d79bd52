#include "kernels/host/blas_trial.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/statistics.hpp"
#include "kernels/host/blas.hpp"
#include "kernels/host/child_process.hpp"
#include "kernels/host/gemm_check.hpp"

namespace assay {
namespace {

constexpr int trial_order = 512;
constexpr double near_tie = 0.97;
constexpr double trial_flops = 2.0 * trial_order * trial_order * trial_order;

/// Median seconds of a product of order `trial_order`, NaN when the result is wrong.
template <class T>
double trial_seconds(const Blas& blas, double at_least) {
  constexpr std::size_t elements = std::size_t{trial_order} * trial_order;
  std::vector<T> a(elements), b(elements), c(elements, std::numeric_limits<T>::quiet_NaN());
  fill_uniform<T>(a, 1);
  fill_uniform<T>(b, 2);
  blas.multiply(trial_order, a.data(), b.data(), c.data());
  std::vector<double> seconds;
  const double start = monotonic_seconds();
  while (seconds.size() < 5 || monotonic_seconds() - start < at_least) {
    const double begin = monotonic_seconds();
    blas.multiply(trial_order, a.data(), b.data(), c.data());
    seconds.push_back(monotonic_seconds() - begin);
  }
  const bool correct = freivalds(trial_order, a.data(), b.data(), c.data(), 3).wrong == 0;
  return correct ? median(seconds) : std::numeric_limits<double>::quiet_NaN();
}

/// Value of "key=VALUE" in a line of such words; the value of the last key may hold blanks.
std::string field(const std::string& line, const std::string& key, bool rest_of_line = false) {
  const std::size_t at = (" " + line).find(" " + key + "=");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + key.size() + 1;
  return line.substr(begin, line.find_first_of(rest_of_line ? "\n" : " \n", begin) - begin);
}

void read_measurement(const std::string& line, BlasTrial& trial) {
  double rate = 0;
  std::istringstream(field(line, "rate")) >> rate;
  trial.corename = field(line, "corename");
  if (field(line, "correct") != "yes") {
    trial.outcome = field(line, "correct") == "no" ? "wrong result" : "no measurement in its output";
  } else if (!std::isfinite(rate) || rate <= 0) {
    trial.outcome = "no measurement in its output";
  } else {
    trial.outcome = "ok";
    trial.rate = FlopsPerSecond(rate);
  }
}

BlasTrial try_kernel(std::vector<std::string> command, const std::string& kernel, Seconds limit) {
  command.push_back(kernel);
  const ChildResult child = run_child(command, limit);
  BlasTrial trial{.kernel = kernel, .outcome = {}, .corename = {}, .rate = {}};
  if (child.timed_out) {
    trial.outcome = "timed out";
  } else if (child.signal != 0) {
    trial.outcome = fmt::format("killed by signal {} ({})", child.signal, strsignal(child.signal));
  } else if (const std::string error = field(child.output, "error", true); !error.empty()) {
    trial.outcome = error;
  } else if (child.exit_code != 0) {
    trial.outcome = fmt::format("exit code {}", child.exit_code);
  } else {
    read_measurement(child.output, trial);
  }
  return trial;
}

bool has_run(const std::vector<BlasTrial>& trials, const std::string& kernel) {
  return std::any_of(trials.begin(), trials.end(), [&kernel](const BlasTrial& trial) {
    return trial.usable() && strcasecmp(trial.corename.c_str(), kernel.c_str()) == 0;
  });
}

std::string name_of(const std::string& kernel) { return kernel.empty() ? "library's own" : kernel; }

std::string describe(const BlasTrial& trial) {
  if (!trial.usable()) return fmt::format("{}: {}", name_of(trial.kernel), trial.outcome);
  return fmt::format("{}: {} ({})", name_of(trial.kernel), to_string(trial.rate), trial.corename);
}

}  // namespace

std::string BlasChoice::summary() const {
  std::string text;
  for (const BlasTrial& trial : trials) {
    if (trial.usable() && trial.kernel == kernel)
      text = describe(trial) + text;
    else
      text += "; " + describe(trial);
  }
  return text;
}

CpuFeatures CpuFeatures::here() {
  CpuFeatures features;
#if defined(__x86_64__)
  features.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  features.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512cd");
  features.avx512_bf16 = features.avx512 && __builtin_cpu_supports("avx512bf16");
  constexpr unsigned amx_bits = (1U << 22) | (1U << 24);  // AMX-BF16 and AMX-TILE: leaf 7, EDX
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  features.amx =
      features.avx512_bf16 && __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & amx_bits) == amx_bits;
#endif
  return features;
}

std::vector<std::string> blas_candidates(const CpuFeatures& features, const std::optional<std::string>& preset) {
  std::vector<std::string> candidates = {""};
  const auto add = [&candidates](const std::string& kernel) {
    if (std::find(candidates.begin(), candidates.end(), kernel) == candidates.end()) candidates.push_back(kernel);
  };
  if (preset) add(*preset);
  if (features.amx) add("SAPPHIRERAPIDS");
  if (features.avx512_bf16) add("COOPERLAKE");
  if (features.avx512) add("SKYLAKEX");
  if (features.avx2) add("ZEN");
  if (features.avx2) add("HASWELL");
  return candidates;
}

std::vector<std::string> blas_candidates() {
  const char* preset = std::getenv("OPENBLAS_CORETYPE");
  return blas_candidates(CpuFeatures::here(), preset ? std::optional<std::string>(preset) : std::nullopt);
}

BlasChoice choose_blas_kernel(const std::vector<std::string>& command, const std::vector<std::string>& candidates,
                              Seconds limit_each, Seconds limit_all) {
  const MonotonicClock clock;
  const Deadline deadline(clock, limit_all);
  BlasChoice choice;
  for (const std::string& kernel : candidates) {
    if (has_run(choice.trials, kernel)) continue;
    const Seconds limit = std::min(limit_each, deadline.remaining());
    if (limit.value <= 0) {
      choice.trials.push_back({.kernel = kernel, .outcome = "not tried: no time left", .corename = {}, .rate = {}});
      continue;
    }
    choice.trials.push_back(try_kernel(command, kernel, limit));
    choice.rate = std::max(choice.rate, choice.trials.back().rate);
  }
  for (const BlasTrial& trial : choice.trials) {
    if (!trial.usable() || trial.rate < choice.rate * near_tie) continue;
    choice.kernel = trial.kernel;
    choice.corename = trial.corename;
    choice.rate = trial.rate;
    return choice;
  }
  throw environment_error("no OpenBLAS kernel works here" + choice.summary(),
                          "Install OpenBLAS (Debian, Ubuntu: libopenblas0-pthread), or see what the library says with "
                          "OPENBLAS_VERBOSE=2.");
}

int blas_trial_main(const std::string& kernel) {
  try {
    const Blas blas(kernel);
    const double seconds = trial_seconds<double>(blas, 0.1);
    const bool correct = std::isfinite(seconds) && std::isfinite(trial_seconds<float>(blas, 0));
    fmt::print("rate={} correct={} corename={}\n", correct ? trial_flops / seconds : 0.0, correct ? "yes" : "no",
               blas.corename());
    return 0;
  } catch (const Error& error) {
    fmt::print("error={}\n", error.what());
    return static_cast<int>(error.code());
  }
}

}  // namespace assay
