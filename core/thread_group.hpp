#pragma once

#include <functional>

#include "core/group.hpp"

namespace assay {

/// Runs `body` on `size` threads of this process, each with its own Group: the rules of MPI without MPI, for tests.
/// An exception on one rank releases the others from their waits (they throw too) and the first one is rethrown here.
void run_thread_group(int size, const std::function<void(Group&)>& body);

}  // namespace assay
