#include "kernels/cuda/device/grid.cuh"
#include "kernels/cuda/device/kernels.cuh"

namespace assay::cuda {

extern "C" __global__ void assay_gate(const unsigned* opened, unsigned turn, unsigned* gave_up,
                                      std::uint64_t nanoseconds) {
  if (!first_thread()) return;
  const std::uint64_t start = device_nanoseconds();
  while (static_cast<int>(read_host_word(opened) - turn) < 0) {
    if (device_nanoseconds() - start > nanoseconds) {
      write_host_word(gave_up, 1);
      return;
    }
    pause_between_looks();
  }
}

extern "C" __global__ void assay_empty() {}

}  // namespace assay::cuda
