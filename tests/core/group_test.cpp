#include "core/group.hpp"

#include <gtest/gtest.h>

#include "core/thread_group.hpp"
#include "group_properties.hpp"

namespace assay {
namespace {

TEST(SoloGroup, KeepsThePropertiesOfAGroup) {
  SoloGroup group;
  test::check_group(group);
}

class ThreadGroupOfSize : public testing::TestWithParam<int> {};

TEST_P(ThreadGroupOfSize, KeepsThePropertiesOfAGroup) {
  run_thread_group(GetParam(), [](Group& group) { test::check_group(group); });
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadGroupOfSize, testing::Values(1, 2, 3, 4, 5, 8));

}  // namespace
}  // namespace assay
