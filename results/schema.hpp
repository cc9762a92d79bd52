#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tuple>

#include "results/record.hpp"
#include "results/schema_devices.hpp"
#include "results/schema_field.hpp"

namespace assay::results {

/// The HDF5 form of the record, spelled here and nowhere else; docs/results.md is generated from it.
/// A new column raises the minor version (older programs ignore it), any other change the major one (they refuse).
inline constexpr int schema_major = 1;
inline constexpr int schema_minor = 1;

template <>
struct Table<RunInfo> {
  using R = RunInfo;
  static constexpr std::string_view name = "run";
  static constexpr std::string_view summary = "The run as a whole, one attribute per value.";
  static constexpr std::array fields{
      Field<R>{"run_id", &R::run_id, "-", "16 random hex digits that name the run", 32},
      Field<R>{"start_unix_time", &R::start_unix_time, "s", "Start, seconds since 1970-01-01 UTC, clock of rank 0"},
      Field<R>{"start_utc", &R::start_utc, "-", "The same moment as text, ISO 8601 in UTC", 32},
      Field<R>{"command", &R::command, "-", "Command line of rank 0", 8192, Text::free},
      Field<R>{"suite", &R::suite, "-", "quick, standard or full", 32},
      Field<R>{"filter", &R::filter, "-", "Regular expression over case/point; empty: everything", 1024, Text::free},
      Field<R>{"seed", &R::seed, "-", "Seed of the order of the plan, of data and of subsets"},
      Field<R>{"budget_seconds", &R::budget_seconds, "s", "Time that the run was given"},
      Field<R>{"predicted_seconds", &R::predicted_seconds, "s", "Time that the plan predicted before the start"},
      Field<R>{"target_relative_width", &R::target_relative_width, "1",
               "Stop rule: half width of the 95 % interval of the median, as a share of the median"},
      Field<R>{"epochs", &R::epochs, "count", "How often the whole plan is repeated"},
      Field<R>{"ranks", &R::ranks, "count", "Ranks of the job"},
      Field<R>{"nodes", &R::nodes, "count", "Hosts that the ranks were found on"},
      Field<R>{"assay_version", &R::assay_version, "-", "Version of the program", 32},
      Field<R>{"git_sha", &R::git_sha, "-", "Commit it was built from; -dirty when the tree had changes", 64},
      Field<R>{"mpi_library", &R::mpi_library, "-", "What the MPI library says of itself", 512, Text::free},
      Field<R>{"options_hash", &R::options_hash, "-", "Hash of the options, equal on all ranks", 32},
      Field<R>{"path", &R::path, "-", "Directory of the storage cases; empty: none", 1024, Text::free},
      Field<R>{"environment", &R::environment, "-", "Allow-listed NAME=VALUE lines of rank 0", 16384, Text::free},
      Field<R>{"emulated", &R::emulated, "-",
               "1: hardware was modelled in software, so this is no evidence about real hardware"},
      Field<R>{"imported", &R::imported, "-", "1: taken from another program's log"},
      Field<R>{"status", &R::status, "-", "running until the file is closed, then done or stopped", 16},
      Field<R>{"status_reason", &R::status_reason, "-", "Why the run stopped early", 1000, Text::free},
  };
};

template <>
struct Table<NodeRow> {
  using R = NodeRow;
  static constexpr std::string_view name = "nodes";
  static constexpr std::string_view summary =
      "One row per host. What is not known is -1 in whole numbers (-2 in memlock_bytes), NaN or empty text.";
  static constexpr std::array fields{
      Field<R>{"node", &R::node, "-", "Index of the host, ascending from 0"},
      Field<R>{"host", &R::host, "-", "Host name", 256},
      Field<R>{"cpu_model", &R::cpu_model, "-", "Model name of the first CPU", 128, Text::free},
      Field<R>{"sockets", &R::sockets, "count", "CPU packages"},
      Field<R>{"cores", &R::cores, "count", "Physical cores on line"},
      Field<R>{"threads", &R::threads, "count", "Logical CPUs on line"},
      Field<R>{"numa_nodes", &R::numa_nodes, "count", "NUMA nodes with memory"},
      Field<R>{"cpus_granted", &R::cpus_granted, "count",
               "CPUs that the job's cpuset and affinity grant, before the launcher's binding"},
      Field<R>{"cpu_quota", &R::cpu_quota, "count", "CPUs by the bandwidth quota of the cgroup; NaN: unlimited"},
      Field<R>{"memory_bytes", &R::memory_bytes, "byte", "Memory installed, as the kernel reports it"},
      Field<R>{"memory_granted_bytes", &R::memory_granted_bytes, "byte",
               "The smaller of installed memory and the limit of the cgroup"},
      Field<R>{"swap_bytes", &R::swap_bytes, "byte", "Swap space"},
      Field<R>{"huge_pages_bytes", &R::huge_pages_bytes, "byte", "Memory reserved as huge pages"},
      Field<R>{"transparent_huge_pages", &R::transparent_huge_pages, "-", "always, madvise or never", 32},
      Field<R>{"shm_bytes", &R::shm_bytes, "byte", "Size of /dev/shm"},
      Field<R>{"memlock_bytes", &R::memlock_bytes, "byte", "Soft limit of locked memory; -1: unlimited"},
      Field<R>{"nofile", &R::nofile, "count", "Soft limit of open files"},
      Field<R>{"os", &R::os, "-", "Distribution and version", 128, Text::free},
      Field<R>{"kernel", &R::kernel, "-", "Kernel release", 128, Text::free},
      Field<R>{"virtualization", &R::virtualization, "-", "Virtual machine or container: none, kvm, docker, ...", 64,
               Text::free},
      Field<R>{"clock_source", &R::clock_source, "-", "Kernel clock source", 32, Text::free},
      Field<R>{"clock_cost_seconds", &R::clock_cost_seconds, "s", "One reading of the monotonic clock"},
      Field<R>{"governor", &R::governor, "-", "CPU frequency governor; empty: not visible", 32, Text::free},
  };
};

template <>
struct Table<SoftwareRow> {
  using R = SoftwareRow;
  static constexpr std::string_view name = "software";
  static constexpr std::string_view summary = "One row per library or program of each host that figures depend on.";
  static constexpr std::array fields{
      Field<R>{"node", &R::node, "-", "Index of the host"},
      Field<R>{"name", &R::name, "-", "mpi, blas, blas.kernel, compiler, hdf5, ...", 64},
      Field<R>{"version", &R::version, "-", "Version as it reports itself", 256, Text::free},
      Field<R>{"detail", &R::detail, "-", "Build options, path and the like", 512, Text::free},
  };
};

template <>
struct Table<RankRow> {
  using R = RankRow;
  static constexpr std::string_view name = "ranks";
  static constexpr std::string_view summary = "One row per rank of the job.";
  static constexpr std::array fields{
      Field<R>{"rank", &R::rank, "-", "Rank in the whole job, ascending from 0"},
      Field<R>{"node", &R::node, "-", "Index of its host"},
      Field<R>{"local_rank", &R::local_rank, "-", "Its number among the ranks of that host"},
      Field<R>{"pid", &R::pid, "-", "Process id on that host"},
      Field<R>{"gpu", &R::gpu, "-", "Number of its GPU on that host; -1: it measures on the host only"},
      Field<R>{"nic", &R::nic, "-", "NIC nearest to that GPU; empty: none or not known", 64},
      Field<R>{"bound_cpus", &R::bound_cpus, "-", "CPUs that the launcher bound it to: 0-3,8", 1024, Text::free},
      Field<R>{"share_cpus", &R::share_cpus, "-", "Its share of the host's grant, used by cases that fill a host", 1024,
               Text::free},
  };
};

template <>
struct Table<SeriesRow> {
  using R = SeriesRow;
  static constexpr std::string_view name = "series";
  static constexpr std::string_view summary =
      "One row per series: one case at one point, measured by one set of ranks.";
  static constexpr std::array fields{
      Field<R>{"series", &R::series, "-", "Id, ascending from 0; equals the number of the row"},
      Field<R>{"case", &R::case_name, "-", "Name of the case", 48},
      Field<R>{"point", &R::point, "-", "Values of its axes, axis:value/axis:value", 160},
      Field<R>{"epoch", &R::epoch, "-", "Repetition of the plan that the series belongs to, from 0"},
      Field<R>{"status", &R::status, "-", "ok, wrong_data, failed or too_slow", 16},
      Field<R>{"ranks", &R::ranks, "count", "Ranks that worked together"},
      Field<R>{"members", &R::members, "-", "Where the numbers of these ranks begin in /members"},
      Field<R>{"peer", &R::peer, "-", "Rank of the second member of a pair; -1: no pair"},
      Field<R>{"offset", &R::offset, "-", "Where its samples begin in /samples"},
      Field<R>{"count", &R::count, "count", "Samples: ranks * kept, all of the first rank, then of the second, ..."},
      Field<R>{"kept", &R::kept, "count", "Iterations stored per rank"},
      Field<R>{"iterations", &R::iterations, "count", "Iterations timed per rank"},
      Field<R>{"work_kind", &R::work_kind, "-", "What `work` counts: bytes, flops, operations or latency", 16},
      Field<R>{"work", &R::work, "by work_kind",
               "Bytes, floating-point operations, I/O operations or dependent steps of one iteration of the whole set"},
      Field<R>{"direction", &R::direction, "-", "Way of the data: none, one_way or both_ways", 16},
      Field<R>{"bus_factor", &R::bus_factor, "1", "Bus bandwidth / (work / seconds)"},
      Field<R>{"timing", &R::timing, "-",
               "per_rank: own start to own end; shared_start: earliest start on the host to own end; device: by the "
               "device's own clock around the operation",
               16},
      Field<R>{"combine", &R::combine, "-",
               "How the ranks' seconds give the set's: slowest (largest) or concurrent (harmonic mean)", 16},
      Field<R>{"stop_reason", &R::stop_reason, "-", "precise, time_spent or count_reached", 16},
      Field<R>{"checked", &R::checked, "count", "Elements of data verified; 0: nothing was"},
      Field<R>{"wrong", &R::wrong, "count", "Elements found wrong"},
      Field<R>{"start_time", &R::start_time, "s", "Start of its telemetry window, since the start of the run"},
      Field<R>{"end_time", &R::end_time, "s", "End of its telemetry window, since the start of the run"},
      Field<R>{"measured_seconds", &R::measured_seconds, "s", "Inside timed iterations"},
      Field<R>{"warmup_seconds", &R::warmup_seconds, "s", "Inside warm-up iterations"},
      Field<R>{"setup_seconds", &R::setup_seconds, "s", "Preparing and verifying data"},
      Field<R>{"fingerprint_before", &R::fingerprint_before, "s",
               "A cache line from core to core one way before the series, worst host; NaN: not measured"},
      Field<R>{"fingerprint_after", &R::fingerprint_after, "s", "The same after the series"},
      Field<R>{"competing_cpus", &R::competing_cpus, "count", "CPUs used by processes not of the run, worst host"},
      Field<R>{"steal_share", &R::steal_share, "1", "CPU time that the hypervisor took, worst host"},
      Field<R>{"involuntary_switches", &R::involuntary_switches, "count", "Context switches forced on all its ranks"},
      Field<R>{"histogram", &R::histogram, "-", "Row in /histograms when only a subset is stored; -1: all is stored"},
      Field<R>{"flags", &R::flags, "bits",
               "1 contaminated, 2 steal, 4 placement moved, 8 oversubscribed, 16 subset, 32 late start, 64 throttled, "
               "128 clock changed"},
      Field<R>{"method", &R::method, "-",
               "What a library chose by itself, of all its ranks: algorithm, protocol, channels, transport", 400,
               Text::free},
  };
};

template <>
struct Table<EventRow> {
  using R = EventRow;
  static constexpr std::string_view name = "events";
  static constexpr std::string_view summary = "One row per remarkable moment.";
  static constexpr std::array fields{
      Field<R>{"time", &R::time, "s", "Since the start of the run"},
      Field<R>{"severity", &R::severity, "-", "info, warning or error", 16},
      Field<R>{"series", &R::series, "-", "Series that it concerns; -1: none"},
      Field<R>{"rank", &R::rank, "-", "Rank that it concerns; -1: none"},
      Field<R>{"text", &R::text, "-", "What happened", 1000, Text::free},
  };
};

template <>
struct Table<TelemetryRow> {
  using R = TelemetryRow;
  static constexpr std::string_view name = "telemetry";
  static constexpr std::string_view summary = "One row per value, moment and host (or device).";
  static constexpr std::array fields{
      Field<R>{"time", &R::time, "s", "Since the start of the run"},
      Field<R>{"node", &R::node, "-", "Index of the host"},
      Field<R>{"device", &R::device, "-", "Device on the host; -1: the host itself"},
      Field<R>{"metric", &R::metric, "-", "What was read", 48},
      Field<R>{"value", &R::value, "by metric", "Value in the unit of its metric"},
  };
};

/// Every table of rows, in the order of the file (RunInfo is not a table: it is the attributes of /run).
using TableRows = std::tuple<NodeRow, GpuRow, NvlinkRow, NicRow, DistanceRow, DiskRow, SoftwareRow, RankRow, SeriesRow,
                             EventRow, TelemetryRow>;

/// Calls visit(Row{}) for each of TableRows.
template <class Visit>
void for_each_table(Visit&& visit) {
  std::apply([&](auto... row) { (visit(row), ...); }, TableRows{});
}

/// A dataset of plain numbers.
struct Array {
  std::string_view name;
  std::string_view shape;
  std::string_view type;
  std::string_view unit;
  std::string_view definition;
};

inline constexpr Array members_array{"members", "[n]", "int32", "-",
                                     "Ranks of each series, ascending, series after series"};
inline constexpr Array samples_array{"samples", "[n]", "float64", "s",
                                     "Seconds of each iteration kept, rank after rank, series after series"};
inline constexpr Array histograms_array{
    "histograms", "[n][512]", "uint64", "count",
    "Iterations of all ranks of a series per bin of seconds: bin b holds [2^(b/8), 2^((b+1)/8)) ns, the first and the "
    "last bin also what lies outside"};
inline constexpr std::array arrays{members_array, samples_array, histograms_array};

/// Name of the attribute of a table that tells a column's unit or definition: "column.point.unit".
[[nodiscard]] std::string column_attribute(std::string_view column, std::string_view what);

/// "float64", "int32", "text[48]", ...
template <class Row>
[[nodiscard]] std::string type_name(const Field<Row>& field) {
  static constexpr std::array names{"text", "float64", "int64", "int32", "uint64", "uint32", "uint8"};
  const std::string name = names[field.member.index()];
  return field.text_bytes > 0 ? name + "[" + std::to_string(field.text_bytes) + "]" : name;
}

/// The tables of docs/results.md.
[[nodiscard]] std::string schema_markdown();

}  // namespace assay::results
