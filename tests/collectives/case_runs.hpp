#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/case.hpp"
#include "core/device.hpp"
#include "core/registry.hpp"
#include "tests/collectives/mpi_ranks.hpp"

namespace assay {

/// Calls `body` with the case of one point on the ranks of each of its sets, as the harness makes it. `device`: of
/// this rank.
inline void on_each_set(const CaseInfo& info, const Layout& layout, const Point& point,
                        const std::function<void(Case&, Group&)>& body, Device& device) {
  const RankSets sets = info.sets(layout, point);
  int color = -1;
  for (std::size_t set = 0; set < sets.size(); ++set)
    for (const int rank : sets[set])
      if (rank == world().rank()) color = static_cast<int>(set);
  const std::unique_ptr<Group> group = world().split(color);
  if (group) {
    static BufferPool pool;
    const MonotonicClock clock;
    const auto own = sets[static_cast<std::size_t>(color)];
    Context context{*group, pool, 1234, Deadline(clock, Seconds(60)), {0}, {}, {}, &device, &layout, own};
    const std::unique_ptr<Case> made = info.make(context, point);
    body(*made, *group);
  }
  world().quiet_barrier();
}

/// One batch of timed iterations.
inline void run_batch(Case& benchmark, int iterations) {
  benchmark.begin();
  for (int i = 0; i < iterations; ++i) benchmark.run();
  benchmark.end();
}

inline const CaseInfo& case_named(const std::string& name) { return *builtin_cases().find(name); }

}  // namespace assay
