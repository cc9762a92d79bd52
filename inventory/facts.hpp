#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inventory/distances.hpp"
#include "inventory/fact.hpp"
#include "inventory/gpu_facts.hpp"

namespace assay {

/// What one node is, as plain values. Sizes are bytes, rates bit/s, times seconds.

/// Which CPUs the job may use. The launcher's binding of one rank is kept apart from what the job was given.
struct CpuGrant {
  Fact<std::vector<int>> online;  ///< CPUs that the kernel runs
  Fact<std::vector<int>>
      granted;                   ///< online, within the cgroup's cpuset and the affinity before the launcher's binding
  Fact<std::vector<int>> bound;  ///< affinity of this process
  std::string basis;             ///< what `granted` was concluded from
  Fact<double> quota;            ///< CPUs by the cgroup's bandwidth limit; infinity = no limit
};

struct CpuFacts {
  Fact<std::string> model;
  Fact<std::int64_t> sockets;
  Fact<std::int64_t> cores;    ///< physical, on line
  Fact<std::int64_t> threads;  ///< logical, on line
  Fact<std::int64_t> numa_nodes;
  Fact<std::string> governor;  ///< frequency governor; with counts when CPUs differ
  Fact<double> steal_share;    ///< CPU time taken by the hypervisor since boot, 0..1
  CpuGrant grant;
};

struct MemoryFacts {
  Fact<std::int64_t> installed;  ///< as the kernel reports it: what firmware and kernel keep is not in it
  Fact<std::int64_t> granted;    ///< the smaller of installed and the cgroup's limit
  Fact<std::int64_t> swap;
  Fact<std::int64_t> huge_pages;             ///< reserved, over all page sizes
  Fact<std::string> transparent_huge_pages;  ///< always, madvise, never
  Fact<std::int64_t> shm;                    ///< size of /dev/shm
};

/// Soft limits of this process.
struct LimitFacts {
  static constexpr std::int64_t unlimited = -1;
  Fact<std::int64_t> memlock;  ///< bytes of locked memory (RDMA needs it unlimited)
  Fact<std::int64_t> nofile;   ///< open files
};

struct SystemFacts {
  Fact<std::string> os;
  Fact<std::string> kernel;
  Fact<std::string> virtualization;  ///< "none", "kvm", "docker", "docker on kvm", ...
  Fact<std::string> clock_source;
  Fact<double> clock_cost;  ///< one clock_gettime(CLOCK_MONOTONIC)
};

/// A network interface, or an RDMA device that has none.
struct NicFacts {
  std::string name;
  Fact<std::string> driver;
  Fact<std::string> state;  ///< operstate; the port's state when there is no interface
  Fact<double> speed;       ///< of the port, bit/s
  Fact<std::int64_t> mtu;
  Fact<std::int64_t> numa_node;
  Fact<std::string> address;         ///< MAC
  std::string rdma_device;           ///< "mlx5_0"; empty when none
  std::string rdma_state;            ///< "ACTIVE"
  std::string link_layer;            ///< "InfiniBand", "Ethernet"; empty without an RDMA device
  std::string pci_bus_id;            ///< "0000:19:00.0"; empty when no PCI device is behind it
  std::int64_t rdma_port = 0;        ///< port of the RDMA device; 0 = none
  Fact<std::string> physical_state;  ///< of the port: "LinkUp", "Polling", "Disabled"
  Fact<std::string> rate;            ///< of the port, as the kernel prints it: "400 Gb/sec (4X NDR)"
  Fact<std::string> firmware;
  Fact<std::string> guid;   ///< of the RDMA device
  Fact<std::string> board;  ///< board id: vendor's part number
  bool is_virtual = false;  ///< made by the kernel (bridge, veth, bond): no device behind it
};

struct DiskFacts {
  std::string path;            ///< test path that it backs; empty for the machine's other disks
  std::string device;          ///< "nvme0n1", "nas:/export"
  std::string transport;       ///< nvme, sata, sas, usb, virtio, network, memory, loop, unknown
  std::string transport_note;  ///< why unknown, or what lies between path and disk
  Fact<std::string> model;
  Fact<bool> rotational;
  Fact<std::int64_t> size;  ///< of the disk; of the file system when there is no disk
  std::string mount_point;
  std::string file_system;
  Fact<std::int64_t> free;  ///< available to users without privileges
};

struct SoftwareFacts {
  std::string name;
  std::string version;
  std::string detail;
};

/// A line of the kernel's log in which the NVIDIA driver reports an error (Xid).
struct XidFacts {
  double age = 0;  ///< seconds before now
  std::string pci_bus_id;
  std::int64_t code = 0;
  std::string text;  ///< the line
};

struct NodeFacts {
  Fact<std::string> host;
  CpuFacts cpu;
  MemoryFacts memory;
  LimitFacts limits;
  SystemFacts system;
  std::vector<NicFacts> nics;    ///< by name, without the loopback
  std::vector<DiskFacts> disks;  ///< those behind test paths first
  std::vector<SoftwareFacts> software;
  GpuDriverFacts gpu_driver;
  std::vector<GpuFacts> gpus;            ///< by PCI address
  std::vector<DistanceFacts> distances;  ///< between GPUs and NICs
  Fact<std::vector<XidFacts>> xids;      ///< since the log begins
  bool emulated =
      false;  ///< GPUs are modelled in software, or facts come from a made-up tree: no evidence about hardware
};

}  // namespace assay
