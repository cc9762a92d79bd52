#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::results {

/// The record of a run, as plain values. The HDF5 form is spelled in results/schema.hpp and described in
/// docs/results.md. Times named *_time are seconds since RunInfo::start_unix_time on rank 0's clock. NaN = not
/// measured. -1 = none.

struct RunInfo {
  std::string run_id;          ///< 16 hex digits
  double start_unix_time = 0;  ///< seconds since 1970 UTC
  std::string start_utc;       ///< "2026-11-30T17:58:12Z"
  std::string command;         ///< command line of rank 0
  std::string suite;
  std::string filter;
  std::uint64_t seed = 0;
  double budget_seconds = 0;
  double predicted_seconds = 0;
  double target_relative_width = 0;
  std::int32_t epochs = 0;
  std::int32_t ranks = 0;
  std::int32_t nodes = 0;
  std::string assay_version;
  std::string git_sha;  ///< with "-dirty" when the tree was
  std::string mpi_library;
  std::string options_hash;  ///< 16 hex digits, equal on all ranks
  std::string path;          ///< directory of the storage cases; empty when none
  std::string environment;   ///< allow-listed NAME=VALUE lines
  bool emulated = false;     ///< hardware was modelled in software: never evidence about real hardware
  bool imported = false;
  std::string status;         ///< "running" until closed, then "done" or "stopped"
  std::string status_reason;  ///< why stopped
};

struct NodeRow {
  std::int32_t node = 0;
  std::string host;
  std::string cpu_model;
  std::int32_t sockets = 0;
  std::int32_t cores = 0;    ///< physical, on line
  std::int32_t threads = 0;  ///< logical, on line
  std::int32_t numa_nodes = 0;
  std::int32_t cpus_granted = 0;          ///< CPUs of the job's cpuset/affinity before the launcher's binding
  double cpu_quota = 0;                   ///< CPUs by the cgroup's bandwidth quota; NaN when unlimited
  std::int64_t memory_bytes = 0;          ///< installed, as the kernel reports it
  std::int64_t memory_granted_bytes = 0;  ///< the smaller of installed and cgroup limit
  std::int64_t swap_bytes = 0;
  std::int64_t huge_pages_bytes = 0;
  std::string transparent_huge_pages;
  std::int64_t shm_bytes = 0;      ///< size of /dev/shm
  std::int64_t memlock_bytes = 0;  ///< soft limit; -1 = unlimited
  std::int64_t nofile = 0;         ///< soft limit
  std::string os;
  std::string kernel;
  std::string virtualization;  ///< "none", "kvm", "docker", ...
  std::string clock_source;
  double clock_cost_seconds = 0;  ///< one clock_gettime(CLOCK_MONOTONIC)
  std::string governor;           ///< CPU frequency governor; empty when not visible
};

struct NicRow {
  std::int32_t node = 0;
  std::string name;
  std::string driver;
  std::string state;                 ///< operstate
  double speed_bits_per_second = 0;  ///< NaN when not reported
  std::int32_t mtu = 0;
  std::int32_t numa_node = -1;
  std::string address;      ///< MAC
  std::string rdma_device;  ///< "mlx5_0"; empty when none
  std::string rdma_state;   ///< of the RDMA port: "ACTIVE", "DOWN"
  std::string physical_state;
  std::string link_layer;  ///< "InfiniBand", "Ethernet"; empty without an RDMA device
  std::string rate;        ///< of the port, as the kernel prints it: "400 Gb/sec (4X NDR)"
  std::string firmware;
  std::string guid;
  std::string board;
  std::string pci_bus_id;  ///< "0000:19:00.0"; empty: no PCI device behind it
};

