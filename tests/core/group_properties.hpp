#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/group.hpp"

namespace assay::test {

/// What every Group must do, whatever its size and kind. Called by all ranks; each compares with values computed alone.

inline void check_reductions(Group& group) {
  const double n = group.size();
  const double mine = group.rank();
  std::vector<double> values{mine, -mine, 1.5};
  group.max_in_place(values);
  EXPECT_EQ(values, (std::vector<double>{n - 1, 0, 1.5}));
  values = {mine, -mine, 1.5};
  group.min_in_place(values);
  EXPECT_EQ(values, (std::vector<double>{0, 1 - n, 1.5}));
  values = {mine, 1, -2};
  group.sum_in_place(values);
  EXPECT_EQ(values, (std::vector<double>{n * (n - 1) / 2, n, -2 * n}));
  group.sum_in_place({});
  EXPECT_EQ(max_over(group, mine), n - 1);
  EXPECT_EQ(sum_over(group, 2), 2 * n);
}

inline void check_broadcasts(Group& group) {
  for (int root = 0; root < group.size(); ++root) {
    std::array<int, 3> value{group.rank(), 7, -group.rank()};
    broadcast_value(group, value, root);
    EXPECT_EQ(value, (std::array<int, 3>{root, 7, -root}));
    const std::string text(static_cast<std::size_t>(group.rank()) * 3, 'x');
    EXPECT_EQ(broadcast_text(group, text, root), std::string(static_cast<std::size_t>(root) * 3, 'x'));
  }
}

inline void check_gathers(Group& group) {
  const auto text_of = [](int rank) { return std::string(static_cast<std::size_t>(rank), 'a') + std::to_string(rank); };
  std::vector<std::string> all;
  for (int rank = 0; rank < group.size(); ++rank) all.push_back(text_of(rank));
  EXPECT_EQ(all_gather_texts(group, text_of(group.rank())), all);
  for (int root = 0; root < group.size(); ++root) {
    const auto texts = gather_texts(group, text_of(group.rank()), root);
    EXPECT_EQ(texts, group.rank() == root ? all : std::vector<std::string>{});
    // Lengths differ, and one of them is 0.
    const std::vector<double> mine(static_cast<std::size_t>(group.rank()), group.rank());
    const auto gathered = gather_values<double>(group, mine, root);
    ASSERT_EQ(gathered.size(), group.rank() == root ? all.size() : 0u);
    for (std::size_t rank = 0; rank < gathered.size(); ++rank) {
      EXPECT_EQ(gathered[rank], std::vector<double>(rank, static_cast<double>(rank)));
    }
  }
}

inline void check_split(Group& group, int colors, int depth);

inline void check_group(Group& group, int depth = 2) {
  ASSERT_GE(group.rank(), 0);
  ASSERT_LT(group.rank(), group.size());
  group.barrier();
  group.quiet_barrier();
  check_reductions(group);
  check_broadcasts(group);
  check_gathers(group);
  if (depth > 0) {
    for (int colors = 1; colors <= 3; ++colors) check_split(group, colors, depth);
  }
}

/// Deals the ranks round-robin into `colors` groups, the last colour being "no group".
inline void check_split(Group& group, int colors, int depth) {
  const int color = group.rank() % (colors + 1);
  const auto part = group.split(color == colors ? -1 : color * 10);
  ASSERT_EQ(part == nullptr, color == colors);
  if (part) {
    EXPECT_EQ(part->rank(), group.rank() / (colors + 1));
    EXPECT_EQ(part->size(), (group.size() - color + colors) / (colors + 1));
    EXPECT_EQ(max_over(*part, group.rank()), color + (part->size() - 1) * (colors + 1));
    check_group(*part, depth - 1);
  }
  // The parent still works while and after its parts do.
  EXPECT_EQ(sum_over(group, 1), group.size());
}

}  // namespace assay::test
