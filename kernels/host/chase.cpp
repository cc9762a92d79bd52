#include "kernels/host/chase.hpp"

#include <fmt/format.h>

#include <bit>

#include "core/error.hpp"
#include "core/random.hpp"

namespace assay {
namespace {

/// Newton's iteration doubles the number of right low bits; an odd number is its own inverse modulo 8.
std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t inverse = odd;
  for (int right_bits = 3; right_bits < 64; right_bits *= 2) inverse *= 2 - odd * inverse;
  return inverse;
}

}  // namespace

ChaseCycle::ChaseCycle(std::size_t lines, std::uint64_t seed) : mask_(lines - 1), shift_(0), multiplier_{}, inverse_{} {
  const int bits = std::countr_zero(lines);
  if (!std::has_single_bit(lines) || bits < 3 || bits > 40) {
    throw environment_error(fmt::format("a pointer chase needs 2^3..2^40 cache lines, not {}", lines));
  }
  shift_ = static_cast<unsigned>(bits + 1) / 2;  // at least half of the bits: then the xor undoes itself
  for (int round = 0; round < rounds; ++round) {
    multiplier_[round] = mix(seed, static_cast<std::uint64_t>(round)) | 1;
    inverse_[round] = inverse_of(multiplier_[round]);
  }
}

std::size_t ChaseCycle::line_at(std::uint64_t step) const {
  std::uint64_t word = step & mask_;
  for (const std::uint64_t multiplier : multiplier_) {
    word = (word * multiplier) & mask_;
    word ^= word >> shift_;
  }
  return word;
}

std::uint64_t ChaseCycle::step_of(std::size_t line) const {
  std::uint64_t word = line;
  for (int round = rounds - 1; round >= 0; --round) {
    word ^= word >> shift_;
    word = (word * inverse_[round]) & mask_;
  }
  return word;
}

void ChaseCycle::link(std::span<ChaseLine> lines) const {
  for (std::size_t line = 0; line < lines.size(); ++line) lines[line].next = &lines[after(line)];
}

Check ChaseCycle::check(std::span<const ChaseLine> lines) const {
  Check result;
  result.checked = lines.size();
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const ChaseLine* expected = &lines[after(line)];
    if (lines[line].next == expected) continue;
    if (result.wrong++ == 0) {
      result.first = fmt::format(
          "line {} leads to byte {}, expected {}", line,
          reinterpret_cast<const std::byte*>(lines[line].next) - reinterpret_cast<const std::byte*>(lines.data()),
          after(line) * sizeof(ChaseLine));
    }
  }
  return result;
}

const ChaseLine* chase(const ChaseLine* from, std::size_t loads) {
  for (std::size_t done = 0; done < loads; done += 16) {
    for (int unrolled = 0; unrolled < 16; ++unrolled) from = from->next;
  }
  return from;
}

}  // namespace assay
