#include "storage/scratch_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>

#include "tests/storage/support.hpp"

namespace assay {
namespace {

using namespace testing;

TEST(ScratchFile, IsReallyDirect) {
  const DiskDirectory directory;
  const ScratchFile file(directory.path(), 1, 0);
  EXPECT_NE(fcntl(file.descriptor(), F_GETFL) & O_DIRECT, 0);
  EXPECT_TRUE(is_direct(file.descriptor()));
  const Descriptor cached(directory.path() / "cached", O_CREAT | O_RDWR);
  EXPECT_FALSE(is_direct(cached.get()));
}

TEST(ScratchFile, HasNoNameWhileInUse) {
  const DiskDirectory directory;
  ScratchFile file(directory.path(), 1, 0);
  file.reserve(1 << 20);
  EXPECT_EQ(entries_in(directory.path()), 0U);
}

TEST(ScratchFile, ReserveTakesTheSpace) {
  const DiskDirectory directory;
  ScratchFile file(directory.path(), 1, 0);
  file.reserve(1 << 20);
  EXPECT_EQ(std::filesystem::file_size(fmt::format("/proc/self/fd/{}", file.descriptor())), 1U << 20);
}

TEST(ScratchFile, MovesItsDescriptor) {
  const DiskDirectory directory;
  ScratchFile first(directory.path(), 1, 0);
  const int descriptor = first.descriptor();
  const ScratchFile second(std::move(first));
  EXPECT_EQ(second.descriptor(), descriptor);
  EXPECT_TRUE(is_direct(descriptor));
}

TEST(ScratchFile, IsGoneAfterKill) {
  const DiskDirectory directory;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const ScratchFile file(directory.path(), 1, 0);
    const int descriptor = file.descriptor();
    if (write(ends[1], &descriptor, sizeof descriptor) != sizeof descriptor) _exit(1);
    pause();
    _exit(1);
  }
  int descriptor = -1;
  ASSERT_EQ(read(ends[0], &descriptor, sizeof descriptor), static_cast<ssize_t>(sizeof descriptor));
  const auto link = std::filesystem::read_symlink(fmt::format("/proc/{}/fd/{}", child, descriptor)).string();
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  close(ends[0]);
  close(ends[1]);
  EXPECT_TRUE(contains(link, directory.path().string()) && contains(link, "(deleted)")) << link;
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(entries_in(directory.path()), 0U);
}

TEST(ScratchFile, LeavesFilesOfTheSameNameAlone) {
  const DiskDirectory directory;
  const auto taken = directory.path() / ScratchFile(directory.path(), 1, 0).path().filename();
  std::ofstream(taken) << "precious";
  const ScratchFile file(directory.path(), 1, 0);
  std::string text;
  std::ifstream(taken) >> text;
  EXPECT_EQ(text, "precious");
  EXPECT_NE(file.path(), taken);
  EXPECT_EQ(entries_in(directory.path()), 1U);
}

TEST(ScratchFile, RefusesFileSystemWithoutDirectAccess) {
  const DiskDirectory directory;
  const auto complaint = complaint_of_child([&]() -> std::string {
    mount_privately("ramfs", directory.path(), 0, "");
    const auto error = error_of([&] { const ScratchFile file(directory.path(), 1, 0); });
    if (!error) return "no error";
    if (error->code() != ExitCode::environment || !contains(error->what(), "no O_DIRECT")) return error->what();
    return entries_in(directory.path()) == 0 ? "" : "a file was left behind";
  });
  if (!complaint) GTEST_SKIP() << "this process may not mount a file system in a namespace of its own";
  EXPECT_EQ(*complaint, "");
}

TEST(ValidateTestPath, AcceptsWritableDirectoryAndLeavesNothing) {
  const DiskDirectory directory;
  EXPECT_NO_THROW(validate_test_path(directory.path()));
  EXPECT_EQ(entries_in(directory.path()), 0U);
}

TEST(ValidateTestPath, NamesMissingDirectory) {
  const DiskDirectory directory;
  const auto error = error_of([&] { validate_test_path(directory.path() / "missing"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ExitCode::bad_input);
  EXPECT_TRUE(contains(error->what(), "/missing: cannot use as test path")) << error->what();
  EXPECT_TRUE(contains(error->what(), "No such file or directory")) << error->what();
  EXPECT_FALSE(error->hint().empty());
}

TEST(ValidateTestPath, RefusesFile) {
  const DiskDirectory directory;
  std::ofstream(directory.path() / "file") << "text";
  const auto error = error_of([&] { validate_test_path(directory.path() / "file"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ExitCode::bad_input);
  EXPECT_TRUE(contains(error->what(), "is no directory")) << error->what();
}

TEST(ValidateTestPath, RefusesReadOnlyFileSystem) {
  const DiskDirectory directory;
  const auto complaint = complaint_of_child([&]() -> std::string {
    mount_privately("tmpfs", directory.path(), MS_RDONLY, "size=1m");
    const auto error = error_of([&] { validate_test_path(directory.path()); });
    if (!error) return "no error";
    const bool right = error->code() == ExitCode::bad_input && contains(error->what(), "cannot write in the test path");
    return right && contains(error->what(), "Read-only") ? "" : error->what();
  });
  if (!complaint) GTEST_SKIP() << "this process may not mount a file system in a namespace of its own";
  EXPECT_EQ(*complaint, "");
}

}  // namespace
}  // namespace assay
