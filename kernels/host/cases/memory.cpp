#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/registry.hpp"
#include "kernels/host/filling.hpp"
#include "kernels/host/stream.hpp"
#include "kernels/host/thread_team.hpp"

namespace assay {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t page_doubles = 4096 / sizeof(double);
/// With all of a node's CPUs at work, larger arrays than this add nothing but memory: 192 MiB per CPU.
constexpr std::uint64_t filling_bytes = std::uint64_t{64} << 20;
/// Small arrays are gone over several times in an iteration, until this much has been moved by a CPU.
constexpr std::uint64_t iteration_bytes = std::uint64_t{128} << 20;

enum class Op { copy, scale, add, triad, read, write };

struct OpInfo {
  std::string_view name;
  Op op;
  unsigned arrays;  ///< read or written once each, as STREAM counts
  Suite from;
};

constexpr std::array<OpInfo, 6> ops = {{
    {"copy", Op::copy, 2, Suite::quick},
    {"triad", Op::triad, 3, Suite::quick},
    {"read", Op::read, 1, Suite::full},
    {"write", Op::write, 1, Suite::full},
    {"scale", Op::scale, 2, Suite::full},
    {"add", Op::add, 3, Suite::full},
}};

const OpInfo& op_named(const std::string& name) {
  const auto* found = std::find_if(ops.begin(), ops.end(), [&](const OpInfo& info) { return info.name == name; });
  if (found == ops.end()) throw environment_error("host.memory has no op " + name);
  return *found;
}

/// One CPU's arrays. Output comes first; `sum` is the output of `read`.
struct alignas(64) Share {
  std::span<double> a;
  const double* b = nullptr;
  const double* c = nullptr;
  std::uint32_t seed_b = 0;
  std::uint32_t seed_c = 0;
  double sum = nan;
};

class MemoryCase final : public Case {
 public:
  MemoryCase(Context& ctx, const OpInfo& info, std::uint64_t bytes)
      : info_(info),
        cpus_(ctx.cpus),
        count_(bytes / sizeof(double)),
        passes_(std::max<std::uint64_t>(1, iteration_bytes / (info.arrays * bytes))),
        team_(ctx.cpus),
        memory_(ctx.buffers, team_, info.arrays * bytes),
        shares_(ctx.cpus.size()),
        bytes_moved_(static_cast<double>(passes_ * info.arrays * bytes) * cpus_in_set(ctx)) {
    const std::uint64_t seed = mix(ctx.seed, static_cast<std::uint64_t>(ctx.group.rank()));
    team_.run([this, seed](std::size_t index) { prepare(index, mix(seed, index)); });
  }

  // Marks that have to be gone again after a pass, so that results of an earlier batch cannot stand for this one's.
  void begin() override {
    team_.run([this](std::size_t index) {
      Share& share = shares_[index];
      share.sum = nan;
      if (info_.op == Op::read) return;
      for (std::size_t i = 0; i < share.a.size(); i += page_doubles) share.a[i] = nan;
    });
  }

  void run() override {
    factor_ = factor_ >= 7 ? 1 : factor_ + 1;
    team_.run([this](std::size_t index) { work_on(shares_[index]); });
  }

  Check verify() override {
    return check_on_all(team_, cpus_, [this](std::size_t index) { return check(shares_[index]); });
  }

  bool corrupt() override {
    Share& share = shares_.back();
    (info_.op == Op::read ? share.sum : share.a[share.a.size() / 3]) += 1;
    return true;
  }

  [[nodiscard]] Work work() const override { return {WorkKind::bytes, bytes_moved_, Direction::none, 1}; }

 private:
  void prepare(std::size_t index, std::uint64_t seed);
  void work_on(Share& share) const;
  [[nodiscard]] stream::Expectation expected(const Share& share) const;
  [[nodiscard]] Check check(const Share& share) const;

