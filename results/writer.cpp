#include "results/writer.hpp"

#include <fmt/format.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "results/compress.hpp"
#include "results/contents.hpp"
#include "results/new_file.hpp"

namespace assay::results {
namespace {

void check_sizes(const Series& series) {
  const auto require = [&](bool right, std::string_view what) {
    if (!right) throw environment_error(fmt::format("{}/{}: {}", series.row.case_name, series.row.point, what));
  };
  const auto ranks = static_cast<std::size_t>(series.row.ranks);
  require(series.row.ranks > 0 && series.row.kept >= 0, "ranks or kept out of range");
  require(series.members.size() == ranks, "not as many members as ranks");
  require(series.samples.size() == ranks * static_cast<std::size_t>(series.row.kept), "samples are not ranks * kept");
  const bool subset = (series.row.flags & flag_subset) != 0;
  require(series.histogram.size() == (subset ? LogHistogram::bins : 0), "histogram does not fit flag_subset");
}

template <class Row>
std::vector<char> pack_rows(const RowLayout<Row>& layout, const std::vector<Row>& rows) {
  std::vector<char> bytes(rows.size() * layout.size());
  char* target = bytes.data();
  for (const Row& row : rows) {
    layout.pack(row, target);
    target += layout.size();
  }
  return bytes;
}

}  // namespace

class Writer::File {
 public:
  File(std::filesystem::path path, RunInfo info, bool overwrite) : path_(std::move(path)), info_(std::move(info)) {
    prepare_hdf5();
    info_.status = "running";
    check_target(path_, overwrite);
    NewFile place(path_, info_.run_id);
    writing([&] {
      file_ = OutputFile(place, Storage::running);
      contents_ = create_contents(file_.get(), info_, Storage::running);
      file_.flush();
    });
    overwrite ? place.replace_target() : place.become_target();
  }

  template <class Row>
  void append(const std::vector<Row>& rows) {
    const std::lock_guard lock(mutex_);
    begin();
    append_rows(rows);
  }

  std::int64_t append(const Series& series) {
    const std::lock_guard lock(mutex_);
    begin();
    check_sizes(series);
    auto& table = contents_->table<SeriesRow>();
    SeriesRow row = series.row;
    row.series = static_cast<std::int64_t>(table.dataset.rows());
    row.members = static_cast<std::int64_t>(contents_->members.rows());
    row.offset = static_cast<std::int64_t>(contents_->samples.rows());
    row.count = static_cast<std::int64_t>(series.samples.size());
    row.histogram = series.histogram.empty() ? -1 : static_cast<std::int64_t>(contents_->histograms.rows());
    const std::vector<char> bytes = pack_rows(table.layout, std::vector{row});
    writing([&] {
      contents_->samples.append(native_type<double>(), series.samples.data(), series.samples.size());
      contents_->members.append(native_type<std::int32_t>(), series.members.data(), series.members.size());
      if (row.histogram >= 0) contents_->histograms.append(native_type<std::uint64_t>(), series.histogram.data(), 1);
      file_.flush();
      table.dataset.append(table.layout.type(), bytes.data(), 1);
      file_.flush();
    });
    return row.series;
  }

  void finish(const std::string& status, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    begin();
    close(status, reason);
    try {
      replace_by_compressed_copy(path_, info_);
    } catch (const Error&) {
      synchronize(path_);  // no room for a copy: the record is complete without it
    }
  }

  bool try_finish(const std::string& status, const std::string& reason, const EventRow& event, Seconds timeout) {
    const std::unique_lock lock(mutex_, std::chrono::duration<double>(timeout.value));
    if (!lock.owns_lock()) return false;
    if (!file_.is_open()) return true;
    begin();
    append_rows(std::vector{event});
    close(status, reason);
    return true;
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void begin() const {
    prepare_hdf5();
    if (!file_.is_open()) throw environment_error(path_.string() + ": the result file is closed already");
  }

  template <class Row>
  void append_rows(const std::vector<Row>& rows) {
    auto& table = contents_->table<Row>();
    const std::vector<char> bytes = pack_rows(table.layout, rows);
    writing([&] {
      table.dataset.append(table.layout.type(), bytes.data(), rows.size());
      file_.flush();
    });
  }

  void close(const std::string& status, const std::string& reason) {
    info_.status = status;
    info_.status_reason = reason;
    writing([&] {
      rewrite_status(file_.get(), info_);
      contents_.reset();
      file_.close();
    });
  }

  /// After a failed write memory and file differ, so nothing more is written.
  template <class Work>
  void writing(Work&& work) {
    try {
      work();
    } catch (const Error& error) {
      contents_.reset();
      file_.abandon();
      throw Error(error.code(), path_.string() + ": " + error.what(),
                  "look at the free space and the health of this file system; series reported before are in the file");
    }
  }

  std::timed_mutex mutex_;
  std::filesystem::path path_;
  RunInfo info_;
  OutputFile file_;
  std::optional<Contents> contents_;
};

Writer::Writer(std::unique_ptr<File> file) : file_(std::move(file)) {}
Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

Writer Writer::create(const std::filesystem::path& path, RunInfo info, bool overwrite) {
  return Writer(std::make_unique<File>(path, std::move(info), overwrite));
}

template <class Row>
void Writer::append(const std::vector<Row>& rows) {
  file_->append(rows);
}
template void Writer::append(const std::vector<NodeRow>&);
template void Writer::append(const std::vector<GpuRow>&);
template void Writer::append(const std::vector<NicRow>&);
template void Writer::append(const std::vector<NvlinkRow>&);
template void Writer::append(const std::vector<DistanceRow>&);
template void Writer::append(const std::vector<DiskRow>&);
template void Writer::append(const std::vector<SoftwareRow>&);
template void Writer::append(const std::vector<RankRow>&);
template void Writer::append(const std::vector<EventRow>&);
template void Writer::append(const std::vector<TelemetryRow>&);

std::int64_t Writer::append(const Series& series) { return file_->append(series); }

void Writer::finish(const std::string& status, const std::string& reason) { file_->finish(status, reason); }

bool Writer::try_finish(const std::string& status, const std::string& reason, const EventRow& event, Seconds timeout) {
  return file_->try_finish(status, reason, event, timeout);
}

const std::filesystem::path& Writer::path() const { return file_->path(); }

}  // namespace assay::results
