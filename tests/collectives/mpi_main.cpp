#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "core/error.hpp"
#include "tests/collectives/mpi_ranks.hpp"

namespace {

/// Of the ranks above 0 only failures are shown.
class FailurePrinter final : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

  // Asking for the current test while a failure is reported would wait for a lock that gtest holds.
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    fmt::print(stderr, "rank {}: {}: {}:{}: {}\n", rank_, test_,
               result.file_name() == nullptr ? "" : result.file_name(), result.line_number(), result.message());
  }

 private:
  int rank_;
  std::string test_;
};

int run_on_all_ranks() {
  assay::Group& world = assay::world();
  if (world.rank() > 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    std::unique_ptr<testing::TestEventListener>(listeners.Release(listeners.default_result_printer())).reset();
    listeners.Append(std::make_unique<FailurePrinter>(world.rank()).release());
  }
  const int failed = RUN_ALL_TESTS();
  return assay::max_over(world, failed) > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // An exception on one rank ends the job instead of leaving the others in a collective call.
  GTEST_FLAG_SET(catch_exceptions, false);
  try {
    assay::session();
  } catch (const assay::Error& error) {
    fmt::print(stderr, "{} ({})\n", error.what(), error.hint());
    return static_cast<int>(error.code());
  }
  return run_on_all_ranks();
}
