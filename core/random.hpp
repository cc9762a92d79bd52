#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

/// Equal on every platform, unlike std::shuffle and std::uniform_int_distribution.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [0, bound), bound > 0, without modulo bias.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  /// Uniform in [0, 1).
  [[nodiscard]] double uniform();

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

/// One well-mixed word from two (splitmix64 finaliser), to derive independent seeds.
[[nodiscard]] std::uint64_t mix(std::uint64_t a, std::uint64_t b);

/// FNV-1a of a text, 64 bit, stable between builds.
[[nodiscard]] std::uint64_t hash_text(std::string_view text);

}  // namespace assay
