// How much of the GPU's memory a program really gets, and whether it keeps what is written: everything that can be
// allocated but for a margin is filled and read back, with contents of its own in every piece and every pass.

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/registry.hpp"
#include "core/units.hpp"
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/kernels.hpp"
#include "kernels/cuda/stream_case.hpp"

namespace assay::cuda {

namespace {

constexpr std::size_t largest_piece = std::size_t{4} << 30;
constexpr std::size_t smallest_piece = std::size_t{16} << 20;
constexpr std::size_t margin = std::size_t{64} << 20;  ///< left to the driver: kernels, events, printing
constexpr std::uint64_t longest = 8;

/// Pieces until nothing fits any more, each as large as possible.
std::vector<Memory> take_all(const CudaDevice& device) {
  std::vector<Memory> pieces;
  std::size_t size = largest_piece;
  while (size >= smallest_piece) {
    const std::size_t free = device.free_bytes();
    if (free < margin + size) {
      size /= 2;
      continue;
    }
    try {
      pieces.emplace_back(size);
    } catch (const Error&) {
      size /= 2;
    }
  }
  return pieces;
}

class Capacity final : public StreamCase {
 public:
  explicit Capacity(Context& context)
      : StreamCase(context),
        seed_(mix(context.seed, static_cast<std::uint64_t>(context.group.rank()))),
        pieces_(take_all(device())) {
    for (const Memory& piece : pieces_) bytes_ += piece.size();
    if (bytes_ == 0) throw environment_error("no memory of the GPU can be allocated, " + device_place());
    tally_.clear(stream());
  }

  /// What takes part in communication comes last, so that a rank that fails alone keeps no other waiting.
  static std::unique_ptr<Case> make(Context& context) {
    std::unique_ptr<Capacity> subject;
    std::exception_ptr failure;
    try {
      subject = std::make_unique<Capacity>(context);
    } catch (...) {
      failure = std::current_exception();
    }
    const double of_set = sum_over(context.group, subject ? static_cast<double>(subject->bytes_) : 0);
    if (failure) std::rethrow_exception(failure);
    subject->of_set_ = of_set;
    return subject;
  }

  // The check is part of the iteration: what it counted is the answer, and a damaged piece is looked at once more.
  Check verify() override {
    check_piece(0);
    return check_of(tally_.read(stream()));
  }

  bool corrupt() override {
    flip_bit(stream(), pieces_.front().data(), 7);
    return true;
  }

  [[nodiscard]] Work work() const override { return {WorkKind::bytes, of_set_}; }
  [[nodiscard]] std::string method() const override {
    return fmt::format("{} of {} in {} pieces", in_words(bytes_),
                       in_words(static_cast<std::size_t>(device().identity().memory_bytes)), pieces_.size());
  }

 private:
  static std::string in_words(std::size_t bytes) {
    return format_quantity(static_cast<double>(bytes), Dimension::bytes);
  }
  [[nodiscard]] std::uint64_t content_of(std::size_t index) const { return mix(mix(seed_, pass_), index); }
  void check_piece(std::size_t index) {
    check_words(stream(), pieces_[index].data(), pieces_[index].size(), content_of(index), tally_);
  }

  void prepare() override { tally_.clear(stream()); }
  void enqueue() override {
    ++pass_;
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      fill_words(stream(), pieces_[i].data(), pieces_[i].size(), content_of(i));
    for (std::size_t i = 0; i < pieces_.size(); ++i) check_piece(i);
  }

  std::uint64_t seed_;
  std::uint64_t pass_ = 0;
  TallyCounter tally_;
  std::vector<Memory> pieces_;
  std::size_t bytes_ = 0;
  double of_set_ = 0;
};

const Register registered({
    .name = "gpu.capacity",
    .summary = "All memory that can be allocated, written and read back; one iteration is one pass",
    .needs = {.gpus = 1},
    .timing = Timing::device,
    .combine = Combine::slowest,  // ranks may hold different amounts
    .longest_batch = longest,
    .axes = [](const Layout& layout) { return std::vector<Axis>{gpus_axis(layout, Suite::full)}; },
    .sets = gpus_sets,
    .make = [](Context& context, const Point&) -> std::unique_ptr<Case> { return Capacity::make(context); },
});

}  // namespace

}  // namespace assay::cuda
