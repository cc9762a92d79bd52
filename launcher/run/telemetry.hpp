#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/units.hpp"
#include "results/record.hpp"

namespace assay {

/// One value of one device at this moment.
struct TelemetryValue {
  std::int32_t device = -1;
  std::string metric;
  double value = 0;
};

/// Where telemetry comes from; tests put their own in its place. Called by one thread at a time.
class TelemetrySource {
 public:
  virtual ~TelemetrySource() = default;
  /// What tells of throttling; read several times a second and at the borders of series.
  [[nodiscard]] virtual std::vector<TelemetryValue> fast() = 0;
  /// What moves slowly; read twice a second.
  [[nodiscard]] virtual std::vector<TelemetryValue> slow() = 0;
  /// Counters of NICs and of errors; read at the borders of series while that is cheap.
  [[nodiscard]] virtual std::vector<TelemetryValue> counters() = 0;
  /// What has happened since the last call: sentences for the events.
  [[nodiscard]] virtual std::vector<std::string> happenings() = 0;
};

/// Lets a value pass when it is new: the first of its device and metric, or one that differs from the last one passed
/// by more than the metric's resolution (docs/results.md).
class ChangeFilter {
 public:
  [[nodiscard]] bool passes(const TelemetryValue& value);
  /// Passes in any case.
  void note(const TelemetryValue& value);

 private:
  std::map<std::pair<std::int32_t, std::string>, double> last_;
};

/// Smallest change of a metric that is stored, in its unit; for power a share of the value is taken when that is more.
[[nodiscard]] double telemetry_resolution(const std::string& metric, double value);

/// A thread that reads the source more than ten times a second.
class Telemetry {
 public:
  static constexpr Seconds period{0.08};

  /// The thread starts at once.
  explicit Telemetry(std::unique_ptr<TelemetrySource> source);
  Telemetry(const Telemetry&) = delete;
  Telemetry& operator=(const Telemetry&) = delete;
  ~Telemetry();

  /// The border of a series: fast values are read and kept in any case, counters when reading them takes less than 0.4
  /// % of the time.
  void mark();

  struct Harvest {
    std::vector<results::TelemetryRow> rows;                 ///< time: monotonic seconds of this host; node: 0
    std::vector<std::pair<double, std::string>> happenings;  ///< time and sentence
  };
  /// Everything since the last call.
  [[nodiscard]] Harvest take();

  /// CPU seconds that reading has cost, and for how long it has been going on.
  struct Cost {
    double cpu_seconds = 0;
    double wall_seconds = 0;
  };
  [[nodiscard]] Cost cost() const;

 private:
  void work();
  void read(bool border);
  void keep(const std::vector<TelemetryValue>& values, bool always);
  void read_counters(double now);

  mutable std::mutex mutex_;  ///< over all below
  std::condition_variable wake_;
  std::unique_ptr<TelemetrySource> source_;
  ChangeFilter filter_;
  Harvest harvest_;
  double started_;
  double cpu_seconds_ = 0;
  double last_slow_ = 0;
  double last_counters_ = 0;
  double counters_cost_ = 0;  ///< seconds that reading them took last
  bool stop_ = false;
  std::thread thread_;  ///< last: ends before all that it uses
};

}  // namespace assay
