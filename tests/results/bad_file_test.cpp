#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/error.hpp"
#include "results/contents.hpp"
#include "results/reader.hpp"
#include "results/writer.hpp"
#include "tests/results/sample.hpp"

namespace assay::results {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string complaint(const std::filesystem::path& path) {
  try {
    static_cast<void>(Reader::open(path));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr(path.string()));
    return error.what();
  }
  return "none";
}

class BadFile : public testing::Test {
 protected:
  void write_good_file() {
    Writer writer = Writer::create(path_, sample_run(), false);
    writer.append(sample_series(0, 2, 10));
    writer.append(sample_series(1, 2, 10));
    writer.append(std::vector{distinct_row<TelemetryRow>(1)});
    writer.finish("done", "");
  }

  /// Calls change(file) with the file open for writing.
  template <class Change>
  void change_file(Change&& change) {
    prepare_hdf5();
    const Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open");
    change(file.get());
  }

  void set_version(const char* name, int value) {
    change_file([&](hid_t file) {
      const Handle group(H5Gopen2(file, "run", H5P_DEFAULT), H5Gclose, "open");
      const Handle attribute(H5Aopen(group.get(), name, H5P_DEFAULT), H5Aclose, "open");
      ASSERT_GE(H5Awrite(attribute.get(), H5T_NATIVE_INT, &value), 0);
    });
  }

