#include "collectives/nccl/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "collectives/nccl/communicators.hpp"
#include "collectives/nccl/neighbours.hpp"
#include "kernels/cuda/device.hpp"

namespace assay::nccl {

namespace {

constexpr std::size_t probe_bytes = 4096;

/// Both ranks of the pair learn the same.
bool answers(Context& pair, const OperationKind& kind, Seconds patience) {
  std::shared_ptr<Communicator> communicator;
  Trouble trouble;
  trouble.guard([&] {
    communicator = Communicators::get(pair, {}, Communicators::Keeping::for_one_case, {});
    Operation operation(kind, pair, probe_bytes, cuda::Dtype::f32, false);
    const cuda::Stream& stream = cuda::cuda_device(pair.device).stream();
    operation.use(*communicator, stream);
    operation.fill(stream);
    operation.call(*communicator);
    const MonotonicClock clock;
    try {
      communicator->wait(stream, Deadline(clock, patience), "probe");
    } catch (...) {
      communicator->abort();  // before the buffers go
      throw;
    }
  });
  const bool failed = any_trouble(pair.group, trouble);
  if (failed && communicator) communicator->abort();
  return !failed;
}

/// This rank's part of a round; nothing for one without a partner.
std::string try_round(Context& context, const std::vector<std::pair<int, int>>& pairs, const OperationKind& kind,
                      Seconds patience) {
  const int own = context.group.rank();
  int color = -1;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (pairs[i].first == own || pairs[i].second == own) color = static_cast<int>(i);
  const std::unique_ptr<Group> group = context.group.split(color);
  if (!group) return {};
  const auto [first, second] = pairs[static_cast<std::size_t>(color)];
  const int low = std::min(first, second);
  const int high = std::max(first, second);
  const MonotonicClock clock;
  Context pair{*group,
               context.buffers,
               context.seed,
               Deadline(clock, patience),
               context.cpus,
               context.path,
               context.settings,
               context.device,
               context.layout,
               {context.members[static_cast<std::size_t>(low)], context.members[static_cast<std::size_t>(high)]}};
  return fmt::format("{} {} {}\n", first, second, answers(pair, kind, patience) ? 1 : 0);
}

}  // namespace

std::string probe_neighbours(Context& context, const OperationKind& kind, Seconds patience) {
  std::string own;
  for (const auto& pairs : neighbour_rounds(context.group.size())) own += try_round(context, pairs, kind, patience);
  const auto places = all_gather_texts(context.group, place_of(context));
  std::vector<Link> links;
  for (const std::string& text : all_gather_texts(context.group, own)) {
    std::istringstream lines(text);
    Link link;
    // Both ends report the same link.
    while (lines >> link.first >> link.second >> link.answers) {
      const bool known = std::ranges::any_of(
          links, [&](const Link& one) { return one.first == link.first && one.second == link.second; });
      if (!known) links.push_back(link);
    }
  }
  return blame(places, links);
}

}  // namespace assay::nccl
