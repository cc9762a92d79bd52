#include "tests/emulator/nccl/last_error.hpp"

#include <cuda_runtime_api.h>

#include <memory>

#include "tests/emulator/nccl/debug.hpp"

namespace emulator::nccl {

LastError& LastError::get() {
  static LastError& made = *std::make_unique<LastError>().release();  // threads may fail while the process ends
  return made;
}

void LastError::set(const std::string& text) {
  int device = 0;
  cudaGetDevice(&device);
  DebugStream::get().warn(device, text);
  const std::lock_guard lock(mutex_);
  text_ = text;
}

std::string LastError::text() {
  const std::lock_guard lock(mutex_);
  return text_;
}

}  // namespace emulator::nccl