/// One GPU of a node, as it was at the start of the run. -1 and NaN: not known (the events say why).
struct GpuRow {
  std::int32_t node = 0;
  std::int32_t gpu = 0;    ///< number on its node, in the order of PCI addresses
  std::int32_t rank = -1;  ///< world rank that measures on it; -1: none
  std::string state;       ///< ok, lost, no_driver, hidden: only "ok" can be measured on
  std::string problem;     ///< when not ok: what is the matter
  std::string name;        ///< "NVIDIA H100 80GB HBM3"
  std::string uuid;
  std::string serial;
  std::string pci_bus_id;  ///< "0000:1b:00.0"
  std::int32_t numa_node = -1;
  std::string nic;               ///< nearest NIC: "mlx5_0"; empty: none or not known
  std::int32_t capability = -1;  ///< 10 * major + minor compute capability
  std::int32_t multiprocessors = -1;
  std::int64_t memory_bytes = -1;  ///< total
  std::int64_t memory_used_bytes = -1;
  double sm_clock_max_hz = 0;  ///< NaN unless known, as all clocks, powers and temperatures
  double sm_clock_application_hz = 0;
  double memory_clock_max_hz = 0;
  double memory_clock_application_hz = 0;
  double power_limit_watts = 0;  ///< enforced
  double power_limit_default_watts = 0;
  double power_limit_max_watts = 0;
  double temperature_celsius = 0;
  std::int32_t ecc_enabled = -1;    ///< 1 yes, 0 no
  std::int64_t ecc_corrected = -1;  ///< since the driver was loaded
  std::int64_t ecc_uncorrected = -1;
  std::int64_t ecc_corrected_lifetime = -1;
  std::int64_t ecc_uncorrected_lifetime = -1;
  std::int64_t rows_remapped = -1;  ///< for uncorrectable errors
  std::int32_t remap_pending = -1;  ///< 1 yes, 0 no
  std::int32_t remap_failed = -1;
  std::int64_t retired_pages = -1;
  std::int32_t pcie_generation = -1;      ///< now: idle links show Gen1 or lower
  std::int32_t pcie_generation_max = -1;  ///< of card and slot together
  std::int32_t pcie_width = -1;
  std::int32_t pcie_width_max = -1;
  std::int64_t pcie_replays = -1;
  std::int32_t nvlinks = -1;  ///< links that the card has; 0: none
  std::int32_t nvlinks_active = -1;
  std::int32_t nvlink_version = -1;  ///< code of the driver's library, not a generation
  std::int64_t nvlink_errors = -1;   ///< replays, recoveries and CRC errors over all links
  std::int32_t mig_enabled = -1;
  std::string compute_mode;    ///< default, exclusive_process, prohibited
  std::string virtualization;  ///< none, passthrough, vgpu, ...
  std::string fabric_state;    ///< NVSwitch fabric: completed, in_progress, not_supported, ...
  std::string fabric_clique;   ///< "cluster.clique": GPUs of one text are joined by switches
  std::string driver;
  std::int32_t foreign_processes = -1;  ///< processes on the card that are not of this run
  std::string not_run;                  ///< what could not be read, and why
};

/// One NVLink of a GPU at the start of the run. -1: not known.
struct NvlinkRow {
  std::int32_t node = 0;
  std::int32_t gpu = 0;
  std::int32_t link = 0;
  std::int32_t active = 0;    ///< 1 up, 0 down
  std::int32_t version = -1;  ///< code of the driver's library
  std::string remote_kind;    ///< gpu, switch, npu
  std::string remote;         ///< PCI address of the other end
  std::int64_t replays = -1;  ///< counters since the driver was loaded
  std::int64_t recoveries = -1;
  std::int64_t crc_errors = -1;
};

/// What lies between two devices of a node. Each pair once.
struct DistanceRow {
  std::int32_t node = 0;
  std::string from;  ///< "gpu0", or the RDMA device or interface of a NIC
  std::string to;
  std::string kind;          ///< PIX, PXB, PHB, NODE, SYS, unknown
  std::int32_t nvlinks = 0;  ///< active NVLinks that join the two, directly or by switches
};

struct DiskRow {
  std::int32_t node = 0;
  std::string path;       ///< test path it backs; empty for other disks
  std::string device;     ///< "nvme0n1", "nas:/export"
  std::string transport;  ///< nvme, sata, sas, virtio, network, memory, loop, unknown
  std::string model;
  std::int32_t rotational = -1;  ///< 1 yes, 0 no, -1 unknown
  std::int64_t size_bytes = 0;
  std::string file_system;
  std::int64_t free_bytes = 0;
};

struct SoftwareRow {
  std::int32_t node = 0;
  std::string name;  ///< "mpi", "blas", "blas.kernel", "compiler", "hdf5", ...
  std::string version;
  std::string detail;
};

