#include "tests/emulator/nccl/handles.hpp"

#include "tests/emulator/nccl/failure.hpp"

namespace emulator::nccl {

Handles& Handles::get() {
  static Handles& made = *std::make_unique<Handles>().release();  // streams may outlive main
  return made;
}

ncclComm_t Handles::add(std::shared_ptr<Communicator> communicator) {
  auto made = std::make_unique<ncclComm>(std::move(communicator));
  const std::lock_guard lock(mutex_);
  ncclComm_t const handle = made.get();
  all_.emplace(handle, std::move(made));
  return handle;
}

std::shared_ptr<Communicator> Handles::find(ncclComm_t handle) {
  const std::lock_guard lock(mutex_);
  const auto found = all_.find(handle);
  if (found == all_.end())
    throw Failure(ncclInvalidArgument, "comm argument is no communicator, or one that was destroyed");
  return found->second->communicator;
}

void Handles::drop(ncclComm_t handle) {
  const std::lock_guard lock(mutex_);
  all_.erase(handle);
}

}  // namespace emulator::nccl
