#include "launcher/watch/diagnosis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr double never = std::numeric_limits<double>::infinity();

RankState state(int rank, PhaseKind kind, std::uint64_t iteration, int set = 0) {
  RankState state;
  state.rank = rank;
  state.host = "node" + std::to_string(rank / 2 + 1);
  state.phase.series = 7;
  state.phase.kind = kind;
  state.phase.set = set;
  state.phase.iteration = iteration;
  state.phase.what = "mpi.all_reduce/bytes:8, epoch 2";
  state.remaining = Seconds(kind == PhaseKind::wait ? never : 5);
  return state;
}

std::vector<int> missing_ranks(const std::vector<RankState>& states) {
  std::vector<int> ranks;
  for (const RankState& missing : not_arrived(states)) ranks.push_back(missing.rank);
  return ranks;
}

TEST(Diagnosis, StoppedRankIsTheSilentOne) {
  std::vector<RankState> states{state(0, PhaseKind::measure, 100), state(1, PhaseKind::measure, 100),
                                state(2, PhaseKind::measure, 100), state(3, PhaseKind::measure, 100)};
  states[3].silent_for = Seconds(20);
  EXPECT_THAT(missing_ranks(states), ElementsAre(3));
  EXPECT_THAT(describe_stall(states, Seconds(20)),
              HasSubstr("rank 3 on node2: silent for 20.0 s, last seen measuring"));
  EXPECT_THAT(describe_stall(states, Seconds(20)), HasSubstr("mpi.all_reduce/bytes:8, epoch 2"));
}

TEST(Diagnosis, RankInAnEarlierPhaseHoldsTheOthersUp) {
  EXPECT_THAT(
      missing_ranks({state(0, PhaseKind::warm_up, 0), state(1, PhaseKind::set_up, 0), state(2, PhaseKind::warm_up, 0)}),
      ElementsAre(1));
}

TEST(Diagnosis, RankWithFewerIterationsHoldsItsSetUp) {
  EXPECT_THAT(missing_ranks({state(0, PhaseKind::measure, 41), state(1, PhaseKind::measure, 40),
                             state(2, PhaseKind::measure, 7, 1), state(3, PhaseKind::measure, 7, 1)}),
              ElementsAre(1));
}

TEST(Diagnosis, SleepingRanksAreNotMissing) {
  EXPECT_THAT(missing_ranks({state(0, PhaseKind::measure, 9), state(1, PhaseKind::wait, 0, -1)}), IsEmpty());
  EXPECT_THAT(describe_stall({state(0, PhaseKind::measure, 9), state(1, PhaseKind::wait, 0, -1)}, Seconds(20)),
              HasSubstr("every rank answers"));
}

TEST(Diagnosis, DeadlinePassesByOwnClockOrBySilence) {
  std::vector<RankState> states{state(0, PhaseKind::wait, 0, -1), state(1, PhaseKind::measure, 3)};
  EXPECT_FALSE(deadline_passed(states, Seconds(20)));
  states[1].remaining = Seconds(-0.1);
  EXPECT_TRUE(deadline_passed(states, Seconds(20)));
  states[1].remaining = Seconds(never);
  states[1].silent_for = Seconds(21);
  EXPECT_TRUE(deadline_passed(states, Seconds(20)));
}

TEST(Diagnosis, LongListsAreCut) {
  std::vector<RankState> states{state(0, PhaseKind::verify, 0)};
  for (int rank = 1; rank < 100; ++rank) states.push_back(state(rank, PhaseKind::set_up, 0));
  EXPECT_THAT(describe_stall(states, Seconds(20)), HasSubstr("and 91 more"));
}

}  // namespace
}  // namespace assay
