#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "core/error.hpp"
#include "core/random.hpp"
#include "results/reader.hpp"
#include "results/writer.hpp"
#include "tests/results/child.hpp"
#include "tests/results/sample.hpp"

namespace assay::results {
namespace {

constexpr int ranks = 4;
constexpr int kept = 2000;

/// Appends until it fails; the complaint is about how it fails, or about what is in the file afterwards.
std::string write_until_full(const std::filesystem::path& path) {
  std::int64_t reported = 0;
  std::optional<Error> failure;
  {
    Writer writer = Writer::create(path, sample_run(), false);
    while (!failure && reported < 10'000) {
      try {
        reported = writer.append(sample_series(reported, ranks, kept)) + 1;
      } catch (const Error& error) {
        failure = error;
      }
    }
    try {
      writer.append(sample_series(reported, ranks, kept));
      return "a series was accepted after a failed write";
    } catch (const Error&) {
    }
  }
  if (!failure) return "the disk was never full";
  if (failure->code() != ExitCode::environment) return "wrong exit code";
  if (std::string(failure->what()).find(path.string()) == std::string::npos) return "path not named";
  const Reader reader = Reader::open(path);
  const auto rows = static_cast<std::int64_t>(reader.series().size());
  if (rows < reported || reported < 3)
    return "reported " + std::to_string(reported) + ", found " + std::to_string(rows);
  const std::vector<double> samples = reader.all_samples();
  for (std::size_t i = 0; i < static_cast<std::size_t>(reported) * ranks * kept; ++i) {
    const auto series = static_cast<std::int64_t>(i / (ranks * kept));
    if (samples[i] != sample_value(series, i % (ranks * kept))) return "wrong sample " + std::to_string(i);
  }
  return {};
}

bool mount_small_disk(const std::filesystem::path& path) {
  return unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", path.c_str(), "tmpfs", 0, "size=6m") == 0;
}

TEST(FullDisk, LimitOfTheFileSizeKeepsWhatWasReported) {
  const TemporaryDirectory directory;
  // Several limits, so that the failure hits samples, members, rows and the index.
  for (rlim_t limit = 2'000'000; limit < 2'300'000; limit += 23'000) {
    const auto path = directory / ("run" + std::to_string(limit) + ".h5");
    EXPECT_EQ(complaint_of_child([&] {
                std::signal(SIGXFSZ, SIG_IGN);
                const rlimit size{limit, limit};
                if (setrlimit(RLIMIT_FSIZE, &size) != 0) return std::string("setrlimit failed");
                return write_until_full(path);
              }),
              "")
        << "limit " << limit;
  }
}

TEST(FullDisk, FullFileSystemKeepsWhatWasReported) {
  const TemporaryDirectory directory;
  const std::string cannot = "cannot mount";
  const std::string complaint = complaint_of_child([&] {
    if (!mount_small_disk(directory.path())) return cannot + ": " + std::strerror(errno);
    return write_until_full(directory / "run.h5");
  });
  if (complaint.starts_with(cannot)) GTEST_SKIP() << "no small file system without privileges: " << complaint;
  EXPECT_EQ(complaint, "");
}

TEST(FullDisk, NoRoomForTheCompressedCopyLeavesTheFileDone) {
  const TemporaryDirectory directory;
  const std::string cannot = "cannot mount";
  const std::string complaint = complaint_of_child([&] {
    if (!mount_small_disk(directory.path())) return cannot + ": " + std::strerror(errno);
    Writer writer = Writer::create(directory / "run.h5", sample_run(), false);
    for (int i = 0; i < 70; ++i) {
      Series series = sample_series(i, ranks, kept);
      for (double& value : series.samples) value *= static_cast<double>(mix(1, std::bit_cast<std::uint64_t>(value)));
      writer.append(series);
    }
    const auto before = std::filesystem::file_size(directory / "run.h5");
    writer.finish("done", "");
    if (std::filesystem::file_size(directory / "run.h5") != before) return std::string("there was room");
    const Reader reader = Reader::open(directory / "run.h5");
    if (reader.run().status != "done" || reader.series().size() != 70) return std::string("incomplete");
    const auto files = std::distance(std::filesystem::directory_iterator(directory.path()), {});
    return files == 1 ? std::string() : std::string("a part of the copy is left");
  });
  if (complaint.starts_with(cannot)) GTEST_SKIP() << "no small file system without privileges: " << complaint;
  EXPECT_EQ(complaint, "");
}

}  // namespace
}  // namespace assay::results
