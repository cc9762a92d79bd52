#pragma once

#include <nccl.h>

#include <map>
#include <memory>
#include <mutex>

#include "tests/emulator/nccl/communicator.hpp"

/// What the application holds.
struct ncclComm {
  std::shared_ptr<emulator::nccl::Communicator> communicator;
};

namespace emulator::nccl {

/// The handles that are valid.
class Handles {
 public:
  static Handles& get();
  ncclComm_t add(std::shared_ptr<Communicator> communicator);
  /// Throws Failure for anything but a valid handle.
  std::shared_ptr<Communicator> find(ncclComm_t handle);
  void drop(ncclComm_t handle);

 private:
  std::mutex mutex_;
  std::map<ncclComm_t, std::unique_ptr<ncclComm>> all_;
};

}  // namespace emulator::nccl
