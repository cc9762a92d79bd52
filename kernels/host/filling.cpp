#include "kernels/host/filling.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace assay {
namespace {

constexpr std::size_t small_page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// NUMA node of the page at `address`; -1 when the system does not say (containers often forbid the question).
int node_of_page(std::byte* address) {
  constexpr unsigned long node_of_address = 3;  // MPOL_F_NODE | MPOL_F_ADDR of <numaif.h>
  int node = -1;
  return syscall(SYS_get_mempolicy, &node, nullptr, 0UL, address, node_of_address) == 0 ? node : -1;
}

bool is_local(std::span<std::byte> memory) {
  unsigned node = 0;
  if (getcpu(nullptr, &node) != 0) return false;
  for (std::size_t at = 0; at < memory.size(); at += huge_page) {
    if (node_of_page(memory.data() + at) != static_cast<int>(node)) return false;
  }
  return true;
}

/// Pages lie where they are first touched. Those of a pooled block were touched by another thread, maybe on another
/// socket: give them back and touch them here. `memory` begins and ends at page boundaries; its contents are lost.
void move_here(std::span<std::byte> memory) {
  if (is_local(memory)) return;
  if (madvise(memory.data(), memory.size(), MADV_DONTNEED) != 0) return;  // stays far: slower, not wrong
  for (std::size_t at = 0; at < memory.size(); at += small_page) memory[at] = std::byte{0};
}

}  // namespace

Axis ranks_axis(const Layout& layout) {
  Axis axis{"ranks", {{"one", Suite::quick}}};
  if (layout.nodes() > 1) axis.values.push_back({"node", Suite::quick});
  axis.values.push_back({"all", Suite::quick});
  return axis;
}

RankSets ranks_sets(const Layout& layout, const Point& point) {
  const std::string& ranks = point.get("ranks");
  if (ranks == "one") return one_rank(layout);
  if (ranks == "node") return filling_each_node(layout);
  return filling(layout);
}

double cpus_in_set(const Context& ctx) { return sum_over(ctx.group, static_cast<double>(ctx.cpus.size())); }

PerCpuMemory::PerCpuMemory(BufferPool& buffers, ThreadTeam& team, std::size_t bytes_per_cpu)
    : bytes_per_cpu_(bytes_per_cpu),
      stride_(round_up(bytes_per_cpu, bytes_per_cpu < huge_page ? small_page : huge_page)),
      block_(buffers.take(stride_ * team.size())) {
  team.run([this](std::size_t index) { move_here({block_.data() + index * stride_, stride_}); });
}

std::span<std::byte> PerCpuMemory::piece(std::size_t index) const {
  return {block_.data() + index * stride_, bytes_per_cpu_};
}

Check check_on_all(ThreadTeam& team, const std::vector<int>& cpus, const std::function<Check(std::size_t)>& check) {
  std::vector<Check> parts(team.size());
  team.run([&](std::size_t index) { parts[index] = check(index); });
  Check total;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    total.checked += parts[index].checked;
    total.wrong += parts[index].wrong;
    if (total.first.empty() && parts[index].wrong > 0) {
      total.first = fmt::format("CPU {}: {}", cpus[index], parts[index].first);
    }
  }
  return total;
}

}  // namespace assay
