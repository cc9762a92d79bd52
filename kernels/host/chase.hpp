#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/case.hpp"

namespace assay {

/// One cache line that says which line to load next.
struct alignas(64) ChaseLine {
  ChaseLine* next;
};

/// A random cycle through all lines of an array of 2^k lines, 3 <= k <= 40: step s visits line_at(s), a bijection made
/// of invertible mixing steps (xor with a right shift by at least k/2, and odd multipliers, modulo 2^k). Both the
/// array and the check can be written in order of address, and where a chase has to end is known without following it.
class ChaseCycle {
 public:
  /// Throws Error(environment) unless `lines` is such a power of two.
  ChaseCycle(std::size_t lines, std::uint64_t seed);

  [[nodiscard]] std::size_t lines() const { return mask_ + 1; }
  [[nodiscard]] std::size_t line_at(std::uint64_t step) const;  ///< step modulo lines()
  [[nodiscard]] std::uint64_t step_of(std::size_t line) const;
  [[nodiscard]] std::size_t after(std::size_t line) const { return line_at(step_of(line) + 1); }

  /// Links an array of lines() lines.
  void link(std::span<ChaseLine> lines) const;
  /// Holds every line's link against the cycle.
  [[nodiscard]] Check check(std::span<const ChaseLine> lines) const;

 private:
  static constexpr int rounds = 3;
  std::uint64_t mask_;
  unsigned shift_;
  std::uint64_t multiplier_[rounds];
  std::uint64_t inverse_[rounds];
};

/// Follows `loads` links, each load waiting for the one before, and returns where it ends. `loads` is a multiple of 16.
[[nodiscard]] const ChaseLine* chase(const ChaseLine* from, std::size_t loads);

}  // namespace assay
