#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/nccl/communicator.hpp"
#include "collectives/nccl/trouble.hpp"

namespace assay::nccl {

/// NCCL of this process and the communicators of its GPU, which are dear to make: they are kept for later series. A
/// companion of the device, so that they go before it does.
class Communicators {
 public:
  enum class Keeping {
    for_the_run,  ///< sets that many series have
    for_one_case  ///< sets of one series, such as the pairs of a round
  };

  /// Throws Error(environment) when there is no NCCL that is of use.
  Communicators();

  /// Collective over context.group: a communicator of its ranks, in their order. `trouble` is what went wrong on this
  /// rank so far: then all throw, as they do when a communicator cannot be made.
  [[nodiscard]] static std::shared_ptr<Communicator> get(Context& context, const std::string& setting, Keeping keeping,
                                                         Trouble trouble);

 private:
  struct Kept {
    std::vector<int> members;
    std::string setting;
    std::shared_ptr<Communicator> communicator;
  };
  [[nodiscard]] std::shared_ptr<Communicator> find(const std::vector<int>& members, const std::string& setting);

  DebugStream debug_;  ///< before NCCL is opened
  Library library_;
  std::vector<Kept> kept_;  ///< in the order of their making, which is the same on all ranks of each
};

}  // namespace assay::nccl
