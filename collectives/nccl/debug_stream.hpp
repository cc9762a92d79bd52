#pragma once

#include <string>

namespace assay::nccl {

/// Where NCCL writes about itself. It reads its settings once in a process, before its first communicator; the object
/// has to be made before that.
class DebugStream {
 public:
  /// Asks NCCL, by its environment variables, to write what it decides into memory of this process. Settings that are
  /// there are the user's and stay: a NCCL_DEBUG_FILE is read as well, but with NCCL_DEBUG alone there is nothing to
  /// read.
  DebugStream();

  /// False when the user's settings send the text elsewhere.
  [[nodiscard]] bool readable() const { return !path_.empty(); }
  /// What was written since the last call; empty when nothing was, or nothing can be read.
  [[nodiscard]] std::string take();

 private:
  int memory_ = -1;   ///< file in memory, open until the process ends since NCCL uses it until then; -1: a user's file
  std::string path_;  ///< the file; empty: none
  std::size_t read_ = 0;
};

/// A NCCL_DEBUG_FILE with its %h and %p replaced, as NCCL does it.
[[nodiscard]] std::string debug_file_path(const std::string& pattern, const std::string& host, long process);

}  // namespace assay::nccl
