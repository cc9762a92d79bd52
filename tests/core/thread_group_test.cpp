#include "core/thread_group.hpp"

#include <atomic>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "core/error.hpp"

namespace assay {
namespace {

using testing::HasSubstr;

std::string failure_of(int size, const std::function<void(Group&)>& body) {
  try {
    run_thread_group(size, body);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no failure";
}

TEST(ThreadGroup, RunsTheBodyOncePerRankOnItsOwnThread) {
  std::vector<std::thread::id> ids(6);
  run_thread_group(6, [&](Group& group) { ids[static_cast<std::size_t>(group.rank())] = std::this_thread::get_id(); });
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 6u);
  EXPECT_THAT(failure_of(0, [](Group&) {}), HasSubstr("0 ranks"));
}

TEST(ThreadGroup, BarrierLetsNobodyPassBeforeAllCame) {
  std::atomic<int> came = 0;
  std::atomic<int> early = 0;
  run_thread_group(4, [&](Group& group) {
    for (int round = 1; round <= 200; ++round) {
      ++came;
      round % 2 == 0 ? group.barrier() : group.quiet_barrier();
      if (came < 4 * round) ++early;
      group.barrier();
    }
  });
  EXPECT_EQ(early, 0);
}

TEST(ThreadGroup, PartsWorkAtTheirOwnPace) {
  run_thread_group(5, [](Group& group) {
    const auto part = group.split(group.rank() < 2 ? 0 : 1);
    double total = 0;
    const int rounds = group.rank() < 2 ? 10 : 300;
    for (int i = 0; i < rounds; ++i) total += sum_over(*part, 1);
    EXPECT_EQ(total, rounds * part->size());
    EXPECT_EQ(sum_over(group, 1), 5);
  });
}

using Operation = std::function<void(Group&)>;

TEST(ThreadGroup, AnExceptionReleasesTheOthersFromEveryOperation) {
  const std::vector<Operation> operations{
      [](Group& group) { group.barrier(); },
      [](Group& group) { group.quiet_barrier(); },
      [](Group& group) { static_cast<void>(sum_over(group, 1)); },
      [](Group& group) { static_cast<void>(broadcast_text(group, "abc")); },
      [](Group& group) { static_cast<void>(all_gather_texts(group, "abc")); },
      [](Group& group) { static_cast<void>(group.split(0)); },
  };
  for (std::size_t i = 0; i < operations.size(); ++i) {
    SCOPED_TRACE(i);
    std::atomic<int> released = 0;
    const std::string failure = failure_of(4, [&](Group& group) {
      if (group.rank() == 2) throw std::runtime_error("rank 2 gives up");
      try {
        for (;;) operations[i](group);
      } catch (const Error&) {
        ++released;
        throw;
      }
    });
    EXPECT_EQ(failure, "rank 2 gives up");
    EXPECT_EQ(released, 3);
  }
}

TEST(ThreadGroup, AnExceptionReleasesRanksOfOtherParts) {
  const std::string failure = failure_of(4, [](Group& group) {
    const auto part = group.split(group.rank() % 2);
    if (group.rank() == 3) throw std::runtime_error("rank 3 gives up");
    for (;;) part->barrier();
  });
  EXPECT_EQ(failure, "rank 3 gives up");
}

TEST(ThreadGroup, ARankThatReturnsTooEarlyIsNamed) {
  EXPECT_THAT(failure_of(3,
                         [](Group& group) {
                           group.barrier();
                           if (group.rank() != 1) group.barrier();
                         }),
              HasSubstr("waits for rank 1, which has returned"));
}

TEST(ThreadGroup, ARankThatReturnsDoesNotDisturbPartsWithoutIt) {
  run_thread_group(3, [](Group& group) {
    const auto part = group.split(group.rank() == 0 ? -1 : 0);
    if (!part) return;
    for (int i = 0; i < 100; ++i) part->barrier();
  });
}

TEST(ThreadGroup, MismatchedCallsAreErrors) {
  EXPECT_THAT(failure_of(2, [](Group& group) { group.rank() == 0 ? group.barrier() : group.quiet_barrier(); }),
              HasSubstr("called"));
  EXPECT_THAT(failure_of(2,
                         [](Group& group) {
                           std::vector<double> values(static_cast<std::size_t>(group.rank() + 1));
                           group.sum_in_place(values);
                         }),
              HasSubstr("bytes"));
  EXPECT_THAT(failure_of(2, [](Group& group) { static_cast<void>(gather_texts(group, "", group.rank())); }),
              HasSubstr("names root"));
  EXPECT_THAT(failure_of(2, [](Group& group) { static_cast<void>(gather_texts(group, "", 2)); }),
              HasSubstr("root 2 in a group of 2"));
}

}  // namespace
}  // namespace assay
