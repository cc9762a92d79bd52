#pragma once

#include <nccl.h>

#include <exception>
#include <string>

#include "tests/emulator/nccl/area.hpp"
#include "tests/emulator/nccl/failure.hpp"
#include "tests/emulator/nccl/group.hpp"
#include "tests/emulator/nccl/last_error.hpp"

namespace emulator::nccl {

/// Runs the body of a call of the C interface; what it throws becomes the result.
template <typename Body>
ncclResult_t guarded(Body body) {
  try {
    return body();
  } catch (const Failure& failure) {
    LastError::get().set(failure.what());
    return failure.code();
  } catch (const Aborted&) {
    LastError::get().set("aborted");
    return ncclInternalError;
  } catch (const std::exception& error) {
    LastError::get().set(error.what());
    return ncclInternalError;
  }
}

/// The same for a call that belongs into a group: it opens one of its own where there is none.
template <typename Body>
ncclResult_t grouped(Body body) {
  return guarded([&] {
    auto& group = Group::of_this_thread();
    group.start();
    try {
      body(group);
    } catch (const Failure& failure) {
      group.add(failure);
      group.end();  // throws it when this was the outermost group
      throw;
    }
    group.end();
    return !group.open() && group.later() ? ncclInProgress : ncclSuccess;
  });
}

}  // namespace emulator::nccl
