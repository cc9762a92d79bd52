#include "tests/collectives/group_properties.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <thread>

#include "core/clock.hpp"

namespace assay {

namespace {

void expect_agreed_text(Group& group) {
  for (int root = 0; root < group.size(); ++root) {
    const std::string text(static_cast<std::size_t>(root * 100), 'x');
    EXPECT_EQ(broadcast_text(group, group.rank() == root ? text : "mine", root), text);
  }
  const std::vector<std::string> all = all_gather_texts(group, std::to_string(group.rank()));
  ASSERT_EQ(all.size(), static_cast<std::size_t>(group.size()));
  for (std::size_t rank = 0; rank < all.size(); ++rank) EXPECT_EQ(all[rank], std::to_string(rank));
}

void expect_reductions(Group& group) {
  const double n = group.size();
  const double mine = group.rank();
  std::vector<double> values{mine, -mine, 1};
  group.max_in_place(values);
  EXPECT_EQ(values, (std::vector<double>{n - 1, 0, 1}));
  values = {mine, -mine, 1};
  group.min_in_place(values);
  EXPECT_EQ(values, (std::vector<double>{0, 1 - n, 1}));
  values = {mine, -mine, 1};
  group.sum_in_place(values);
  EXPECT_EQ(values, (std::vector<double>{n * (n - 1) / 2, n * (1 - n) / 2, n}));
  std::vector<double> none;
  group.sum_in_place(none);
}

/// A sum whose last bit depends on the order of the additions is still the same everywhere.
void expect_same_bits(Group& group) {
  const double sum = sum_over(group, 0.1 + 1 / (3.0 + group.rank()));
  const auto bits = gather_values<double>(group, std::span<const double>(&sum, 1));
  for (const auto& theirs : bits) {
    ASSERT_EQ(theirs.size(), 1U);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(theirs[0]), std::bit_cast<std::uint64_t>(sum));
  }
}

void expect_gather(Group& group) {
  for (int root = 0; root < group.size(); ++root) {
    const std::vector<int> mine(static_cast<std::size_t>(group.rank() * 3), group.rank() + root);
    const auto all = gather_values<int>(group, std::span<const int>(mine), root);
    if (group.rank() != root) {
      EXPECT_TRUE(all.empty());
      continue;
    }
    ASSERT_EQ(all.size(), static_cast<std::size_t>(group.size()));
    for (int rank = 0; rank < group.size(); ++rank)
      EXPECT_EQ(all[static_cast<std::size_t>(rank)], std::vector<int>(static_cast<std::size_t>(rank * 3), rank + root));
  }
}

void expect_split(Group& group) {
  const std::unique_ptr<Group> same_parity = group.split(group.rank() % 2);
  ASSERT_NE(same_parity, nullptr);
  EXPECT_EQ(same_parity->rank(), group.rank() / 2);
  EXPECT_EQ(same_parity->size(), (group.size() + 1 - group.rank() % 2) / 2);
  const double lowest = -max_over(*same_parity, -group.rank());
  EXPECT_EQ(lowest, group.rank() % 2);

  const std::unique_ptr<Group> without_first = group.split(group.rank() == 0 ? -1 : 7);
  EXPECT_EQ(without_first == nullptr, group.rank() == 0);
  if (!without_first) return;
  EXPECT_EQ(without_first->rank(), group.rank() - 1);
  EXPECT_EQ(sum_over(*without_first, 1), group.size() - 1);
}

double thread_cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

/// Nobody leaves before the last one has come.
template <class Barrier>
void expect_barrier(Group& group, Barrier barrier) {
  for (int late = 0; late < group.size(); ++late) {
    if (group.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const double came = monotonic_seconds();
    barrier();
    const double left = monotonic_seconds();
    const double last_came = max_over(group, came);
    EXPECT_GE(left, last_came);
  }
}

void expect_quiet_wait(Group& group) {
  if (group.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const double before = thread_cpu_seconds();
  group.quiet_barrier();
  EXPECT_LT(thread_cpu_seconds() - before, 0.15) << "waiting ranks are to sleep";
}

}  // namespace

void expect_group_properties(Group& group) {
  ASSERT_GE(group.rank(), 0);
  ASSERT_LT(group.rank(), group.size());
  expect_agreed_text(group);
  expect_reductions(group);
  expect_same_bits(group);
  expect_gather(group);
  expect_split(group);
  expect_barrier(group, [&] { group.barrier(); });
  expect_barrier(group, [&] { group.quiet_barrier(); });
  expect_quiet_wait(group);
}

}  // namespace assay
