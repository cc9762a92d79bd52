#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>
#include <string_view>

namespace assay::cuda {

/// Throws Error(environment) unless `code` is success: "cudaMemcpyAsync: an illegal memory access was encountered
/// (700), GPU 0000:1b:00.0 on node2"; the hint names file and line. An error that the library can forget is forgotten.
void check(cudaError_t code, std::string_view what,
           const std::source_location& where = std::source_location::current());

/// This process's GPU has work that never ends: nothing that waits for the device is called any more, destructors leave
/// their handles behind, and whoever wants to use it is refused. There is no way back.
void give_up_on_device(std::string why);
[[nodiscard]] bool gave_up_on_device() noexcept;
/// Throws Error(environment) with the reason when the device was given up.
void require_working_device();

/// For destructors: what failed there has been or will be reported by the work itself.
void ignore(cudaError_t code) noexcept;

/// How messages name the GPU that this thread works with: "GPU 0000:1b:00.0". Set when a device is made current.
void set_device_label(std::string label);
/// The label and the host: "GPU 0000:1b:00.0 on node2".
[[nodiscard]] std::string device_place();

}  // namespace assay::cuda
