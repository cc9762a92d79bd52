#include "storage/io_engine.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include "core/buffer.hpp"
#include "core/random.hpp"
#include "storage/scratch_file.hpp"
#include "tests/storage/support.hpp"

namespace assay {
namespace {

using namespace testing;

constexpr std::size_t block_bytes = 8192;
constexpr int depth = 4;

std::vector<std::byte> noise(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::byte> result(bytes);
  Random random(seed);
  for (std::byte& value : result) value = static_cast<std::byte>(random.below(256));
  return result;
}

class Engines : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "io_uring" && !why_no_uring().empty()) GTEST_SKIP() << why_no_uring();
  }

  [[nodiscard]] std::unique_ptr<IoEngine> engine(const Descriptor& file) {
    return make_io_engine(GetParam(), {file.get(), path_, memory_, block_bytes, depth});
  }

  DiskDirectory directory_;
  std::filesystem::path path_ = directory_.path() / "data";
  std::vector<std::byte> memory_ = noise(depth * block_bytes, 1);
};

TEST_P(Engines, IsTheOneAskedFor) {
  const Descriptor file(path_, O_CREAT | O_RDWR);
  EXPECT_EQ(engine(file)->name(), GetParam());
}

TEST_P(Engines, WritesAndReadsBackInAnyOrder) {
  const Descriptor file(path_, O_CREAT | O_RDWR);
  const auto original = memory_;
  const auto io = engine(file);
  for (int slot = 0; slot < depth; ++slot) {
    io->queue(slot, IoOp::write, static_cast<std::uint64_t>(depth - 1 - slot) * block_bytes);
  }
  EXPECT_EQ(io->in_flight(), depth);
  EXPECT_EQ(io->wait(depth).size(), static_cast<std::size_t>(depth));
  EXPECT_EQ(io->in_flight(), 0);

  std::vector<std::byte> on_disk(depth * block_bytes);
  read_fully(file.get(), path_, on_disk, 0);
  for (std::ptrdiff_t slot = 0; slot < depth; ++slot) {
    EXPECT_TRUE(std::equal(original.begin() + slot * static_cast<std::ptrdiff_t>(block_bytes),
                           original.begin() + (slot + 1) * static_cast<std::ptrdiff_t>(block_bytes),
                           on_disk.begin() + (depth - 1 - slot) * static_cast<std::ptrdiff_t>(block_bytes)));
  }

  std::fill(memory_.begin(), memory_.end(), std::byte{0});
  for (int slot = 0; slot < depth; ++slot) io->queue(slot, IoOp::read, static_cast<std::uint64_t>(slot) * block_bytes);
  std::vector<int> slots;
  while (io->in_flight() > 0) {
    const auto complete = io->wait(1);
    slots.insert(slots.end(), complete.begin(), complete.end());
  }
  std::sort(slots.begin(), slots.end());
  EXPECT_EQ(slots, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(memory_, on_disk);
}

TEST_P(Engines, WaitsForNoMoreThanIsInFlight) {
  const Descriptor file(path_, O_CREAT | O_RDWR);
  const auto io = engine(file);
  EXPECT_TRUE(io->wait(0).empty());
  EXPECT_TRUE(io->wait(depth).empty());
  io->queue(2, IoOp::write, 0);
  const auto slots = io->wait(depth);
  EXPECT_EQ(std::vector<int>(slots.begin(), slots.end()), std::vector<int>{2});
}

TEST_P(Engines, DestructorWaitsForWhatIsInFlight) {
  constexpr std::size_t large = 1 << 20;
  ScratchFile file(directory_.path(), 1, 0);  // past the page cache, where transfers are under way for a while
  BufferPool buffers;
  const auto block = buffers.take(depth * large);
  const std::span<std::byte> memory{block.data(), depth * large};
  const auto content = noise(memory.size(), 3);
  std::copy(content.begin(), content.end(), memory.begin());
  write_fully(file.descriptor(), file.path(), memory, 0);
  std::fill(memory.begin(), memory.end(), std::byte{0});
  {
    const auto io = make_io_engine(GetParam(), {file.descriptor(), file.path(), memory, large, depth});
    for (int slot = 0; slot < depth; ++slot) io->queue(slot, IoOp::read, static_cast<std::uint64_t>(slot) * large);
    io->start();
  }
  EXPECT_TRUE(std::equal(memory.begin(), memory.end(), content.begin()));
}

TEST_P(Engines, ShortReadGoesOnUntilTheEndAndThenFails) {
  const Descriptor file(path_, O_CREAT | O_RDWR);
  const auto content = noise(6144, 2);
  write_fully(file.get(), path_, content, 0);
  const auto io = engine(file);
  io->queue(1, IoOp::read, 0);
  const auto error = error_of([&] { static_cast<void>(io->wait(1)); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ExitCode::environment);
  EXPECT_TRUE(contains(error->what(), "ends at byte 6144")) << error->what();
  EXPECT_TRUE(std::equal(content.begin(), content.end(), memory_.begin() + block_bytes));
}

TEST_P(Engines, ShortWriteGoesOnAndThenFails) {
  // The limit on file sizes cuts the first call short; going on with the rest meets EFBIG.
  const auto complaint = complaint_of_child([&]() -> std::string {
    const Descriptor file(path_, O_CREAT | O_RDWR);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{6144, 6144};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return "setrlimit";
    const auto io = engine(file);
    io->queue(0, IoOp::write, 0);
    const auto error = error_of([&] { static_cast<void>(io->wait(1)); });
    if (!error) return "no error";
    if (!contains(error->what(), "cannot write") || !contains(error->what(), "File too large")) return error->what();
    return std::filesystem::file_size(path_) == 6144 ? "" : "the first part was not written";
  });
  EXPECT_EQ(complaint, "");
}

TEST_P(Engines, RefusedTransferNamesThePath) {
  const Descriptor writable(path_, O_CREAT | O_WRONLY);
  const auto io = engine(writable);
  io->queue(0, IoOp::read, 0);
  const auto error = error_of([&] { static_cast<void>(io->wait(1)); });
  ASSERT_TRUE(error);
  EXPECT_TRUE(contains(error->what(), path_.string() + ": cannot read on ")) << error->what();
  EXPECT_TRUE(contains(error->what(), "Bad file descriptor")) << error->what();
}

INSTANTIATE_TEST_SUITE_P(Each, Engines, ::testing::Values("io_uring", "threads"),
                         [](const auto& test) { return test.param; });

/// As the default seccomp profile of container runtimes does.
bool forbid_io_uring() {
  std::array<sock_filter, 4> rules{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program{rules.size(), rules.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(BestEngine, IsThreadsWhereIoUringIsForbidden) {
  const auto complaint = complaint_of_child([]() -> std::string {
    if (!forbid_io_uring()) not_permitted();
    if (best_io_engine() != "threads") return "best engine is " + best_io_engine();
    const auto error = error_of([] { auto engine = make_io_engine("io_uring", {}); });
    if (!error) return "io_uring was made";
    return contains(error->what(), "io_uring does not work here: ") ? "" : error->what();
  });
  if (!complaint) GTEST_SKIP() << "this process may not set a system call filter";
  EXPECT_EQ(*complaint, "");
}

TEST(BestEngine, UnknownNameIsAnError) {
  const auto error = error_of([] { auto engine = make_io_engine("carrier pigeons", {}); });
  ASSERT_TRUE(error);
  EXPECT_TRUE(contains(error->what(), "carrier pigeons"));
}

}  // namespace
}  // namespace assay
