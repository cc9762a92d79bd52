#include "collectives/mpi/collective.hpp"

#include <algorithm>
#include <type_traits>

#include "collectives/mpi/axes.hpp"
#include "collectives/mpi/pattern.hpp"

namespace assay::mpi {

namespace {

constexpr std::uint64_t largest_bytes = std::uint64_t{1} << 28;

template <class T>
class CollectiveCase final : public Case {
 public:
  CollectiveCase(const Collective& collective, Context& context, std::size_t bytes)
      : collective_(collective), rank_(context.group.rank()), size_(context.group.size()), seed_(context.seed) {
    count_ = block_elements(bytes, std::max(blocks(collective_.send), blocks(collective_.receive)), sizeof(T));
    send_ = context.buffers.take(count_ * blocks(collective_.send) * sizeof(T));
    receive_ = context.buffers.take(count_ * blocks(collective_.receive) * sizeof(T));
    operands_ = {send_.data(), receives() ? receive_.data() : send_.data(), static_cast<int>(count_),
                 std::is_same_v<T, float> ? MPI_FLOAT : MPI_DOUBLE, communicator(context.group)};
  }

  void begin() override {
    ++batch_;
    const std::size_t filled = sends() ? blocks(collective_.send) : 0;
    for (std::size_t b = 0; b < filled; ++b) held(rank_, static_cast<int>(b)).fill(block(send_, b));
    if (receives()) poison(received());
  }

  void run() override { collective_.call(operands_); }

  Check verify() override {
    Check check;
    if (!receives()) return check;
    for (std::size_t b = 0; b < blocks(collective_.receive); ++b) {
      const int from = static_cast<int>(b);
      expected(from).compare(block(receive_, b), "block", from, check);
    }
    return check;
  }

  bool corrupt() override { return receives() && damage(received()); }

  [[nodiscard]] Work work() const override {
    const std::size_t elements = count_ * std::max(blocks(collective_.send), blocks(collective_.receive));
    return {WorkKind::bytes, static_cast<double>(elements * sizeof(T)), Direction::none, collective_.bus_factor(size_)};
  }

 private:
  [[nodiscard]] std::size_t blocks(Blocks kind) const {
    return kind == Blocks::one ? 1 : static_cast<std::size_t>(size_);
  }
  [[nodiscard]] bool sends() const { return collective_.result != Result::from_root || rank_ == 0; }
  [[nodiscard]] bool receives() const { return collective_.result != Result::from_root || rank_ != 0; }
  [[nodiscard]] std::span<T> block(const BufferPool::Block& buffer, std::size_t index) const {
    return buffer.template as<T>().subspan(index * count_, count_);
  }
  [[nodiscard]] std::span<std::byte> received() const {
    return {receive_.data(), count_ * blocks(collective_.receive) * sizeof(T)};
  }

  /// What `source` holds in block `destination` of its send buffer (the only block, for Blocks::one).
  [[nodiscard]] Tile<T> held(int source, int destination) const {
    return {{seed_, batch_, source, collective_.send == Blocks::one ? 0 : destination}, count_};
  }

  [[nodiscard]] Tile<T> expected(int from) const {
    if (collective_.result == Result::from_root) return held(0, rank_);
    if (collective_.result == Result::from_rank) return held(from, rank_);
    Tile<T> sum = held(0, rank_);
    for (int source = 1; source < size_; ++source) sum += held(source, rank_);
    return sum;
  }

  Collective collective_;
  int rank_;
  int size_;
  std::uint64_t seed_;
  std::uint64_t batch_ = 0;
  std::size_t count_ = 0;
  BufferPool::Block send_;
  BufferPool::Block receive_;
  Operands operands_;
};

std::unique_ptr<Case> make_case(const Collective& collective, Context& context, const Point& point) {
  const std::size_t bytes = point.integer("bytes");
  if (point.has("dtype") && point.get("dtype") == "f64")
    return std::make_unique<CollectiveCase<double>>(collective, context, bytes);
  return std::make_unique<CollectiveCase<float>>(collective, context, bytes);
}

}  // namespace

double factor_all_reduce(double n) { return 2 * (n - 1) / n; }
double factor_exchange(double n) { return (n - 1) / n; }
double factor_one(double) { return 1; }

std::size_t block_elements(std::size_t bytes, std::size_t blocks, std::size_t element_bytes) {
  return std::max<std::size_t>(1, bytes / (blocks * element_bytes));
}

CaseInfo describe(const Collective& collective) {
  CaseInfo info;
  info.name = collective.name;
  info.summary = collective.summary;
  info.needs.ranks = 2;
  info.barrier_before_each = true;
  info.axes = [collective](const Layout& layout) {
    std::vector<Axis> axes{bytes_axis(largest_bytes)};
    if (collective.result == Result::sum) axes.push_back(dtype_axis());
    axes.push_back(ranks_axis(layout));
    return axes;
  };
  info.sets = ranks_sets;
  info.make = [collective](Context& context, const Point& point) { return make_case(collective, context, point); };
  return info;
}

}  // namespace assay::mpi
