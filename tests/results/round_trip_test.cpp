#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "results/reader.hpp"
#include "results/writer.hpp"
#include "tests/results/sample.hpp"

namespace assay::results {
namespace {

using testing::ElementsAreArray;
using testing::IsEmpty;

template <class Row>
std::vector<Row> two_rows() {
  return {distinct_row<Row>(1), distinct_row<Row>(2)};
}

void append_all_tables(Writer& writer) {
  writer.append(two_rows<NodeRow>());
  writer.append(two_rows<GpuRow>());
  writer.append(two_rows<NvlinkRow>());
  writer.append(two_rows<NicRow>());
  writer.append(two_rows<DistanceRow>());
  writer.append(two_rows<DiskRow>());
  writer.append(two_rows<SoftwareRow>());
  writer.append(two_rows<RankRow>());
  writer.append(two_rows<EventRow>());
  writer.append(two_rows<TelemetryRow>());
}

template <class Row>
void expect_two_rows(const Reader& reader) {
  SCOPED_TRACE(std::string(Table<Row>::name));
  const std::vector<Row> rows = reader.rows<Row>();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_THAT(differences(rows[0], distinct_row<Row>(1)), IsEmpty());
  EXPECT_THAT(differences(rows[1], distinct_row<Row>(2)), IsEmpty());
}

void expect_all_tables(const Reader& reader) {
  expect_two_rows<NodeRow>(reader);
  expect_two_rows<GpuRow>(reader);
  expect_two_rows<NvlinkRow>(reader);
  expect_two_rows<NicRow>(reader);
  expect_two_rows<DistanceRow>(reader);
  expect_two_rows<DiskRow>(reader);
  expect_two_rows<SoftwareRow>(reader);
  expect_two_rows<RankRow>(reader);
  expect_two_rows<EventRow>(reader);
  expect_two_rows<TelemetryRow>(reader);
}

void expect_series(const Reader& reader, std::int64_t id, const Series& written) {
  SCOPED_TRACE(id);
  SeriesRow expected = written.row;
  const SeriesRow& row = reader.series().at(static_cast<std::size_t>(id));
  expected.series = id;
  expected.count = static_cast<std::int64_t>(written.samples.size());
  expected.members = row.members;
  expected.offset = row.offset;
  expected.histogram = row.histogram;
  EXPECT_THAT(differences(row, expected), IsEmpty());
  EXPECT_EQ(reader.samples(row), written.samples);
  const std::vector<std::int32_t> members = reader.members();
  const auto first = members.begin() + row.members;
  EXPECT_THAT(std::vector(first, first + row.ranks), ElementsAreArray(written.members));
}

Series subset_series() {
  Series series = sample_series(1, 2, 5);
  series.row.flags = flag_subset | flag_steal;
  series.members = {4, 7};
  for (std::uint64_t bin = 0; bin < LogHistogram::bins; ++bin) series.histogram.push_back(bin * 3);
  return series;
}

class RoundTrip : public testing::TestWithParam<bool> {};

TEST_P(RoundTrip, GivesBackEveryColumn) {
  const TemporaryDirectory directory;
  const Series plain = sample_series(0, 3, 70'000);
  const Series subset = subset_series();
  const Series empty = sample_series(2, 2, 0);
  {
    Writer writer = Writer::create(directory / "run.h5", sample_run(), false);
    append_all_tables(writer);
    EXPECT_EQ(writer.append(plain), 0);
    EXPECT_EQ(writer.append(subset), 1);
    EXPECT_EQ(writer.append(empty), 2);
    if (GetParam()) writer.finish("stopped", "a signal");
  }
  const Reader reader = Reader::open(directory / "run.h5");
  RunInfo run = sample_run();
  run.status = GetParam() ? "stopped" : "running";
  if (GetParam()) run.status_reason = "a signal";
  EXPECT_THAT(differences(reader.run(), run), IsEmpty());
  expect_all_tables(reader);
  ASSERT_EQ(reader.series().size(), 3u);
  expect_series(reader, 0, plain);
  expect_series(reader, 1, subset);
  expect_series(reader, 2, empty);
  EXPECT_EQ(reader.series()[0].histogram, -1);
  EXPECT_EQ(reader.series()[1].histogram, 0);
  EXPECT_EQ(reader.histogram(0), subset.histogram);
  EXPECT_EQ(reader.all_samples().size(), plain.samples.size() + subset.samples.size());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1) << "other files are left";
}

INSTANTIATE_TEST_SUITE_P(OpenAndClosed, RoundTrip, testing::Bool(),
                         [](const auto& test) { return test.param ? "Closed" : "LeftOpen"; });

TEST(RoundTripValues, OddSamplesComeBackAsTheyAre) {
  const TemporaryDirectory directory;
  Series series = sample_series(0, 1, 4);
  series.samples = {std::nan(""), std::numeric_limits<double>::infinity(), -1.5, 0.0};
  {
    Writer writer = Writer::create(directory / "run.h5", sample_run(), false);
    writer.append(series);
    writer.finish("done", "");
  }
  const std::vector<double> samples = Reader::open(directory / "run.h5").all_samples();
  ASSERT_EQ(samples.size(), 4u);
  EXPECT_TRUE(std::isnan(samples[0]));
  EXPECT_EQ(samples[1], std::numeric_limits<double>::infinity());
  EXPECT_EQ(samples[2], -1.5);
  EXPECT_EQ(samples[3], 0.0);
}

TEST(RoundTripValues, ClosedFileIsSmaller) {
  const TemporaryDirectory directory;
  Writer writer = Writer::create(directory / "run.h5", sample_run(), false);
  for (int i = 0; i < 20; ++i) writer.append(sample_series(i, 4, 10'000));
  const auto open_size = std::filesystem::file_size(directory / "run.h5");
  writer.finish("done", "");
  EXPECT_LT(std::filesystem::file_size(directory / "run.h5"), open_size / 2);
}

TEST(RoundTripValues, FreeTextIsCutAtACharacter) {
  const TemporaryDirectory directory;
  EventRow event = distinct_row<EventRow>(1);
  event.text = "xy";  // so that the limit falls into a character
  for (int i = 0; i < 600; ++i) event.text += "\u00e4";
  {
    Writer writer = Writer::create(directory / "run.h5", sample_run(), false);
    writer.append(std::vector{event});
  }
  const std::string text = Reader::open(directory / "run.h5").rows<EventRow>().at(0).text;
  EXPECT_LE(text.size(), 1000u);
  EXPECT_GE(text.size(), 996u);
  EXPECT_EQ(text.substr(text.size() - 5), "\u00e4\u2026");
  EXPECT_EQ(text.size() % 2, 1u) << "half a character is left";
}

TEST(RoundTripValues, TextThatFillsItsColumnIsKept) {
  const TemporaryDirectory directory;
  Series series = sample_series(0, 1, 1);
  series.row.case_name = std::string(48, 'c');
  series.row.point = std::string(160, 'p');
  {
    Writer writer = Writer::create(directory / "run.h5", sample_run(), false);
    writer.append(series);
  }
  const Reader reader = Reader::open(directory / "run.h5");
  EXPECT_EQ(reader.series().at(0).case_name, series.row.case_name);
  EXPECT_EQ(reader.series().at(0).point, series.row.point);
}

TEST(RoundTripValues, PartsOfSamplesAreRead) {
  const TemporaryDirectory directory;
  {
    Writer writer = Writer::create(directory / "run.h5", sample_run(), false);
    writer.append(sample_series(0, 2, 10));
  }
  const Reader reader = Reader::open(directory / "run.h5");
  std::vector<double> part(3);
  reader.samples(17, part);
  EXPECT_THAT(part, testing::ElementsAre(sample_value(0, 17), sample_value(0, 18), sample_value(0, 19)));
  EXPECT_THROW(reader.samples(18, part), Error);
  EXPECT_THROW(reader.samples(-1, part), Error);
  EXPECT_THROW(static_cast<void>(reader.histogram(0)), Error);
}

}  // namespace
}  // namespace assay::results
