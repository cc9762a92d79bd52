#include "results/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "results/contents.hpp"

namespace assay::results {
namespace {

/// Tells apart what HDF5 reports alike.
void check_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw bad_input(error && status.type() == std::filesystem::file_type::none
                        ? "cannot be looked at: " + error.message()
                        : "does not exist");
  }
  if (std::filesystem::is_directory(status)) throw bad_input("is a directory, not a result file");
  if (!std::filesystem::is_regular_file(status)) throw bad_input("is not a regular file");
  if (std::filesystem::file_size(path, error) == 0) throw bad_input("is empty");
  constexpr std::array<char, 8> signature{'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  std::array<char, 8> start{};
  std::ifstream file(path, std::ios::binary);
  if (!file) throw bad_input("cannot be read");
  file.read(start.data(), start.size());
  if (start != signature) throw bad_input("is not an HDF5 file");
}

Handle open_ours(const std::filesystem::path& path) {
  try {
    return open_file_for_reading(path);
  } catch (const Error& error) {
    throw bad_input(fmt::format("is truncated or damaged ({})", error.what()));
  }
}

/// [first, first + count) lies in [0, size).
bool lies_in(std::int64_t first, std::int64_t count, std::uint64_t size) {
  const auto limit = static_cast<std::int64_t>(size);
  return first >= 0 && count >= 0 && first <= limit && count <= limit - first;
}

/// A run killed in its last append leaves rows that were announced but have no place yet, or whose place is blank: no
/// complete row is all zeros, since each has a text. They were never reported as done.
struct Tail {
  bool may_be_torn;
  std::uint64_t row_bytes;

  [[nodiscard]] bool blank(const std::vector<char>& bytes) const {
    return std::all_of(bytes.end() - static_cast<std::ptrdiff_t>(row_bytes), bytes.end(),
                       [](char byte) { return byte == '\0'; });
  }

  [[nodiscard]] std::vector<char> read(const Dataset& dataset, hid_t type) const {
    std::uint64_t rows = dataset.rows();
    std::vector<char> bytes;
    while (true) {
      bytes.assign(rows * row_bytes, '\0');
      try {
        dataset.read(type, bytes.data(), 0, rows);
        break;
      } catch (const Error&) {
        if (!may_be_torn || rows == 0) throw;
        rows = (rows - 1) / dataset.chunk_rows() * dataset.chunk_rows();
      }
    }
    while (may_be_torn && !bytes.empty() && blank(bytes)) bytes.resize(bytes.size() - row_bytes);
    return bytes;
  }
};

/// Whatever fails while reading is the file's fault.
template <class Work>
auto reading(const std::filesystem::path& path, Work&& work) {
  prepare_hdf5();
  try {
    return work();
  } catch (const Error& error) {
    throw bad_input(path.string() + ": " + error.what(), error.hint());
  }
}

template <class Row>
std::vector<Row> read_table(hid_t file, bool may_be_torn) {
  try {
    const Dataset dataset = Dataset::open(file, Table<Row>::name);
    const RowLayout<Row> layout(dataset.type().get());
    const std::vector<char> bytes = Tail{may_be_torn, layout.size()}.read(dataset, layout.type());
    std::vector<Row> rows;
    rows.reserve(bytes.size() / layout.size());
    for (std::size_t at = 0; at < bytes.size(); at += layout.size()) rows.push_back(layout.unpack(bytes.data() + at));
    return rows;
  } catch (const Error& error) {
    throw bad_input(fmt::format("/{}: {}", Table<Row>::name, error.what()), error.hint());
  }
}

}  // namespace

class Reader::File {
 public:
  explicit File(std::filesystem::path path) : path_(std::move(path)) {
    reading(path_, [&] {
      check_file(path_);
      file_ = open_ours(path_);
      info_ = read_run(file_.get());
      samples_ = Dataset::open(file_.get(), samples_array.name);
      members_ = Dataset::open(file_.get(), members_array.name);
      histograms_ = Dataset::open(file_.get(), histograms_array.name);
      series_ = read_table<SeriesRow>(file_.get(), torn());
      const std::uint64_t announced = Dataset::open(file_.get(), Table<SeriesRow>::name).rows();
      if (announced > series_.size() + 1) {  // a killed run loses one row at most
        throw bad_input(fmt::format("/series is damaged: {} of {} rows can be read", series_.size(), announced));
      }
      for (std::size_t i = 0; i < series_.size(); ++i) check_row(series_[i], i);
    });
  }

  template <class Row>
  [[nodiscard]] std::vector<Row> rows() const {
    return reading(path_, [&] { return read_table<Row>(file_.get(), torn()); });
  }

