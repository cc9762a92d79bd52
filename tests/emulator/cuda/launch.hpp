#pragma once

#include <cuda_runtime_api.h>

#include "tests/emulator/cuda/kernels.hpp"
#include "tests/emulator/cuda/stream.hpp"

namespace emulator {

/// Puts a kernel into the stream. Throws ApiError for what hardware refuses at once; what it finds out later, such as
/// memory that cannot be reached, becomes the sticky error of the device.
void launch(Stream& stream, const Kernel& kernel, const Shape& shape, void** arguments);

}  // namespace emulator
