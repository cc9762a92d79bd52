#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/nccl/debug_stream.hpp"
#include "collectives/nccl/debug_text.hpp"
#include "collectives/nccl/library.hpp"
#include "core/case.hpp"
#include "core/clock.hpp"
#include "kernels/cuda/stream.hpp"

namespace assay::nccl {

/// How messages name this rank: "rank 22 (GPU 0000:1b:00.0 on node3)".
[[nodiscard]] std::string place_of(const Context& context);

/// One NCCL communicator over the ranks of a set.
///
/// It is a blocking one: with the other kind recent NCCL starts a thread for every operation, which small messages
/// would show. So that a start that never ends does not hold the rank, a thread of its own makes it.
class Communicator {
 public:
  /// Collective over context.group; throws on all ranks or on none. `setting` is the value of NCCL_ALGO for this
  /// communicator alone, empty to leave NCCL free.
  Communicator(const Library& library, DebugStream& debug, Context& context, const std::string& setting,
               Seconds patience);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  [[nodiscard]] ncclComm_t get() const { return communicator_; }
  [[nodiscard]] const Library& library() const { return library_; }
  [[nodiscard]] bool broken() const { return communicator_ == nullptr; }

  /// Throws Error(environment) with NCCL's words unless `result` is success.
  void check(ncclResult_t result, const char* what) const;
  /// Waits until the work of the stream is done, looking for errors that NCCL reports meanwhile. Throws as
  /// cuda::wait(); the work may then be under way still.
  void wait(const cuda::Stream& stream, const Deadline& deadline, const char* what) const;
  /// Ends operations under way; the communicator cannot be used any more.
  void abort() noexcept;

  /// What NCCL has told so far about itself, by this rank.
  [[nodiscard]] const Observed& observed();
  /// False when the user's settings send NCCL's words elsewhere.
  [[nodiscard]] bool observable() const { return debug_.readable(); }

 private:
  void agree_on_version(Context& context) const;
  void start(Context& context, const std::string& setting, Seconds patience);

  const Library& library_;
  DebugStream& debug_;
  Observed observed_;
  ncclComm_t communicator_ = nullptr;
};

/// Ranks whose version of NCCL differs from most ranks': "rank 3 has NCCL 2.27.3, the others 2.28.9"; empty when all
/// agree.
[[nodiscard]] std::string version_conflict(const std::vector<std::string>& versions, const std::vector<int>& members);

}  // namespace assay::nccl