  template <class Value>
  void read(const Dataset& dataset, std::int64_t first, std::span<Value> values, std::string_view name) const {
    reading(path_, [&] {
      const std::uint64_t rows = values.size() / dataset.width();
      if (!lies_in(first, static_cast<std::int64_t>(rows), dataset.rows())) {
        throw bad_input(fmt::format("/{} has no rows {} to {}", name, first, first + static_cast<std::int64_t>(rows)));
      }
      dataset.read(native_type<Value>(), values.data(), static_cast<std::uint64_t>(first), rows);
    });
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const RunInfo& info() const { return info_; }
  [[nodiscard]] const std::vector<SeriesRow>& series() const { return series_; }
  [[nodiscard]] const Dataset& samples() const { return samples_; }
  [[nodiscard]] const Dataset& members() const { return members_; }
  [[nodiscard]] const Dataset& histograms() const { return histograms_; }

  /// Elements that rows of /series point at; a killed run may have announced more.
  template <class End>
  [[nodiscard]] std::size_t used(End end) const {
    std::int64_t most = 0;
    for (const SeriesRow& row : series_) most = std::max(most, end(row));
    return static_cast<std::size_t>(most);
  }

 private:
  [[nodiscard]] bool torn() const { return info_.status == "running"; }

  void check_row(const SeriesRow& row, std::size_t index) const {
    const std::string wrong = fault(row, index);
    if (wrong.empty()) return;
    throw bad_input(fmt::format("/series row {} ({}/{}): {}", index, row.case_name, row.point, wrong),
                    "the file is damaged, or was changed after the run");
  }

  /// Empty when there is none.
  [[nodiscard]] std::string fault(const SeriesRow& row, std::size_t index) const {
    if (row.series != static_cast<std::int64_t>(index)) return fmt::format("its id is {}", row.series);
    if (row.ranks < 1 || !lies_in(row.members, row.ranks, members_.rows())) {
      return fmt::format("{} members from {} are not in /members", row.ranks, row.members);
    }
    if (!lies_in(row.offset, row.count, samples_.rows())) {
      return fmt::format("{} samples from {} are not in /samples", row.count, row.offset);
    }
    if (row.count % row.ranks != 0 || row.count / row.ranks != row.kept) {
      return fmt::format("{} samples are not {} ranks * {} kept", row.count, row.ranks, row.kept);
    }
    if (row.histogram != -1 && !lies_in(row.histogram, 1, histograms_.rows())) {
      return fmt::format("histogram {} is not in /histograms", row.histogram);
    }
    return {};
  }

  std::filesystem::path path_;
  Handle file_;
  RunInfo info_;
  Dataset samples_;
  Dataset members_;
  Dataset histograms_;
  std::vector<SeriesRow> series_;
};

Reader::Reader(std::unique_ptr<File> file) : file_(std::move(file)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

Reader Reader::open(const std::filesystem::path& path) { return Reader(std::make_unique<File>(path)); }

const RunInfo& Reader::run() const { return file_->info(); }
const std::filesystem::path& Reader::path() const { return file_->path(); }
const std::vector<SeriesRow>& Reader::series() const { return file_->series(); }

template <class Row>
std::vector<Row> Reader::rows() const {
  return file_->rows<Row>();
}
template std::vector<NodeRow> Reader::rows() const;
template std::vector<GpuRow> Reader::rows() const;
template std::vector<NicRow> Reader::rows() const;
template std::vector<NvlinkRow> Reader::rows() const;
template std::vector<DistanceRow> Reader::rows() const;
template std::vector<DiskRow> Reader::rows() const;
template std::vector<SoftwareRow> Reader::rows() const;
template std::vector<RankRow> Reader::rows() const;
template std::vector<EventRow> Reader::rows() const;
template std::vector<TelemetryRow> Reader::rows() const;

std::vector<std::int32_t> Reader::members() const {
  std::vector<std::int32_t> values(file_->used([](const SeriesRow& row) { return row.members + row.ranks; }));
  file_->read(file_->members(), 0, std::span(values), members_array.name);
  return values;
}

void Reader::samples(std::int64_t offset, std::span<double> seconds) const {
  file_->read(file_->samples(), offset, seconds, samples_array.name);
}

std::vector<double> Reader::samples(const SeriesRow& row) const {
  std::vector<double> seconds(static_cast<std::size_t>(row.count));
  samples(row.offset, seconds);
  return seconds;
}

std::vector<double> Reader::all_samples() const {
  std::vector<double> seconds(file_->used([](const SeriesRow& row) { return row.offset + row.count; }));
  samples(0, seconds);
  return seconds;
}

std::vector<std::uint64_t> Reader::histogram(std::int64_t row) const {
  std::vector<std::uint64_t> counts(LogHistogram::bins);
  file_->read(file_->histograms(), row, std::span(counts), histograms_array.name);
  return counts;
}

}  // namespace assay::results
