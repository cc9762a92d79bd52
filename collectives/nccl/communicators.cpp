#include "collectives/nccl/communicators.hpp"

#include <algorithm>
#include <array>

#include "kernels/cuda/device.hpp"

namespace assay::nccl {

namespace {

// A communicator over 8 GPUs takes some hundred MB of each GPU's memory.
constexpr std::size_t most_kept = 16;
// Shorter than the watchdog's patience with a phase, so that a start that hangs ends with words.
constexpr double start_share = 0.8;
constexpr const char* getting = "NCCL communicator";

}  // namespace

Communicators::Communicators() : library_(open_library()) {}

std::shared_ptr<Communicator> Communicators::find(const std::vector<int>& members, const std::string& setting) {
  std::erase_if(kept_, [](const Kept& one) { return one.communicator->broken(); });
  const auto found =
      std::ranges::find_if(kept_, [&](const Kept& one) { return one.members == members && one.setting == setting; });
  return found == kept_.end() ? nullptr : found->communicator;
}

std::shared_ptr<Communicator> Communicators::get(Context& context, const std::string& setting, Keeping keeping,
                                                 Trouble trouble) {
  Communicators* mine = nullptr;
  std::shared_ptr<Communicator> found;
  trouble.guard([&] {
    mine = &cuda::cuda_device(context.device).companion<Communicators>();
    found = mine->find(context.members, setting);
  });
  // Ranks may differ: where one has lost the communicator, or has no room to keep one, none uses or keeps it.
  const bool keep = keeping == Keeping::for_the_run && !trouble && mine->kept_.size() < most_kept;
  std::array<double, 3> all{trouble ? 0.0 : 1.0, found ? 1.0 : 0.0, keep ? 1.0 : 0.0};
  context.group.min_in_place(all);
  if (all[0] == 0) throw_together(context.group, trouble, getting, place_of(context), {});
  if (all[1] > 0) return found;
  if (found) found->abort();
  const Seconds patience = context.deadline.remaining() * start_share;
  auto made = std::make_shared<Communicator>(mine->library_, mine->debug_, context, setting, patience);
  if (all[2] > 0) mine->kept_.push_back({context.members, setting, made});
  return made;
}

}  // namespace assay::nccl
