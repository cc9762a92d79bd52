#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <vector>

#include "core/buffer.hpp"
#include "storage/io_engine.hpp"
#include "storage/scratch_file.hpp"
#include "storage/test_file.hpp"
#include "tests/storage/support.hpp"

namespace assay {
namespace {

using namespace testing;

constexpr std::uint64_t disk_bytes = 8 << 20;

/// Runs `body` in a child that has a disk of 8 MiB at `directory`; expects it to have no complaint and to leave the
/// disk empty.
void on_small_disk(const std::function<std::string(const std::filesystem::path&)>& body) {
  const DiskDirectory directory;
  const auto complaint = complaint_of_child([&]() -> std::string {
    mount_privately("tmpfs", directory.path(), 0, "size=" + std::to_string(disk_bytes));
    const std::uintmax_t before = free_bytes(directory.path());
    std::string inner = body(directory.path());
    if (inner.empty() && entries_in(directory.path()) != 0) return "a file was left behind";
    if (inner.empty() && free_bytes(directory.path()) != before) return "space is still taken";
    return inner;
  });
  if (!complaint) GTEST_SKIP() << "this process may not mount a file system in a namespace of its own";
  EXPECT_EQ(*complaint, "");
}

/// Empty when it is the error of a full disk that names path, free bytes and a way out.
std::string fault_of(const std::optional<Error>& error, const std::filesystem::path& directory) {
  if (!error) return "no error";
  if (contains(error->what(), "no O_DIRECT")) not_permitted();  // tmpfs before Linux 6.6
  const std::string what = error->what();
  const bool right = error->code() == ExitCode::environment && contains(what, directory.string()) &&
                     contains(what, " bytes free)") && contains(what, "No space left") &&
                     contains(error->hint(), "--path");
  return right ? "" : what + " / " + error->hint();
}

TEST(FullDisk, IsFoundWhenReserving) {
  on_small_disk([](const std::filesystem::path& directory) {
    return fault_of(error_of([&] { ScratchFile(directory, 1, 0).reserve(8 * disk_bytes); }), directory);
  });
}

TEST(FullDisk, LeavesNoTestFileBehind) {
  on_small_disk([](const std::filesystem::path& directory) -> std::string {
    SoloGroup group;
    BufferPool buffers;
    const MonotonicClock clock;
    const Context context{group, buffers, 1, Deadline(clock, Seconds(60)), {0}, directory, {}};
    const auto too_large = error_of([&] { auto file = test_file_of_rank(context, 4 * disk_bytes, "threads"); });
    if (const std::string fault = fault_of(too_large, directory); !fault.empty()) return fault;
    if (free_bytes(directory) != disk_bytes) return "the space of the failed file was kept";
    // A smaller one still works, and is kept for the next case.
    const auto file = test_file_of_rank(context, disk_bytes / 2, "threads");
    if (free_bytes(directory) != disk_bytes / 2) return "the file does not take the space that it should";
    const auto grown = error_of([&] { auto larger = test_file_of_rank(context, 4 * disk_bytes, "threads"); });
    return fault_of(grown, directory);
  });
}

class FullDiskInFlight : public ::testing::TestWithParam<const char*> {};

TEST_P(FullDiskInFlight, IsAnErrorOfTheTransfer) {
  if (GetParam() == std::string("io_uring") && !why_no_uring().empty()) GTEST_SKIP() << why_no_uring();
  on_small_disk([](const std::filesystem::path& directory) -> std::string {
    const std::filesystem::path path = directory / "sparse";
    const Descriptor file(path, O_CREAT | O_RDWR);
    unlink(path.c_str());
    std::vector<std::byte> memory(4 << 20);
    const auto error = error_of([&] {
      const auto engine = make_io_engine(GetParam(), {file.get(), path, memory, 1 << 20, 4});
      for (std::uint64_t megabyte = 0; megabyte < 16; megabyte += 4) {
        for (int slot = 0; slot < 4; ++slot) {
          engine->queue(slot, IoOp::write, (megabyte + static_cast<std::uint64_t>(slot)) << 20);
        }
        static_cast<void>(engine->wait(4));
      }
    });
    return fault_of(error, directory);
  });
}

INSTANTIATE_TEST_SUITE_P(Engines, FullDiskInFlight, ::testing::Values("io_uring", "threads"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace assay
