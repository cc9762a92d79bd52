#include "collectives/nccl/debug_stream.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "tests/temporary_directory.hpp"

namespace assay::nccl {
namespace {

/// The three variables without and with values, put back as they were.
class DebugStreamTest : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const char* name : {"NCCL_DEBUG", "NCCL_DEBUG_FILE", "NCCL_DEBUG_SUBSYS"}) unsetenv(name);
  }
};

struct CloseFile {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// As NCCL opens its file: once, by name, for writing line by line.
File opened() {
  File file(std::fopen(std::getenv("NCCL_DEBUG_FILE"), "w"));
  if (file) (void)std::setvbuf(file.get(), nullptr, _IOLBF, BUFSIZ);
  return file;
}

TEST_F(DebugStreamTest, ReadsWhatIsWrittenPieceByPiece) {
  DebugStream stream;
  ASSERT_TRUE(stream.readable());
  EXPECT_STREQ(std::getenv("NCCL_DEBUG"), "INFO");
  const File file = opened();
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(stream.take(), "");
  std::fputs("first\nsecond\nthi", file.get());
  std::fflush(file.get());
  EXPECT_EQ(stream.take(), "first\nsecond\n");
  std::fputs("rd\n", file.get());
  EXPECT_EQ(stream.take(), "third\n");
  EXPECT_EQ(stream.take(), "");
}

TEST_F(DebugStreamTest, LongTextIsReadWholeAndGivenBack) {
  DebugStream stream;
  const File file = opened();
  ASSERT_NE(file, nullptr);
  const std::string line(999, 'x');
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) std::fprintf(file.get(), "%s\n", line.c_str());
    EXPECT_EQ(stream.take().size(), 100000U);
  }
}

TEST_F(DebugStreamTest, TheUsersFileIsRead) {
  const assay::test::TemporaryDirectory directory;
  const std::string path = directory / "debug.txt";
  setenv("NCCL_DEBUG", "WARN", 1);
  setenv("NCCL_DEBUG_FILE", path.c_str(), 1);
  DebugStream stream;
  EXPECT_STREQ(std::getenv("NCCL_DEBUG"), "WARN");
  EXPECT_TRUE(stream.readable());
  std::ofstream(path) << "words\n";
  EXPECT_EQ(stream.take(), "words\n");
}

TEST_F(DebugStreamTest, TheUsersScreenIsNotTaken) {
  setenv("NCCL_DEBUG", "INFO", 1);
  DebugStream stream;
  EXPECT_FALSE(stream.readable());
  EXPECT_EQ(std::getenv("NCCL_DEBUG_FILE"), nullptr);
  EXPECT_EQ(stream.take(), "");
}

TEST_F(DebugStreamTest, HostAndProcessAreFilledIn) {
  EXPECT_EQ(debug_file_path("/tmp/nccl.%h.%p", "node2", 17), "/tmp/nccl.node2.17");
  EXPECT_EQ(debug_file_path("plain%", "node2", 17), "plain%");
  EXPECT_EQ(debug_file_path("%%h %x", "node2", 17), "%h %x");
}

}  // namespace
}  // namespace assay::nccl