struct RankRow {
  std::int32_t rank = 0;
  std::int32_t node = 0;
  std::int32_t local_rank = 0;
  std::int32_t pid = 0;
  std::int32_t gpu = -1;   ///< number of its GPU on the node; -1: none
  std::string nic;         ///< nearest to the GPU; empty: none or not known
  std::string bound_cpus;  ///< affinity that the launcher left: "0-3"
  std::string share_cpus;  ///< the rank's share of the node's grant, used by filling cases
};

/// Bits of SeriesRow::flags. A flagged series is kept and judged with its mark; nothing is dropped.
enum SeriesFlag : std::uint32_t {
  flag_contaminated = 1u << 0,     ///< processes not ours used more than 0.1 CPU of a node
  flag_steal = 1u << 1,            ///< the hypervisor took more than 1 % of a node's CPU time
  flag_placement_moved = 1u << 2,  ///< the cache-line fingerprint before and after differs by more than 1.5x
  flag_oversubscribed = 1u << 3,   ///< more working ranks than CPUs on a node
  flag_subset = 1u << 4,           ///< samples are a seeded subset; the histogram is exact
  flag_late_start = 1u << 5,
  flag_throttled = 1u << 6,
  flag_clock_changed = 1u << 7,
};

struct SeriesRow {
  std::int64_t series = 0;  ///< id, ascending from 0
  std::string case_name;    ///< column `case`
  std::string point;
  std::int32_t epoch = 0;
  std::string status;           ///< ok, wrong_data, failed, too_slow
  std::int32_t ranks = 0;       ///< size of the set
  std::int64_t members = 0;     ///< offset in /members of the set's world ranks
  std::int32_t peer = -1;       ///< world rank of the second member of a pair
  std::int64_t offset = 0;      ///< in /samples
  std::int64_t count = 0;       ///< samples = ranks * kept, rank-major
  std::int64_t kept = 0;        ///< iterations kept per rank
  std::int64_t iterations = 0;  ///< iterations run per rank
  std::string work_kind;        ///< bytes, flops, operations, latency
  double work = 0;              ///< per iteration by the whole set
  std::string direction;        ///< none, one_way, both_ways
  double bus_factor = 1;
  std::string timing;       ///< per_rank, shared_start, device
  std::string combine;      ///< slowest, concurrent
  std::string stop_reason;  ///< precise, time_spent, count_reached
  std::int64_t checked = 0;
  std::int64_t wrong = 0;
  double start_time = 0;  ///< telemetry window
  double end_time = 0;
  double measured_seconds = 0;  ///< inside timed iterations
  double warmup_seconds = 0;
  double setup_seconds = 0;       ///< make and verify
  double fingerprint_before = 0;  ///< seconds for a cache line one way, worst node
  double fingerprint_after = 0;
  double competing_cpus = 0;              ///< CPUs used by others, worst node
  double steal_share = 0;                 ///< 0..1 of the node's CPU time, worst node
  std::int64_t involuntary_switches = 0;  ///< all ranks of the set
  std::int64_t histogram = -1;            ///< row in /histograms when flag_subset
  std::uint32_t flags = 0;
  std::string method;  ///< what a library chose: algorithm, protocol, transport; empty when there was no choice
};

struct EventRow {
  double time = 0;
  std::string severity;  ///< info, warning, error
  std::int64_t series = -1;
  std::int32_t rank = -1;
  std::string text;
};

/// One value at one moment on one node (or device).
struct TelemetryRow {
  double time = 0;
  std::int32_t node = 0;
  std::int32_t device = -1;
  std::string metric;  ///< "cpu.busy", "cpu.steal", "fingerprint", ... unit in docs/results.md
  double value = 0;
};

/// A series ready to be appended.
struct Series {
  SeriesRow row;                         ///< series, members, offset, count, histogram are filled by the writer
  std::vector<std::int32_t> members;     ///< world ranks, ascending
  std::vector<double> samples;           ///< seconds[rank][kept], rank-major
  std::vector<std::uint64_t> histogram;  ///< LogHistogram::bins counts over all ranks when flag_subset, else empty
};

}  // namespace assay::results