  template <class Change>
  void change_series(std::size_t index, Change&& change) {
    change_file([&](hid_t file) {
      const Handle dataset(H5Dopen2(file, "series", H5P_DEFAULT), H5Dclose, "open");
      const RowLayout<SeriesRow> layout;
      std::vector<char> bytes(2 * layout.size());
      ASSERT_GE(H5Dread(dataset.get(), layout.type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0);
      SeriesRow row = layout.unpack(bytes.data() + index * layout.size());
      change(row);
      layout.pack(row, bytes.data() + index * layout.size());
      ASSERT_GE(H5Dwrite(dataset.get(), layout.type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0);
    });
  }

  const TemporaryDirectory directory_;
  const std::filesystem::path path_ = directory_ / "run.h5";
};

TEST_F(BadFile, EachHasItsOwnWord) {
  EXPECT_THAT(complaint(path_), HasSubstr("does not exist"));
  EXPECT_THAT(complaint(directory_.path()), HasSubstr("is a directory"));
  EXPECT_THAT(complaint("/dev/null"), HasSubstr("not a regular file"));
  write_bytes(path_, "");
  EXPECT_THAT(complaint(path_), HasSubstr("is empty"));
  write_bytes(path_, "{\"json\": true}");
  EXPECT_THAT(complaint(path_), HasSubstr("not an HDF5 file"));
  write_bytes(path_, "\x89HDF\r\n\x1a\n");
  EXPECT_THAT(complaint(path_), HasSubstr("truncated or damaged"));
}

TEST_F(BadFile, TruncatedAnywhere) {
  write_good_file();
  const std::string bytes = read_bytes(path_);
  for (std::size_t size = 8; size < bytes.size(); size += 997) {
    write_bytes(path_, bytes.substr(0, size));
    ASSERT_THAT(complaint(path_), HasSubstr("truncated or damaged")) << "at " << size;
  }
}

TEST_F(BadFile, OfAnotherProgram) {
  prepare_hdf5();
  { const Handle file(H5Fcreate(path_.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "create"); }
  EXPECT_THAT(complaint(path_), HasSubstr("not a result file of assay"));
  change_file([](hid_t file) {
    const Handle group(H5Gcreate2(file, "run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "create");
  });
  EXPECT_THAT(complaint(path_), HasSubstr("not a result file of assay"));
}

TEST_F(BadFile, NewerMajorSchemaIsRefused) {
  write_good_file();
  set_version("schema_major", schema_major + 1);
  EXPECT_THAT(complaint(path_), AllOf(HasSubstr("schema 2.1 cannot be read"), HasSubstr("this program reads 1.x")));
}

TEST_F(BadFile, MissingParts) {
  write_good_file();
  change_file([](hid_t file) { ASSERT_GE(H5Ldelete(file, "samples", H5P_DEFAULT), 0); });
  EXPECT_THAT(complaint(path_), HasSubstr("/samples"));
  std::filesystem::remove(path_);
  write_good_file();
  change_file([](hid_t file) { ASSERT_GE(H5Adelete_by_name(file, "run", "seed", H5P_DEFAULT), 0); });
  EXPECT_THAT(complaint(path_), HasSubstr("attribute seed is missing"));
}

TEST_F(BadFile, RowsThatPointOutsideAreNamed) {
  const auto complaint_after = [&](auto change) {
    std::filesystem::remove(path_);
    write_good_file();
    change_series(1, change);
    return complaint(path_);
  };
  EXPECT_EQ(complaint_after([](SeriesRow&) {}), "none");
  EXPECT_THAT(complaint_after([](SeriesRow& row) { row.offset = 21; }), HasSubstr("/series row 1 ("));
  EXPECT_THAT(complaint_after([](SeriesRow& row) { row.offset = -1; }), HasSubstr("not in /samples"));
  EXPECT_THAT(complaint_after([](SeriesRow& row) { row.offset = INT64_MAX; }), HasSubstr("not in /samples"));
  EXPECT_THAT(complaint_after([](SeriesRow& row) { row.count = INT64_MAX; }), HasSubstr("not in /samples"));
  EXPECT_THAT(complaint_after([](SeriesRow& row) { row.kept = 9; }), HasSubstr("ranks * 9 kept"));
  EXPECT_THAT(complaint_after([](SeriesRow& row) { row.members = 3; }), HasSubstr("not in /members"));
  EXPECT_THAT(complaint_after([](SeriesRow& row) { row.ranks = 0; }), HasSubstr("not in /members"));
  EXPECT_THAT(complaint_after([](SeriesRow& row) { row.histogram = 0; }), HasSubstr("not in /histograms"));
  EXPECT_THAT(complaint_after([](SeriesRow& row) { row.series = 7; }), HasSubstr("its id is 7"));
}

TEST_F(BadFile, RowsLostFromARunningFileAreNoticed) {
  {
    Writer writer = Writer::create(path_, sample_run(), false);
    writer.append(sample_series(0, 2, 10));
  }
  const auto announce = [&](hsize_t rows) {
    change_file([&](hid_t file) {
      const Handle dataset(H5Dopen2(file, "series", H5P_DEFAULT), H5Dclose, "open");
      ASSERT_GE(H5Dset_extent(dataset.get(), &rows), 0);
    });
  };
  announce(2);
  EXPECT_EQ(Reader::open(path_).series().size(), 1u) << "the last append may have been cut short";
  announce(3);
  EXPECT_THAT(complaint(path_), HasSubstr("/series is damaged: 1 of 3 rows"));
}

/// /telemetry of a newer minor version: another order, a column more, wider text, a narrower number.
void replace_telemetry(hid_t file, bool with_value) {
  struct Newer {
    double quality = 0.5;
    char metric[64] = "cpu.busy";
    float value = 0.25F;
    std::int32_t device = -1;
    std::int32_t node = 3;
    double time = 12.5;
  };
  ASSERT_GE(H5Ldelete(file, "telemetry", H5P_DEFAULT), 0);
  const Handle text = text_type(64);
  const Handle type(H5Tcreate(H5T_COMPOUND, sizeof(Newer)), H5Tclose, "create type");
  H5Tinsert(type.get(), "quality", offsetof(Newer, quality), H5T_NATIVE_DOUBLE);
  H5Tinsert(type.get(), "metric", offsetof(Newer, metric), text.get());
  H5Tinsert(type.get(), with_value ? "value" : "worth", offsetof(Newer, value), H5T_NATIVE_FLOAT);
  H5Tinsert(type.get(), "device", offsetof(Newer, device), H5T_NATIVE_INT32);
  H5Tinsert(type.get(), "node", offsetof(Newer, node), H5T_NATIVE_INT32);
  H5Tinsert(type.get(), "time", offsetof(Newer, time), H5T_NATIVE_DOUBLE);
  Dataset dataset = Dataset::create(file, "telemetry", type.get(), Shape{}, Storage::final);
  const Newer row;
  dataset.append(type.get(), &row, 1);
}

TEST_F(BadFile, NewerMinorSchemaIsReadByName) {
  write_good_file();
  set_version("schema_minor", schema_minor + 1);
  change_file([](hid_t file) { replace_telemetry(file, true); });
  const Reader reader = Reader::open(path_);
  const TelemetryRow row = reader.rows<TelemetryRow>().at(0);
  EXPECT_EQ(row.time, 12.5);
  EXPECT_EQ(row.node, 3);
  EXPECT_EQ(row.device, -1);
  EXPECT_EQ(row.metric, "cpu.busy");
  EXPECT_EQ(row.value, 0.25);
}

TEST_F(BadFile, MissingColumnIsNamed) {
  write_good_file();
  change_file([](hid_t file) { replace_telemetry(file, false); });
  const Reader reader = Reader::open(path_);
  try {
    static_cast<void>(reader.rows<TelemetryRow>());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("/telemetry: column value is missing"));
  }
}

}  // namespace
}  // namespace assay::results
