#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/emulator/cuda/twin.hpp"
#include "tests/emulator/model/cluster.hpp"

namespace emulator {

/// The device code of one compiled file: for which architectures it was made.
class Module {
 public:
  /// `wrapper` as the application hands it to __cudaRegisterFatBinary.
  explicit Module(const void* wrapper);
  /// There is machine code of the card's generation, or PTX that is not newer. True when the form is not understood.
  [[nodiscard]] bool runs_on(const Gpu& gpu) const;

 private:
  struct Image {
    bool portable = false;  ///< PTX
    std::uint32_t architecture = 0;
  };
  std::vector<Image> images_;
};

/// A kernel of the application; its address serves as cudaKernel_t and cudaFunction_t.
struct Kernel {
  std::string name;
  const Module* module = nullptr;
  int shared_memory_limit = 48 * 1024;
  const Twin* twin = nullptr;
};

/// The kernel behind the address of its host function (or behind a handle). Throws
/// ApiError(cudaErrorInvalidDeviceFunction).
Kernel& kernel_at(const void* function);

}  // namespace emulator
