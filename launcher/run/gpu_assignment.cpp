#include "launcher/run/gpu_assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/layout.hpp"
#include "inventory/text.hpp"
#include "launcher/run/placement.hpp"

namespace assay {

namespace {

/// Finds a GPU for each rank, each GPU at most once, by augmenting paths (bipartite matching).
class Matching {
 public:
  Matching(const std::vector<RankView>& ranks, const std::vector<NearCpus>& near) : ranks_(ranks) {
    for (const RankView& rank : ranks)
      for (const VisibleGpu& gpu : rank.visible)
        if (std::find(gpus_.begin(), gpus_.end(), gpu) == gpus_.end()) gpus_.push_back(gpu);
    std::sort(gpus_.begin(), gpus_.end(),
              [](const auto& a, const auto& b) { return std::tie(a.bus_id, a.uuid) < std::tie(b.bus_id, b.uuid); });
    holder_.assign(gpus_.size(), -1);
    for (const VisibleGpu& gpu : gpus_) {
      const auto found =
          std::find_if(near.begin(), near.end(), [&](const auto& one) { return one.bus_id == gpu.bus_id; });
      near_.push_back(found == near.end() ? std::vector<int>{} : found->cpus);
    }
  }

  /// Near GPUs for as many ranks as can be, then any GPU for the others.
  void solve() {
    for (const bool near_only : {true, false}) {
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        std::set<std::size_t> tried;
        if (!holds(rank)) (void)place(rank, near_only, tried);
      }
    }
  }

  /// Ranks without a GPU take those that they see in turn.
  void share() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const auto& visible = ranks_[rank].visible;
      if (!holds(rank) && !visible.empty()) shared_.emplace_back(rank, visible[shared_.size() % visible.size()]);
    }
  }

  /// Index in the rank's own list; -1 = none.
  [[nodiscard]] int chosen(std::size_t rank) const {
    const auto& visible = ranks_[rank].visible;
    const auto index_of = [&](const VisibleGpu& gpu) {
      return static_cast<int>(std::find(visible.begin(), visible.end(), gpu) - visible.begin());
    };
    for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu)
      if (holder_[gpu] == static_cast<int>(rank)) return index_of(gpus_[gpu]);
    for (const auto& [sharer, gpu] : shared_)
      if (sharer == rank) return index_of(gpu);
    return -1;
  }
  [[nodiscard]] std::size_t gpus() const { return gpus_.size(); }

 private:
  [[nodiscard]] bool holds(std::size_t rank) const {
    return std::find(holder_.begin(), holder_.end(), static_cast<int>(rank)) != holder_.end();
  }
  [[nodiscard]] bool sees(std::size_t rank, std::size_t gpu) const {
    const auto& visible = ranks_[rank].visible;
    return std::find(visible.begin(), visible.end(), gpus_[gpu]) != visible.end();
  }
  /// Where nothing is known, nothing is far.
  [[nodiscard]] bool is_near(std::size_t rank, std::size_t gpu) const {
    return near_[gpu].empty() || ranks_[rank].bound.empty() || !intersection(near_[gpu], ranks_[rank].bound).empty();
  }
  /// A free GPU when there is one; otherwise one whose holder can move on to another.
  bool place(std::size_t rank, bool near_only, std::set<std::size_t>& tried) {
    for (const bool free_only : {true, false}) {
      for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
        if (!sees(rank, gpu) || (near_only && !is_near(rank, gpu)) || tried.contains(gpu)) continue;
        if (free_only && holder_[gpu] >= 0) continue;
        tried.insert(gpu);
        if (holder_[gpu] >= 0 && !place(static_cast<std::size_t>(holder_[gpu]), near_only, tried)) continue;
        holder_[gpu] = static_cast<int>(rank);
        return true;
      }
    }
    return false;
  }

  const std::vector<RankView>& ranks_;
  std::vector<VisibleGpu> gpus_;
  std::vector<std::vector<int>> near_;
  std::vector<int> holder_;  ///< index of the rank that holds each GPU; -1 = free
  std::vector<std::pair<std::size_t, VisibleGpu>> shared_;
};

/// Ranks that the launcher itself has given one and the same GPU.
std::string conflict(const std::vector<RankView>& ranks) {
  for (std::size_t a = 0; a < ranks.size(); ++a) {
    std::vector<int> together{ranks[a].rank};
    for (std::size_t b = a + 1; b < ranks.size(); ++b)
      if (ranks[a].restricted && ranks[b].restricted && ranks[a].visible.size() == 1 &&
          ranks[a].visible == ranks[b].visible)
        together.push_back(ranks[b].rank);
    if (together.size() > 1)
      return fmt::format("ranks {} were all given the one GPU {}", format_ranks(together), ranks[a].visible[0].bus_id);
  }
  return {};
}

}  // namespace

Assignment assign_gpus(const std::vector<RankView>& ranks, const std::vector<NearCpus>& near, bool share) {
  Assignment result;
  if (!share) result.refused = conflict(ranks);
  Matching matching(ranks, near);
  matching.solve();
  if (share) matching.share();
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    result.chosen.push_back(matching.chosen(rank));
    const bool without = result.chosen.back() < 0 && !ranks[rank].visible.empty();
    result.why.push_back(
        without ? fmt::format("no GPU is left for it: the {} ranks of the node see {}", ranks.size(), matching.gpus())
                : "");
  }
  return result;
}

std::vector<std::vector<int>> near_shares(const std::vector<int>& granted, const std::vector<std::vector<int>>& near) {
  const std::size_t workers = near.size();
  std::vector<std::vector<int>> shares(workers);
  std::vector<int> left = granted;
  const auto size_of = [&](std::size_t worker) {
    return share_of(granted, static_cast<int>(worker), static_cast<int>(workers)).size();
  };
  const auto take = [&](std::size_t worker, const std::vector<int>& cpus) {
    for (const int cpu : cpus) {
      if (shares[worker].size() >= size_of(worker)) return;
      shares[worker].push_back(cpu);
      std::erase(left, cpu);
    }
  };
  // Ranks that are near the same CPUs divide these among them, each a stretch of its own.
  std::map<std::vector<int>, std::vector<std::size_t>> groups;
  for (std::size_t worker = 0; worker < workers; ++worker) groups[near[worker]].push_back(worker);
  for (const auto& [cpus, members] : groups) {
    const std::vector<int> common = intersection(cpus, left);
    for (std::size_t i = 0; i < members.size(); ++i)
      take(members[i], share_of(common, static_cast<int>(i), static_cast<int>(members.size())));
  }
  for (std::size_t worker = 0; worker < workers; ++worker) {
    take(worker, std::vector<int>(left));
    std::sort(shares[worker].begin(), shares[worker].end());
  }
  return shares;
}

}  // namespace assay
