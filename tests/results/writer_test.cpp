#include "results/writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "results/new_file.hpp"
#include "results/reader.hpp"
#include "tests/results/child.hpp"
#include "tests/results/sample.hpp"

namespace assay::results {
namespace {

using testing::HasSubstr;

/// What `work` throws; the code is `code`.
template <class Work>
std::string message_of(ExitCode code, Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_FALSE(error.hint().empty()) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

std::string refusal(const std::filesystem::path& path, bool overwrite) {
  return message_of(ExitCode::bad_input, [&] { static_cast<void>(Writer::create(path, sample_run(), overwrite)); });
}

std::ptrdiff_t files_in(const TemporaryDirectory& directory) {
  return std::distance(std::filesystem::directory_iterator(directory.path()), {});
}

TEST(WriterCreate, KeepsAnExistingFile) {
  const TemporaryDirectory directory;
  write_bytes(directory / "run.h5", "precious");
  EXPECT_THAT(refusal(directory / "run.h5", false), HasSubstr("run.h5: already exists"));
  EXPECT_EQ(read_bytes(directory / "run.h5"), "precious");
  EXPECT_EQ(files_in(directory), 1);
}

TEST(WriterCreate, OverwritesWhenAsked) {
  const TemporaryDirectory directory;
  write_bytes(directory / "run.h5", "old");
  { const Writer writer = Writer::create(directory / "run.h5", sample_run(), true); }
  EXPECT_EQ(Reader::open(directory / "run.h5").run().run_id, sample_run().run_id);
  EXPECT_EQ(files_in(directory), 1);
}

TEST(WriterCreate, OverwritingNeedsNoOldFile) {
  const TemporaryDirectory directory;
  { const Writer writer = Writer::create(directory / "run.h5", sample_run(), true); }
  EXPECT_EQ(Reader::open(directory / "run.h5").run().status, "running");
}

TEST(WriterCreate, KeepsTheOldFileWhenTheNewOneCannotBeMade) {
  const TemporaryDirectory directory;
  write_bytes(directory / "run.h5", "precious");
  RunInfo run = sample_run();
  run.suite = std::string(1000, 's');  // an identifier that does not fit
  EXPECT_THROW(static_cast<void>(Writer::create(directory / "run.h5", run, true)), Error);
  EXPECT_EQ(read_bytes(directory / "run.h5"), "precious");
  EXPECT_EQ(files_in(directory), 1);
}

TEST(WriterCreate, RefusesWhatIsNoFile) {
  const TemporaryDirectory directory;
  EXPECT_THAT(refusal(directory.path(), true), HasSubstr("is a directory"));
  EXPECT_THAT(refusal(directory.path() / "", true), HasSubstr("names no file"));
  EXPECT_THAT(refusal("", false), HasSubstr("names no file"));
  EXPECT_THAT(refusal("/dev/null", true), HasSubstr("not a regular file"));
  EXPECT_THAT(refusal(directory / "none/run.h5", false), HasSubstr("none/run.h5: cannot create the file: No such"));
  write_bytes(directory / "file", "");
  EXPECT_THAT(refusal(directory / "file/run.h5", false), HasSubstr("Not a directory"));
  EXPECT_EQ(files_in(directory), 1);
}

TEST(WriterCreate, RefusesADirectoryThatCannotBeWritten) {
  const TemporaryDirectory directory;
  ASSERT_EQ(chmod(directory.path().c_str(), 0555), 0);
  // Root may write everywhere, so another user tries.
  EXPECT_EQ(complaint_of_child([&] {
              if (geteuid() == 0 && setuid(65534) != 0) return std::string("cannot become another user");
              const std::string message = refusal(directory / "run.h5", false);
              return message.find("Permission denied") == std::string::npos ? "message: " + message : std::string();
            }),
            "");
}

TEST(WriterCreate, KeepsAFileThatAppearsMeanwhile) {
  const TemporaryDirectory directory;
  {
    NewFile mine(directory / "run.h5", "unique");
    write_bytes(directory / "run.h5", "precious");
    EXPECT_THROW(mine.become_target(), Error);
  }
  EXPECT_EQ(read_bytes(directory / "run.h5"), "precious");
  EXPECT_EQ(files_in(directory), 1);
}

TEST(WriterCreate, DoesNotFollowALinkToOverwriteAnotherFile) {
  const TemporaryDirectory directory;
  write_bytes(directory / "target", "precious");
  std::filesystem::create_symlink(directory / "target", directory / "run.h5");
  EXPECT_THAT(refusal(directory / "run.h5", false), HasSubstr("already exists"));
  EXPECT_THAT(refusal(directory / "run.h5", true), HasSubstr("not a regular file"));
  EXPECT_EQ(read_bytes(directory / "target"), "precious");
}

TEST(WriterAppend, RefusesAnIdentifierThatIsTooLong) {
  const TemporaryDirectory directory;
  Writer writer = Writer::create(directory / "run.h5", sample_run(), false);
  Series series = sample_series(0, 1, 1);
  series.row.point = std::string(161, 'p');
  EXPECT_THAT(message_of(ExitCode::environment, [&] { writer.append(series); }),
              HasSubstr("column point: 161 bytes do not fit into text[160]"));
  EXPECT_EQ(writer.append(sample_series(0, 1, 1)), 0) << "a refused series leaves the writer at work";
}

TEST(WriterAppend, RefusesPartsThatDoNotFitTogether) {
  const TemporaryDirectory directory;
  Writer writer = Writer::create(directory / "run.h5", sample_run(), false);
  const auto refused = [&](auto change) {
    Series series = sample_series(0, 2, 3);
    change(series);
    EXPECT_THROW(writer.append(series), Error);
  };
  refused([](Series& series) { series.samples.pop_back(); });
  refused([](Series& series) { series.members.push_back(9); });
  refused([](Series& series) { series.row.flags = flag_subset; });
  refused([](Series& series) { series.histogram.resize(LogHistogram::bins); });
  refused([](Series& series) { series.row.ranks = 0; });
  EXPECT_EQ(writer.append(sample_series(0, 2, 3)), 0);
}

TEST(WriterAppend, AfterTheEndIsAnError) {
  const TemporaryDirectory directory;
  Writer writer = Writer::create(directory / "run.h5", sample_run(), false);
  writer.finish("done", "");
  EXPECT_THROW(writer.append(sample_series(0, 1, 1)), Error);
  EXPECT_THROW(writer.finish("done", ""), Error);
  EXPECT_EQ(Reader::open(directory / "run.h5").run().status, "done");
}

EventRow event_row(const std::string& text) {
  EventRow event;
  event.severity = "error";
  event.text = text;
  return event;
}

TEST(WriterTryFinish, ClosesFromAnotherThread) {
  const TemporaryDirectory directory;
  Writer writer = Writer::create(directory / "run.h5", sample_run(), false);
  writer.append(sample_series(0, 4, 1000));
  bool closed = false;
  std::thread([&] {
    closed = writer.try_finish("stopped", "rank 3 did not arrive", event_row("deadline"), Seconds(1));
  }).join();
  EXPECT_TRUE(closed);
  const Reader reader = Reader::open(directory / "run.h5");
  EXPECT_EQ(reader.run().status, "stopped");
  EXPECT_EQ(reader.run().status_reason, "rank 3 did not arrive");
  EXPECT_EQ(reader.rows<EventRow>().at(0).text, "deadline");
  EXPECT_EQ(reader.series().size(), 1u);
}

TEST(WriterTryFinish, LeavesAClosedFileAlone) {
  const TemporaryDirectory directory;
  Writer writer = Writer::create(directory / "run.h5", sample_run(), false);
  writer.finish("done", "");
  EXPECT_TRUE(writer.try_finish("stopped", "late", event_row("deadline"), Seconds(1)));
  EXPECT_EQ(Reader::open(directory / "run.h5").run().status, "done");
}

/// A main thread that is inside an append for a long time: hundreds of MiB in one series.
TEST(WriterTryFinish, GivesUpWhileTheMainThreadIsInside) {
  const TemporaryDirectory directory;
  Writer writer = Writer::create(directory / "run.h5", sample_run(), false);
  const Series small = sample_series(0, 1, 1);
  Series large = small;
  large.row.kept = 30'000'000;
  large.samples.resize(30'000'000, 1.0);
  std::atomic<bool> inside = false;
  std::atomic<bool> outside = false;
  std::thread main_thread([&] {
    inside = true;
    writer.append(large);
    outside = true;
  });
  while (!inside) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const double start = monotonic_seconds();
  const bool closed = writer.try_finish("stopped", "stuck", event_row("deadline"), Seconds(0.001));
  const double waited = monotonic_seconds() - start;
  const bool was_inside = !outside;
  main_thread.join();
  ASSERT_TRUE(was_inside) << "the append was over too soon to tell anything";
  EXPECT_FALSE(closed);
  EXPECT_LT(waited, 0.5);
  EXPECT_EQ(writer.append(small), 1) << "the writer goes on";
}

}  // namespace
}  // namespace assay::results
