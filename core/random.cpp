#include "core/random.hpp"

namespace assay {

std::uint64_t Random::below(std::uint64_t bound) {
  // Reject the incomplete last stretch of the range, so that every remainder is equally likely.
  const std::uint64_t rest = (0 - bound) % bound;
  std::uint64_t word = engine_();
  while (word < rest) word = engine_();
  return word % bound;
}

double Random::uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t word = a + 0x9e3779b97f4a7c15ULL * (b + 1);
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31);
}

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

}  // namespace assay
