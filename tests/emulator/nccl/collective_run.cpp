#include "tests/emulator/nccl/collective_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/emulator/cuda/engine.hpp"
#include "tests/emulator/model/noise.hpp"
#include "tests/emulator/model/state.hpp"
#include "tests/emulator/nccl/exchange.hpp"
#include "tests/emulator/nccl/faults.hpp"

namespace emulator::nccl {
namespace {

/// What all ranks must have in common, in the words of a message.
std::string spell(const Posting& posting) {
  const auto type = static_cast<ncclDataType_t>(posting.type);
  return fmt::format("{} of {} {} (operation {}, root {})", name_of(static_cast<Collective>(posting.collective)),
                     posting.count, name_of(type), posting.operation, posting.root);
}

bool match(const Posting& a, const Posting& b) {
  return a.collective == b.collective && a.count == b.count && a.type == b.type && a.operation == b.operation &&
         a.root == b.root;
}

const Nic* find_nic(const Segment& segment) {
  if (segment.nic < 0) return nullptr;
  for (const auto& nic : Cluster::current().nodes().at(static_cast<std::size_t>(segment.node)).nics) {
    if (nic.slot == segment.nic) return &nic;
  }
  return nullptr;
}

}  // namespace

double share_left(const Nic& nic, double start, double seconds) {
  constexpr int samples = 32;
  double taken = 0;
  for (int i = 0; i < samples; ++i) taken += neighbour_share(nic, start + seconds * (i + 0.5) / samples);
  return 1 - taken / samples;
}

double CollectiveRun::run(double start) {
  auto& c = *communicator_;
  start = std::max(start, c.last_end_);
  Exchange exchange(*c.area_, *operation_, c.identity_.rank, c.sequence_, c.aborted_);
  post(start);
  exchange.stage();
  meet(
      c.area_->stream_barrier(), c.identity_.ranks, c.aborted_, [this] { judge(); }, [&c] { c.look_for_dead_peers(); });
  const Verdict verdict = c.area_->verdict();
  ++c.sequence_;
  c.last_end_ = verdict.end;
  if (verdict.differs >= 0) {
    report_mismatch(verdict.differs);
    return verdict.end;
  }
  exchange.finish();
  corrupt();
  account(*c.identity_.gpu, {.kind = Load::Kind::copy}, verdict.end - verdict.start);
  return verdict.end;
}

void CollectiveRun::post(double start) {
  auto& c = *communicator_;
  Posting& posting = c.area_->posting(c.identity_.rank);
  const Call& call = operation_->call;
  posting.start = start;
  posting.count = call.count;
  posting.sequence = c.sequence_;
  posting.collective = static_cast<std::int32_t>(call.collective);
  posting.type = call.type;
  posting.operation = call.reduction.scaled ? ncclNumOps : call.reduction.operation;
  posting.root = call.root;
  const auto& mine = operation_->plan->announced[static_cast<std::size_t>(c.identity_.rank)];
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const int resource = c.shape_.segments[static_cast<std::size_t>(mine[i])].resource;
    posting.users[i] = static_cast<std::uint8_t>(std::clamp(sharers(resource), 1, 255));
  }
}

/// Run by the last rank to arrive, while all others wait.
void CollectiveRun::judge() {
  auto& area = *communicator_->area_;
  Verdict& verdict = area.verdict();
  verdict = {.start = 0, .end = 0, .differs = -1};
  for (int rank = 0; rank < area.ranks(); ++rank) {
    verdict.start = std::max(verdict.start, area.posting(rank).start);
    if (verdict.differs < 0 && !match(area.posting(rank), area.posting(0))) verdict.differs = rank;
  }
  verdict.end = verdict.start;
  if (verdict.differs < 0 && !Cluster::current().zero_time()) verdict.end += seconds(verdict.start);
}

/// Time of the operation: the busiest segment with all who share it, and noise.
double CollectiveRun::seconds(double start) const {
  const auto& c = *communicator_;
  const auto event = mix(c.area_->noise_key(), c.sequence_);
  double factor = jitter(event);
  for (std::size_t rank = 0; rank < c.places_.size(); ++rank) {
    const Gpu& gpu = gpu_at(Cluster::current(), c.places_[rank]);
    if (gpu.fault(FaultKind::jitter) != nullptr) factor = std::max(factor, jitter(gpu, mix(event, rank)));
  }
  return alone(start) * factor;
}

double CollectiveRun::alone(double start) const {
  const auto& c = *communicator_;
  const Plan& plan = *operation_->plan;
  if (c.identity_.ranks == 1) {
    const Gpu& gpu = *c.identity_.gpu;
    return 4e-6 + memory_seconds(gpu, live_state(gpu), 2 * operation_->size);
  }
  auto busy = plan.loads;
  for (int rank = 0; rank < c.identity_.ranks; ++rank) {
    const auto& announced = plan.announced[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < announced.size(); ++i) {
      busy[static_cast<std::size_t>(announced[i])] *= c.area_->posting(rank).users[i];
    }
  }
  const auto total = [&] {
    const double per_byte = seconds_per_byte(plan.collective, plan.algorithm, c.shape_, busy);
    return transfer_seconds(plan.collective, operation_->protocol, plan.latency, per_byte, operation_->size);
  };
  const double undisturbed = total();
  for (std::size_t i = 0; i < busy.size(); ++i) {
    const Nic* nic = busy[i] > 0 ? find_nic(c.shape_.segments[i]) : nullptr;
    if (nic != nullptr && nic->fault(FaultKind::noisy_neighbour) != nullptr) {
      busy[i] /= std::max(0.01, share_left(*nic, start, undisturbed));
    }
  }
  return total();
}

void CollectiveRun::report_mismatch(int rank) const {
  const auto& area = *communicator_->area_;
  communicator_->fail_later(ncclInvalidUsage, fmt::format("rank {} called {}, but rank 0 called {}", rank,
                                                          spell(area.posting(rank)), spell(area.posting(0))));
}

void CollectiveRun::corrupt() const {
  const auto& c = *communicator_;
  const auto received = receive_bytes(operation_->call, c.identity_.ranks, c.identity_.rank);
  if (received == 0 || operation_->packed_bytes == 0) return;
  const double results = static_cast<double>(received / size_of(operation_->call.type));
  for (int wrong = wrong_results(*c.identity_.gpu, results); wrong > 0; --wrong) {
    const auto key = mix(mix(Cluster::current().seed(), c.sequence_), static_cast<std::uint64_t>(wrong));
    const auto& window = operation_->windows[key % operation_->windows.size()];
    const auto at = window.offset + mix(key, 1) % window.bytes;
    operation_->receive[at] ^= static_cast<std::byte>(1U << (mix(key, 2) % 7));
  }
}

}  // namespace emulator::nccl
