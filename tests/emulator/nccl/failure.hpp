#pragma once

#include <nccl.h>

#include <stdexcept>
#include <string>

namespace emulator::nccl {

/// A call that fails, with the code it returns and the words of ncclGetLastError.
class Failure : public std::runtime_error {
 public:
  Failure(ncclResult_t code, const std::string& what) : std::runtime_error(what), code_(code) {}
  [[nodiscard]] ncclResult_t code() const { return code_; }

 private:
  ncclResult_t code_;
};

}  // namespace emulator::nccl
