#include <cerrno>

#include <gtest/gtest.h>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace assay {
namespace {

TEST(Error, CarriesCodeMessageAndHint) {
  const Error error = bad_input("offer.toml:3: unknown key 'cpuz'", "did you mean 'cpus'?");
  EXPECT_EQ(error.code(), ExitCode::bad_input);
  EXPECT_STREQ(error.what(), "offer.toml:3: unknown key 'cpuz'");
  EXPECT_EQ(error.hint(), "did you mean 'cpus'?");
  EXPECT_EQ(incomplete("x").code(), ExitCode::incomplete);
  EXPECT_EQ(environment_error("x").code(), ExitCode::environment);
}

TEST(Error, WithinSaysWhere) {
  const Error error = bad_input("no such file", "create it").within("rank 3 on node2");
  EXPECT_STREQ(error.what(), "rank 3 on node2: no such file");
  EXPECT_EQ(error.code(), ExitCode::bad_input);
  EXPECT_EQ(error.hint(), "create it");
}

TEST(Error, SystemErrorExplainsErrno) {
  const Error error = system_error(ExitCode::environment, "open", "/data/x", ENOENT, "check the path");
  EXPECT_STREQ(error.what(), "/data/x: open: No such file or directory");
  EXPECT_EQ(error.code(), ExitCode::environment);
  EXPECT_EQ(error.hint(), "check the path");
}

class FakeClock final : public Clock {
 public:
  [[nodiscard]] Seconds now() const override { return now_; }
  void sleep(Seconds duration) override { now_ = now_ + duration; }

 private:
  Seconds now_{100};
};

TEST(Deadline, FollowsItsClock) {
  FakeClock clock;
  const Deadline deadline(clock, Seconds(5));
  EXPECT_EQ(deadline.at(), Seconds(105));
  EXPECT_EQ(deadline.remaining(), Seconds(5));
  clock.sleep(Seconds(4.5));
  EXPECT_FALSE(deadline.expired());
  clock.sleep(Seconds(0.5));
  EXPECT_TRUE(deadline.expired());
  clock.sleep(Seconds(2));
  EXPECT_EQ(deadline.remaining(), Seconds(-2));
}

TEST(MonotonicClock, SleepsAtLeastAsLongAsAsked) {
  MonotonicClock clock;
  const Seconds before = clock.now();
  clock.sleep(Seconds(0.01));
  EXPECT_GE((clock.now() - before).value, 0.01);
  clock.sleep(Seconds(-1));
}

TEST(UtcStamp, IsSortableAndFitForFileNames) {
  EXPECT_EQ(utc_stamp(0), "19700101T000000Z");
  EXPECT_EQ(utc_stamp(1796061492), "20261130T175812Z");
}

}  // namespace
}  // namespace assay
