#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace assay {

/// What tells one GPU from another.
struct DeviceIdentity {
  int ordinal = -1;        ///< as the backend counts visible devices in this process
  std::string name;        ///< "NVIDIA H100 80GB HBM3"
  std::string pci_bus_id;  ///< "0000:1b:00.0", lower case, the key to inventory and topology
  std::string uuid;        ///< "GPU-..."; empty when not known
  int capability = 0;      ///< 10 * major + minor
  int multiprocessors = 0;
  std::int64_t memory_bytes = 0;       ///< total
  std::int64_t memory_free_bytes = 0;  ///< when it was looked at
};

/// Memory on a GPU, freed on destruction. Host code must not dereference data().
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  [[nodiscard]] virtual void* data() const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
};

/// The GPU of this rank, as code sees it that knows no GPU library. Every call throws Error(environment) with the
/// library's own text, the host and the GPU.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceIdentity& identity() const = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) = 0;
  virtual void upload(void* device_to, std::span<const std::byte> from) = 0;    ///< returns when it is there
  virtual void download(std::span<std::byte> to, const void* device_from) = 0;  ///< returns when it is here
  virtual void synchronise() = 0;
};

/// A GPU library that was opened at run time.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;
  /// Visible devices, by ordinal. Throws Error(environment): no driver, driver too old, ...
  [[nodiscard]] virtual std::vector<DeviceIdentity> devices() = 0;
  [[nodiscard]] virtual std::unique_ptr<Device> open(int ordinal) = 0;
  /// "runtime 13.0, driver 13.0, NCCL 2.28.3": what is in use, name and version each.
  struct Part {
    std::string name;     ///< "cuda.runtime", "cuda.driver", "cublaslt", "nccl"
    std::string version;  ///< "13.0"; empty when absent
    std::string detail;   ///< file it came from, or why it is absent
  };
  [[nodiscard]] virtual std::vector<Part> parts() = 0;
  /// True when the devices are modelled in software: results are then marked, and no evidence about hardware.
  [[nodiscard]] virtual bool emulated() const = 0;
};

}  // namespace assay
