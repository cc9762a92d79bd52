#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/clock.hpp"
#include "core/device.hpp"
#include "core/group.hpp"
#include "core/layout.hpp"
#include "core/point.hpp"
#include "core/units.hpp"

namespace assay {

enum class Suite { quick, standard, full };

/// One value of an axis and the smallest suite that includes it.
struct AxisValue {
  std::string value;
  Suite from = Suite::quick;
};

struct Axis {
  std::string name;
  std::vector<AxisValue> values;
};

/// What must be there for a case to run; otherwise the plan lists it as not applicable, with the reason.
struct Needs {
  int ranks = 1;
  int nodes = 1;
  bool path = false;           ///< a directory to write in (--path)
  bool blas = false;           ///< OpenBLAS; settings["blas.kernel"] then names the kernels to use
  int gpus = 0;                ///< ranks that have a GPU
  int gpus_on_node = 0;        ///< such ranks on one node, on at least one
  int gpu_nodes = 0;           ///< nodes with such ranks
  bool nccl = false;           ///< every rank that has a GPU can load NCCL
  bool mpi_on_device = false;  ///< MPI takes pointers to GPU memory
};

/// What one iteration of the whole set of ranks achieves.
enum class WorkKind {
  bytes,       ///< rate = amount * bus_factor / seconds, byte/s
  flops,       ///< rate = amount / seconds, FLOP/s
  operations,  ///< rate = amount / seconds, I/O operations/s
  latency,     ///< seconds / amount; amount = dependent steps in one iteration (2 for a round trip quoted one way)
};

struct Work {
  WorkKind kind = WorkKind::bytes;
  double amount = 0;  ///< by all ranks of the set together, in one iteration
  Direction direction = Direction::none;
  double bus_factor = 1;  ///< busbw / algbw, docs/metrics.md
};

/// What seconds[rank][iteration] mean.
enum class Timing {
  per_rank,      ///< own end - own start
  shared_start,  ///< own end - the earliest start of that iteration among the set's ranks on the same node:
                 ///< time-shared cores cannot look like own ones
  device,        ///< Case::device_seconds(): measured by the device (GPU events) around the operation itself
};

/// How the ranks' seconds of one iteration give the set's.
enum class Combine {
  slowest,     ///< the largest
  concurrent,  ///< ranks stream on their own: harmonic mean, so that rates add up
};

struct Check {
  std::uint64_t checked = 0;  ///< elements looked at; 0 means that nothing was verified, which is never "right"
  std::uint64_t wrong = 0;
  std::string first;  ///< the first wrong element: index, value, expected
};

/// What a case gets to work with. References outlive the case.
struct Context {
  Group& group;  ///< the ranks of this set; rank() and size() are within the set
  BufferPool& buffers;
  std::uint64_t seed;     ///< agreed by the set
  Deadline deadline;      ///< for one batch of iterations
  std::vector<int> cpus;  ///< the CPUs that this rank may fill: its share of the node's grant (one for "ranks:one")
  std::filesystem::path path;                   ///< directory to write in; empty when none was given
  std::map<std::string, std::string> settings;  ///< agreed facts such as "blas.kernel"
  Device* device = nullptr;  ///< this rank's GPU; never null in a case that needs GPUs, if its sets hold GPU ranks only
  const Layout* layout = nullptr;  ///< where all ranks of the world sit
  std::vector<int> members = {};   ///< world ranks of this set, in the order of the set
};

/// One benchmark at one point. Constructed, used and destroyed by all ranks of the set in the same order.
/// The harness calls: begin, run * n, end (repeated), then verify. Errors are thrown; a throw fails the series.
/// begin and run must not throw between two communications that other ranks take part in: a case that communicates in
/// end() keeps an error of run() until then, so that no rank waits for one that has left.
class Case {
 public:
  virtual ~Case() = default;

  virtual void begin() {}  ///< untimed, before a batch of timed iterations (prime a queue)
  virtual void run() = 0;  ///< one timed iteration
  virtual void end() {}    ///< untimed, after a batch (drain a queue)
  /// Only with Timing::device, after end(): seconds of each run() since begin(), in order; out.size() == their number.
  virtual void device_seconds(std::span<double> out);
  /// Untimed. Looks at the buffers that timed iterations wrote; a rank that holds no results checks 0 elements.
  virtual Check verify() = 0;
  /// Damages something that the next verify() must notice on this rank; for the conformance test.
  /// Returns false on a rank that holds nothing to check.
  virtual bool corrupt() = 0;
  [[nodiscard]] virtual Work work() const = 0;
  /// How it was done, as far as a library chose: "Ring/Simple, 16 channels, NET/IB GDR mlx5_0-7". Read after verify();
  /// stored with the series. Different words of different ranks are listed; at most 400 characters are kept.
  [[nodiscard]] virtual std::string method() const { return {}; }
};

/// A benchmark's description. One per file under */cases/, registered by a `Register` object.
struct CaseInfo {
  std::string name;     ///< "mpi.all_reduce": [a-z0-9_.], at most 47 characters
  std::string summary;  ///< one line for `assay list`
  Needs needs;
  Timing timing = Timing::per_rank;
  Combine combine = Combine::slowest;
  bool barrier_before_each = false;          ///< align ranks before every timed iteration (outside the timed window)
  std::uint64_t longest_batch = 10'000'000;  ///< most run() calls between begin() and end()

  std::function<std::vector<Axis>(const Layout&)> axes;  ///< every combination is a point
  std::function<RankSets(const Layout&, const Point&)> sets = [](const Layout& layout, const Point&) {
    return everyone(layout);
  };
  std::function<std::unique_ptr<Case>(Context&, const Point&)> make;
};

/// The points of a case in a suite: the product of its axes, the first axis varying fastest.
[[nodiscard]] std::vector<Point> points_of(const CaseInfo& info, Suite suite, const Layout& layout);

/// The set's time for each iteration from seconds[rank][iteration] (rank-major).
[[nodiscard]] std::vector<double> combine_seconds(Combine combine, std::span<const double> seconds, std::size_t ranks);

/// Value of one iteration in the dimension of the work: byte/s with the bus factor applied, FLOP/s, operations/s, or
/// seconds.
[[nodiscard]] double value_of(const Work& work, double seconds);
[[nodiscard]] Dimension dimension_of(WorkKind kind);

[[nodiscard]] std::string_view to_string(Suite suite);
[[nodiscard]] std::string_view to_string(WorkKind kind);
[[nodiscard]] std::string_view to_string(Timing timing);
[[nodiscard]] std::string_view to_string(Combine combine);
[[nodiscard]] std::optional<Suite> parse_suite(std::string_view text);
[[nodiscard]] std::optional<WorkKind> parse_work_kind(std::string_view text);
[[nodiscard]] std::optional<Combine> parse_combine(std::string_view text);

}  // namespace assay
