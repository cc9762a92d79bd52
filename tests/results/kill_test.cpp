#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/error.hpp"
#include "core/random.hpp"
#include "results/reader.hpp"
#include "results/writer.hpp"
#include "tests/results/child.hpp"
#include "tests/results/sample.hpp"

namespace {

/// One change of a file, as the kernel saw it.
struct Change {
  off_t offset = 0;  ///< new size when there are no bytes
  std::string bytes;
  bool truncation = false;
};

/// Takes down every change while a test records.
std::vector<Change>* recorded = nullptr;

}  // namespace

// These take the place of libc's, so that each single write of the HDF5 library is seen.
extern "C" ssize_t pwrite(int file, const void* data, size_t size, off_t offset) {
  if (recorded != nullptr) recorded->push_back({offset, std::string(static_cast<const char*>(data), size), false});
  return syscall(SYS_pwrite64, file, data, size, offset);
}
extern "C" ssize_t pwrite64(int file, const void* data, size_t size, off64_t offset) {
  return pwrite(file, data, size, offset);
}
extern "C" int ftruncate(int file, off_t size) noexcept {
  if (recorded != nullptr) recorded->push_back({size, {}, true});
  return static_cast<int>(syscall(SYS_ftruncate, file, size));
}

namespace assay::results {
namespace {

constexpr int ranks = 128;
constexpr int kept = 35;
constexpr std::size_t samples_per_series = static_cast<std::size_t>(ranks) * kept;

/// The complaint about a file that must hold `reported` complete series, and at most one more.
std::string check_file(const std::filesystem::path& path, std::int64_t reported) {
  try {
    const Reader reader = Reader::open(path);
    const auto rows = static_cast<std::int64_t>(reader.series().size());
    if (rows < reported) return "reported " + std::to_string(reported) + ", found " + std::to_string(rows);
    if (rows > reported + 1) return "more series than were begun: " + std::to_string(rows);
    const std::vector<std::int32_t> members = reader.members();
    for (std::int64_t n = std::max<std::int64_t>(0, rows - 3); n < rows; ++n) {
      const SeriesRow& row = reader.series()[static_cast<std::size_t>(n)];
      const Series expected = sample_series(n, ranks, kept);
      if (row.point != expected.row.point || row.setup_seconds != expected.row.setup_seconds) return "wrong row";
      if (reader.samples(row) != expected.samples) return "wrong samples of series " + std::to_string(n);
      if (!std::equal(expected.members.begin(), expected.members.end(), members.begin() + row.members)) {
        return "wrong members of series " + std::to_string(n);
      }
    }
    static_cast<void>(reader.rows<EventRow>());
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

/// A file to which recorded changes are applied one by one.
class Image {
 public:
  explicit Image(std::filesystem::path path) : path_(std::move(path)), file_(::open(path_.c_str(), O_RDWR)) {}
  ~Image() { ::close(file_); }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  /// A kill can end a write between two pages: `check` is called after each.
  template <class Check>
  void apply(const Change& change, Check&& check) {
    constexpr std::size_t page = 4096;
    if (change.truncation) {
      ASSERT_EQ(syscall(SYS_ftruncate, file_, change.offset), 0);
      check();
    }
    for (std::size_t at = 0; at < change.bytes.size();) {
      const auto position = change.offset + static_cast<off_t>(at);
      const std::size_t to_boundary = page - static_cast<std::size_t>(position) % page;
      const std::size_t size = std::min(to_boundary, change.bytes.size() - at);
      const long written = syscall(SYS_pwrite64, file_, change.bytes.data() + at, size, position);
      ASSERT_EQ(written, static_cast<long>(size));
      at += size;
      const bool raw_data = change.bytes.size() > 16 * page;  // nothing points at it yet: one check is enough
      if (!raw_data || at == change.bytes.size()) check();
    }
  }

 private:
  std::filesystem::path path_;
  int file_;
};

TEST(Kill, BetweenAnyTwoWritesLosesNothingReported) {
  const TemporaryDirectory directory;
  const auto path = directory / "run.h5";
  const auto image_path = directory / "image.h5";
  constexpr std::int64_t count = 140;  // crosses chunks of /series, /members, /samples and /events
  std::vector<Change> changes;
  std::vector<std::size_t> done_at;  // number of changes after which series n was reported
  {
    Writer writer = Writer::create(path, sample_run(), false);
    std::filesystem::copy_file(path, image_path);
    recorded = &changes;
    for (std::int64_t n = 0; n < count; ++n) {
      writer.append(sample_series(n, ranks, kept));
      done_at.push_back(changes.size());
      writer.append(std::vector{distinct_row<EventRow>(static_cast<int>(n))});
    }
    recorded = nullptr;
  }
  ASSERT_GT(changes.size(), 4u * count) << "the writes of HDF5 were not seen";
  Image image(image_path);
  std::int64_t reported = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    image.apply(changes[i], [&] {
      ASSERT_EQ(check_file(image_path, reported), "") << "in change " << i << " of " << changes.size();
    });
    while (reported < count && done_at[static_cast<std::size_t>(reported)] <= i + 1) ++reported;
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(reported, count);
}

TEST(Kill, AtRandomMomentsLosesNothingReported) {
  const TemporaryDirectory directory;
  constexpr int moments = 60;
  Random random(20261130);
  int killed = 0;
  for (int moment = 0; moment < moments; ++moment) {
    const auto path = directory / ("run" + std::to_string(moment) + ".h5");
    Child child([&](int pipe) {
      Writer writer = Writer::create(path, sample_run(), false);
      tell(pipe, "+");
      for (std::int64_t n = 0; n < 140; ++n) {
        writer.append(sample_series(n, ranks, kept));
        tell(pipe, ".");
      }
      writer.finish("done", "");
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(200'000)));
    child.kill();
    const std::string told = child.output();
    if (child.status() != 0) ++killed;
    if (told.empty()) continue;  // before there was a file
    EXPECT_EQ(check_file(path, static_cast<std::int64_t>(told.size()) - 1), "") << "moment " << moment;
  }
  EXPECT_GT(killed, moments / 4);
}

}  // namespace
}  // namespace assay::results
