// Twins of the tests' kernels, in a library of their own (ASSAY_EMULATOR_TWINS).
#include <chrono>
#include <thread>

#include "tests/emulator/cuda/twin.hpp"

extern "C" {
void sample_add(const float* a, const float* b, float* sum, int count);
void sample_count(unsigned* counter, unsigned* host_word);
}

namespace {

using namespace emulator;

// The kernel's own loop would keep a core busy.
void spin(const unsigned* flag) {
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

const bool added = [] {
  add_twin(twin(
      "sample_add", sample_add,
      [](const float* a, const float* b, float* sum, int count) {
        const auto bytes = sizeof(float) * static_cast<std::size_t>(count);
        Cost cost;
        cost.accesses = {{a, bytes, false, 0}, {b, bytes, false, 0}, {sum, bytes, true, 0}};
        return cost;
      },
      Threads::every));
  add_twin(twin(
      "sample_count", sample_count, [](unsigned*, unsigned*) { return Cost{}; }, Threads::every));
  add_twin(twin(
      "sample_spin", spin, [](const unsigned*) { return Cost{}; }, Threads::one,
      [](const unsigned* flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0; }));
  return true;
}();

}  // namespace
