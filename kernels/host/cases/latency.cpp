#include <fmt/format.h>

#include <memory>
#include <vector>

#include "core/random.hpp"
#include "core/registry.hpp"
#include "kernels/host/chase.hpp"
#include "kernels/host/filling.hpp"
#include "kernels/host/thread_team.hpp"

namespace assay {
namespace {

constexpr std::uint64_t cached_bytes = std::uint64_t{1} << 20;

class LatencyCase final : public Case {
 public:
  LatencyCase(Context& ctx, std::uint64_t bytes)
      : loads_(std::size_t{1} << (bytes <= cached_bytes ? 20 : 18)),
        team_({ctx.cpus.at(0)}),
        memory_(ctx.buffers, team_, bytes),
        lines_(reinterpret_cast<ChaseLine*>(memory_.piece(0).data()), bytes / sizeof(ChaseLine)),
        cycle_(lines_.size(), ctx.seed),
        position_(&lines_[cycle_.line_at(0)]) {
    cycle_.link(lines_);
  }

  void run() override {
    position_ = chase(position_, loads_);
    steps_ += loads_;
  }

  Check verify() override {
    Check check = cycle_.check(lines_);
    ++check.checked;
    const ChaseLine* expected = &lines_[cycle_.line_at(steps_)];
    if (position_ == expected) return check;
    ++check.wrong;
    if (check.first.empty()) check.first = fmt::format("after {} loads the chase is at a wrong line", steps_);
    return check;
  }

  bool corrupt() override {
    ChaseLine& line = lines_[lines_.size() / 3];
    line.next = &line;
    return true;
  }

  [[nodiscard]] Work work() const override {
    return {WorkKind::latency, static_cast<double>(loads_), Direction::none, 1};
  }

 private:
  std::size_t loads_;
  ThreadTeam team_;
  PerCpuMemory memory_;
  std::span<ChaseLine> lines_;
  ChaseCycle cycle_;
  const ChaseLine* position_;
  std::uint64_t steps_ = 0;
};

std::vector<Axis> axes(const Layout&) {
  return {{"bytes",
           {{"32768", Suite::quick},
            {"262144", Suite::standard},
            {"1048576", Suite::standard},
            {"4194304", Suite::standard},
            {"16777216", Suite::standard},
            {"67108864", Suite::standard},
            {"268435456", Suite::quick}}},
          {"ranks", {{"one", Suite::quick}}}};
}

const Register registration({
    .name = "host.latency",
    .summary = "Time of one dependent load from a random cycle through all cache lines of an array",
    .needs = {},
    .timing = Timing::per_rank,
    .combine = Combine::slowest,
    .barrier_before_each = false,
    .axes = axes,
    .sets = ranks_sets,
    .make = [](Context& ctx, const Point& point) -> std::unique_ptr<Case> {
      return std::make_unique<LatencyCase>(ctx, point.integer("bytes"));
    },
});

}  // namespace
}  // namespace assay
