#include "analysis/locate/candidates.hpp"

#include <algorithm>

namespace assay::locate {

Candidates::Candidates(const PairMatrix& matrix, const std::vector<Observation>& observations,
                       const std::vector<std::int32_t>& leaf_of) {
  struct Touch {
    std::uint64_t key;
    std::int32_t observation;
  };
  std::vector<Touch> touches;
  std::vector<std::uint64_t> keys;
  touch_first_.reserve(observations.size() + 1);
  for (std::size_t i = 0; i < observations.size(); ++i) {
    keys.clear();
    append_parts(matrix, matrix.rows[static_cast<std::size_t>(observations[i].row)], leaf_of, keys);
    touch_first_.push_back(static_cast<std::int64_t>(touches.size()));
    for (const std::uint64_t key : keys) touches.push_back({key, static_cast<std::int32_t>(i)});
  }
  touch_first_.push_back(static_cast<std::int64_t>(touches.size()));
  std::sort(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) {
    return a.key != b.key ? a.key < b.key : a.observation < b.observation;
  });
  observations_.reserve(touches.size());
  touching_.resize(touches.size());
  std::vector<std::int64_t> next(touch_first_.begin(), touch_first_.end() - 1);
  for (const Touch& touch : touches) {
    if (keys_.empty() || keys_.back() != touch.key) {
      keys_.push_back(touch.key);
      first_.push_back(static_cast<std::int64_t>(observations_.size()));
      ++counts_[static_cast<std::size_t>(part_of(touch.key).kind)];
    }
    observations_.push_back(touch.observation);
    auto& place = next[static_cast<std::size_t>(touch.observation)];
    touching_[static_cast<std::size_t>(place++)] = static_cast<std::int32_t>(keys_.size() - 1);
  }
  first_.push_back(static_cast<std::int64_t>(observations_.size()));
}

std::span<const std::int32_t> Candidates::observations(std::size_t candidate) const {
  const auto first = static_cast<std::size_t>(first_[candidate]);
  return std::span(observations_).subspan(first, static_cast<std::size_t>(first_[candidate + 1]) - first);
}

std::span<const std::int32_t> Candidates::touching(std::size_t observation) const {
  const auto first = static_cast<std::size_t>(touch_first_[observation]);
  return std::span(touching_).subspan(first, static_cast<std::size_t>(touch_first_[observation + 1]) - first);
}

}  // namespace assay::locate
