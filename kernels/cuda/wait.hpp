#pragma once

#include <functional>
#include <string_view>

#include "core/clock.hpp"
#include "kernels/cuda/stream.hpp"

namespace assay::cuda {

/// Waits until all work of the stream is done: spins shortly, then sleeps between looks. `look`, when given, is called
/// between looks and may throw (an asynchronous error of a library). Throws Error(environment) with the library's
/// words when the work failed, and Error(incomplete) naming `what` when the deadline passes: the work is then still
/// under way.
void wait(const Stream& stream, const Deadline& deadline, std::string_view what,
          const std::function<void()>& look = {});

}  // namespace assay::cuda