  OpInfo info_;
  std::vector<int> cpus_;
  std::size_t count_;
  std::uint64_t passes_;
  ThreadTeam team_;
  PerCpuMemory memory_;
  std::vector<Share> shares_;
  double bytes_moved_;
  double factor_ = 0;  ///< of scale and triad, and the value of write; another one in each iteration
};

void MemoryCase::prepare(std::size_t index, std::uint64_t seed) {
  auto* first = reinterpret_cast<double*>(memory_.piece(index).data());
  Share& share = shares_[index];
  share.seed_b = static_cast<std::uint32_t>(seed);
  share.seed_c = static_cast<std::uint32_t>(seed >> 32);
  share.a = {first, count_};
  share.b = info_.op == Op::read ? first : first + count_;
  share.c = first + 2 * count_;
  if (info_.op == Op::read) {
    stream::fill(share.a, share.seed_b);
    return;
  }
  stream::write(share.a, nan);
  if (info_.arrays > 1) stream::fill({first + count_, count_}, share.seed_b);
  if (info_.arrays > 2) stream::fill({first + 2 * count_, count_}, share.seed_c);
}

void MemoryCase::work_on(Share& share) const {
  for (std::uint64_t pass = 0; pass < passes_; ++pass) {
    switch (info_.op) {
      case Op::copy:
        stream::copy(share.a, share.b);
        break;
      case Op::scale:
        stream::scale(share.a, share.b, factor_);
        break;
      case Op::add:
        stream::add(share.a, share.b, share.c);
        break;
      case Op::triad:
        stream::triad(share.a, share.b, share.c, factor_);
        break;
      case Op::read:
        share.sum = stream::sum(share.a);
        break;
      case Op::write:
        stream::write(share.a, factor_);
        break;
    }
  }
}

stream::Expectation MemoryCase::expected(const Share& share) const {
  stream::Expectation value{.base = 0, .b = 1, .c = 0, .seed_b = share.seed_b, .seed_c = share.seed_c};
  if (info_.op == Op::scale) value.b = factor_;
  if (info_.op == Op::add) value.c = 1;
  if (info_.op == Op::triad) value.c = factor_;
  if (info_.op == Op::write) value = {.base = factor_, .b = 0, .c = 0, .seed_b = 0, .seed_c = 0};
  return value;
}

Check MemoryCase::check(const Share& share) const {
  const stream::Expectation want = expected(share);
  Check result;
  result.checked = share.a.size();
  result.wrong = stream::count_wrong(share.a, want);
  if (result.wrong > 0) {
    std::size_t at = 0;
    while (share.a[at] == want.at(at)) ++at;
    result.first = fmt::format("element {} is {}, expected {}", at, share.a[at], want.at(at));
  }
  if (info_.op != Op::read) return result;
  double sum = 0;
  for (std::size_t i = 0; i < share.a.size(); ++i) sum += want.at(i);
  ++result.checked;
  if (share.sum == sum) return result;
  ++result.wrong;
  if (result.first.empty()) result.first = fmt::format("sum is {}, expected {}", share.sum, sum);
  return result;
}

std::vector<Axis> axes(const Layout& layout) {
  Axis op{"op", {}};
  for (const OpInfo& info : ops) op.values.push_back({std::string(info.name), info.from});
  Axis bytes{"bytes",
             {{"32768", Suite::standard},
              {"262144", Suite::standard},
              {"1048576", Suite::standard},
              {"4194304", Suite::standard},
              {"16777216", Suite::standard},
              {"67108864", Suite::quick},
              {"268435456", Suite::standard}}};
  return {bytes, op, ranks_axis(layout)};
}

RankSets sets(const Layout& layout, const Point& point) {
  if (point.get("ranks") != "one" && point.integer("bytes") > filling_bytes) return {};
  return ranks_sets(layout, point);
}

const Register registration({
    .name = "host.memory",
    .summary = "Memory bandwidth as STREAM counts it; bytes = one array of one CPU, no non-temporal stores",
    .needs = {},
    .timing = Timing::shared_start,
    .combine = Combine::slowest,
    .barrier_before_each = true,
    .axes = axes,
    .sets = sets,
    .make = [](Context& ctx, const Point& point) -> std::unique_ptr<Case> {
      return std::make_unique<MemoryCase>(ctx, op_named(point.get("op")), point.integer("bytes"));
    },
});

}  // namespace
}  // namespace assay
