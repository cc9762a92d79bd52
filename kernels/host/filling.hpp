#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/buffer.hpp"
#include "core/case.hpp"
#include "core/layout.hpp"
#include "core/point.hpp"
#include "kernels/host/thread_team.hpp"

namespace assay {

/// What cases have in common that fill a node whatever the number of ranks: each CPU of ctx.cpus works on its own data.

/// Axis "ranks": one (one rank, one core, alone), node (one set per node; only with several nodes), all.
[[nodiscard]] Axis ranks_axis(const Layout& layout);

/// The sets that the value of axis "ranks" stands for.
[[nodiscard]] RankSets ranks_sets(const Layout& layout, const Point& point);

/// CPUs of the whole set. Collective.
[[nodiscard]] double cpus_in_set(const Context& ctx);

/// One block of the pool, cut into a piece of equal size for each CPU of a rank. Pieces start on pages of their own.
class PerCpuMemory {
 public:
  PerCpuMemory(BufferPool& buffers, ThreadTeam& team, std::size_t bytes_per_cpu);

  /// The piece of the team's member `index`, in memory close to its CPU.
  [[nodiscard]] std::span<std::byte> piece(std::size_t index) const;

 private:
  std::size_t bytes_per_cpu_;
  std::size_t stride_;
  BufferPool::Block block_;
};

/// Runs `check` on every member of the team and adds the results up; `first` says on which CPU.
[[nodiscard]] Check check_on_all(ThreadTeam& team, const std::vector<int>& cpus,
                                 const std::function<Check(std::size_t)>& check);

}  // namespace assay
