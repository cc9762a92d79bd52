#include "kernels/cuda/gate.hpp"

#include <atomic>

#include "kernels/cuda/kernels.hpp"

namespace assay::cuda {

namespace {

constexpr std::size_t one_page = 4096;

}  // namespace

Gate::Gate(Seconds longest) : words_(one_page), longest_(longest) {
  words_.as<unsigned>()[0] = 0;
  words_.as<unsigned>()[1] = 0;
}

Gate::~Gate() { open(); }

void Gate::hold(const Stream& stream) {
  auto words = words_.as<unsigned>();
  launch_gate(stream, words.data(), turn_ + 1, words.data() + 1, longest_);
}

void Gate::open() noexcept {
  if (words_.data() == nullptr) return;
  std::atomic_ref<unsigned>(words_.as<unsigned>()[0]).store(++turn_, std::memory_order_release);
}

bool Gate::gave_up() const {
  return std::atomic_ref<unsigned>(words_.as<unsigned>()[1]).load(std::memory_order_acquire) != 0;
}

}  // namespace assay::cuda
