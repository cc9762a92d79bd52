// Copies between two GPUs of a node through memory that one maps from the other: by the copy engine or by the
// multiprocessors, written or read by the GPU that initiates, one way or both ways at once. The rounds of a tournament
// over a node's GPUs cover every pair once; the disjoint pairs of a round work at the same time.
//
// Each GPU has a block to send from and one to receive into; contents are new in every series.

#include <array>
#include <limits>
#include <memory>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/registry.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/kernels.hpp"
#include "kernels/cuda/peer_link.hpp"
#include "kernels/cuda/stream_case.hpp"

namespace assay::cuda {

namespace {

struct Variant {
  bool by_engine;
  bool write;
  bool both;
  int initiator;  ///< rank in the pair
  std::size_t bytes;
};

class PeerCopy final : public StreamCase {
 public:
  PeerCopy(Context& context, const Variant& variant)
      : StreamCase(context),
        variant_(variant),
        works_(variant.both || context.group.rank() == variant.initiator),
        receives_(variant.both || works_ != variant.write),
        seed_(context.seed),
        block_(2 * variant.bytes) {
    fill_words(stream(), block_.data(), variant.bytes, content_of(group().rank()));
    drain("the preparation of blocks");
  }

  /// What takes part in communication comes last, so that a rank that fails alone keeps no other waiting.
  static std::unique_ptr<Case> make(Context& context, const Variant& variant) {
    std::unique_ptr<PeerCopy> subject;
    const std::string problem = problem_of([&] { subject = std::make_unique<PeerCopy>(context, variant); });
    auto link = std::make_unique<PeerLink>(context.group, subject ? std::move(subject->block_) : Memory(), problem);
    subject->link_ = std::move(link);
    return subject;
  }

  Check verify() override {
    if (!receives_) return {};
    tally_.clear(stream());
    check_words(stream(), second(link_->own()), variant_.bytes, content_of(1 - group().rank()), tally_);
    return check_of(tally_.read(stream()));
  }

  bool corrupt() override {
    if (receives_) flip_bit(stream(), second(link_->own()), 5);
    return receives_;
  }

  [[nodiscard]] Work work() const override {
    const auto bytes = static_cast<double>(variant_.bytes);
    if (variant_.both) return {WorkKind::bytes, 2 * bytes, Direction::both_ways, 1};
    return {WorkKind::bytes, bytes, Direction::one_way, 1};
  }

  // The rank that only holds memory takes over the times of the one that works.
  void device_seconds(std::span<double> out) override {
    if (works_)
      StreamCase::device_seconds(out);
    else
      std::copy_n(seconds_.begin(), std::min(out.size(), seconds_.size()), out.begin());
  }

 private:
  [[nodiscard]] std::uint64_t content_of(int rank) const { return mix(seed_, static_cast<std::uint64_t>(rank)); }
  [[nodiscard]] std::byte* second(void* block) const { return static_cast<std::byte*>(block) + variant_.bytes; }

  // Done before the barrier that opens the gates: the other rank writes here.
  void prepare() override {
    runs_ = 0;
    cuda::check(cudaMemsetAsync(second(link_->own()), 0xff, variant_.bytes, stream().get()), "cudaMemsetAsync");
    drain("the preparation of a batch");
  }

  void enqueue() override {
    ++runs_;
    if (!works_) return;
    void* to = second(variant_.write ? link_->peer() : link_->own());
    const void* from = variant_.write ? link_->own() : link_->peer();
    if (variant_.by_engine)
      cuda::check(cudaMemcpyAsync(to, from, variant_.bytes, cudaMemcpyDeviceToDevice, stream().get()),
                  "cudaMemcpyAsync between GPUs");
    else
      sm_copy(stream(), to, from, variant_.bytes);
  }

  // The other rank may still be writing here when this rank's own copies are done.
  void finish() override {
    if (variant_.both) {
      group().quiet_barrier();
      return;
    }
    double count = static_cast<double>(runs_);
    group().max_in_place(std::span(&count, 1));
    seconds_.assign(static_cast<std::size_t>(count), std::numeric_limits<double>::quiet_NaN());
    std::exception_ptr failure;
    try {
      if (works_) StreamCase::device_seconds(seconds_);
    } catch (...) {
      failure = std::current_exception();
    }
    group().broadcast(std::as_writable_bytes(std::span<double>(seconds_)), variant_.initiator);
    if (failure) std::rethrow_exception(failure);
  }

  Variant variant_;
  bool works_;
  bool receives_;
  std::uint64_t seed_;
  Memory block_;  ///< first half: sent from; second half: received into; the link's once it is made
  std::unique_ptr<PeerLink> link_;
  TallyCounter tally_;
  std::uint64_t runs_ = 0;
  std::vector<double> seconds_;
};

std::vector<Axis> axes(const Layout& layout) {
  Axis round{"round", {}};
  for (int i = 0; i < tournament_rounds(gpus_on_fullest_node(layout)); ++i) round.values.push_back({std::to_string(i)});
  return {round,
          {"from", {{"lower"}, {"upper"}}},
          {"by", {{"copy_engine"}, {"sm", Suite::standard}}},
          {"op", {{"write"}, {"read", Suite::standard}}},
          {"way", {{"one"}, {"both", Suite::standard}}},
          {"bytes", {{"67108864"}, {"268435456", Suite::full}}}};
}

RankSets sets(const Layout& layout, const Point& point) {
  // Both ways, nobody is the first.
  if (point.get("way") == "both" && point.get("from") == "upper") return {};
  RankSets pairs;
  for (const auto& members : gpu_ranks_each_node(layout)) {
    const int count = static_cast<int>(members.size());
    const int round = static_cast<int>(point.integer("round"));
    if (round >= tournament_rounds(count)) continue;
    for (const auto& pair : tournament_round(count, round))
      pairs.push_back({members[static_cast<std::size_t>(pair[0])], members[static_cast<std::size_t>(pair[1])]});
  }
  return pairs;
}

const Register registered({
    .name = "gpu.peer_copy",
    .summary = "Copies between two GPUs of a node, every pair, in rounds of disjoint pairs at once",
    .needs = {.gpus_on_node = 2},
    .timing = Timing::device,
    .combine = Combine::slowest,
    .longest_batch = StreamCase::longest_batch,
    .axes = axes,
    .sets = sets,
    .make = [](Context& context, const Point& point) -> std::unique_ptr<Case> {
      const Variant variant{point.get("by") == "copy_engine", point.get("op") == "write", point.get("way") == "both",
                            point.get("from") == "lower" ? 0 : 1, point.integer("bytes")};
      return PeerCopy::make(context, variant);
    },
});

}  // namespace

}  // namespace assay::cuda
