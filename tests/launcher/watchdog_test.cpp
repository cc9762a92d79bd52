#include "launcher/watch/watchdog.hpp"

#include "launcher/watch/start_up_guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "core/error.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;

TEST(BeatChannel, BeatsArriveAndAreAnswered) {
  BeatServer server(42);
  BeatClient client(BeatAddress::parse(server.address().text()), true, Seconds(2));
  Beat beat;
  beat.rank = 3;
  beat.iteration = 17;
  ASSERT_TRUE(client.send(beat));
  std::vector<Beat> received;
  for (int i = 0; i < 50 && received.empty(); ++i) received = server.receive(Seconds(0.05));
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].rank, 3);
  EXPECT_EQ(received[0].iteration, 17u);
  std::vector<Beat> answers;
  ASSERT_TRUE(client.receive(Seconds(2), answers));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].kind, Beat::Kind::answer);
}

TEST(BeatChannel, StrangersAreNotHeard) {
  BeatServer server(42);
  BeatAddress wrong = server.address();
  wrong.token = 41;
  BeatClient stranger(wrong, true, Seconds(2));
  ASSERT_TRUE(stranger.send({}));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(server.receive(Seconds(0.05)).empty());
}

TEST(BeatChannel, NobodyThereIsAnErrorWithTheAddress) {
  BeatAddress nobody;
  {
    BeatServer gone(1);
    nobody = gone.address();
  }
  nobody.hosts.clear();
  try {
    BeatClient client(nobody, true, Seconds(1));
    FAIL() << "connected";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("127.0.0.1:"));
  }
}

// Runs `body` in a child, since a watchdog ends its process; the child's emergency text comes back.
struct Ended {
  int exit_code = -1;
  std::string reason;
};

template <class Body>
Ended run_in_child(Body body) {
  const std::string path = ::testing::TempDir() + "watchdog-" + std::to_string(getpid());
  const pid_t child = fork();
  if (child == 0) {
    body([&path](const std::string& reason) { std::ofstream(path) << reason; });
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::remove(path.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text.str()};
}

TEST(Watchdog, LoneRankIsEndedAtItsDeadline) {
  const Ended ended = run_in_child([](auto emergency) {
    MonotonicClock clock;
    PhaseBoard board(clock);
    WatchdogSetup setup;
    setup.host = "here";
    setup.emergency = emergency;
    Watchdog watchdog(board, setup, nullptr, nullptr);
    board.begin_series(1, "host.gemm/n:512, epoch 1", 0);
    board.enter(PhaseKind::measure, Seconds(0.3));
    clock.sleep(Seconds(5));
  });
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_THAT(ended.reason, HasSubstr("host.gemm/n:512"));
}

TEST(Watchdog, NoDeadlineNoEnd) {
  const Ended ended = run_in_child([](auto emergency) {
    MonotonicClock clock;
    PhaseBoard board(clock);
    WatchdogSetup setup;
    setup.emergency = emergency;
    Watchdog watchdog(board, setup, nullptr, nullptr);
    board.enter(PhaseKind::measure, Seconds(0));
    clock.sleep(Seconds(0.5));
  });
  EXPECT_EQ(ended.exit_code, 99);
  EXPECT_EQ(ended.reason, "");
}

TEST(Watchdog, StoppedPeerIsNamedByRankZero) {
  const Ended ended = run_in_child([](auto emergency) {
    auto server = std::make_unique<BeatServer>(7);
    const BeatAddress address = server->address();
    const pid_t peer = fork();
    MonotonicClock clock;
    PhaseBoard board(clock);
    WatchdogSetup setup;
    setup.size = 2;
    setup.deadline = Seconds(3);
    if (peer == 0) {
      server.reset();
      setup.rank = 1;
      setup.host = "far";
      Watchdog watchdog(board, setup, nullptr, std::make_unique<BeatClient>(address, true, Seconds(2)));
      board.begin_series(1, "mpi.all_reduce/bytes:8, epoch 1", 0);
      board.enter(PhaseKind::measure, Seconds(3));
      clock.sleep(Seconds(30));
      _exit(0);
    }
    setup.host = "here";
    setup.emergency = [&](const std::string& reason) {
      emergency(reason);
      kill(peer, SIGKILL);
    };
    Watchdog watchdog(board, setup, std::move(server), nullptr);
    board.begin_series(1, "mpi.all_reduce/bytes:8, epoch 1", 0);
    board.enter(PhaseKind::measure, Seconds(3));
    clock.sleep(Seconds(0.7));
    kill(peer, SIGSTOP);
    clock.sleep(Seconds(30));
  });
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_THAT(ended.reason, HasSubstr("did not arrive: rank 1 on far: silent"));
}

TEST(StartUpGuard, EndsAProcessThatNobodyReleases) {
  EXPECT_EQ(run_in_child([](auto) {
              StartUpGuard guard(Seconds(0.1));
              MonotonicClock().sleep(Seconds(5));
            }).exit_code,
            4);
}

TEST(StartUpGuard, ReleasedItDoesNothing) {
  EXPECT_EQ(run_in_child([](auto) {
              StartUpGuard guard(Seconds(0.1));
              guard.release();
              MonotonicClock().sleep(Seconds(0.4));
            }).exit_code,
            99);
}

TEST(Watchdog, SignalEndsAStuckRank) {
  const Ended ended = run_in_child([](auto emergency) {
    MonotonicClock clock;
    PhaseBoard board(clock);
    WatchdogSetup setup;
    setup.emergency = emergency;
    setup.signal_grace = Seconds(0.2);
    setup.stop_signal = [] { return SIGTERM; };
    Watchdog watchdog(board, setup, nullptr, nullptr);
    clock.sleep(Seconds(10));
  });
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_THAT(ended.reason, HasSubstr("signal 15"));
}

}  // namespace
}  // namespace assay
