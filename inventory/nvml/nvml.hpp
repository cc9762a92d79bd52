#pragma once

#include <string>
#include <vector>

#include "inventory/gpu_facts.hpp"
#include "inventory/nvml/table.hpp"

namespace assay::nvml {

/// NVIDIA's management library, opened and initialised; released on destruction. Calls may come from several threads.
class Library {
 public:
  /// `file`: name for the loader, or a path. Throws Error(environment): no library, no driver, or the two do not fit.
  explicit Library(const std::string& file = "libnvidia-ml.so.1");
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  [[nodiscard]] const Table& table() const { return table_; }
  /// "nvmlDeviceGetX: Not Supported (3)", or that the library has no such function.
  [[nodiscard]] std::string why(const char* function, int code) const;
  [[nodiscard]] GpuDriverFacts driver() const;

  /// Handles of all GPUs that the library can tell, in its own order. A GPU that is lost has none.
  [[nodiscard]] std::vector<Handle> devices() const;
  /// GPUs that the library counts but gives no handle for: the codes.
  [[nodiscard]] std::vector<int> refused() const { return refused_; }
  /// Sets `handle` when the code is success.
  int find(const std::string& pci_address, Handle& handle) const;

 private:
  [[nodiscard]] std::string text_of(int code) const;
  void list_devices();

  SharedLibrary library_;
  Loader loader_{library_};
  Table table_{loader_};
  std::vector<Handle> devices_;
  std::vector<int> refused_;
};

/// Everything about one GPU that the library tells; what the library does not tell says why.
[[nodiscard]] GpuFacts read_gpu(const Library& library, Handle device);

/// All links that the card has; empty when it has none.
[[nodiscard]] Fact<std::vector<NvlinkFacts>> read_nvlinks(const Library& library, Handle device);

[[nodiscard]] Fact<std::vector<GpuProcess>> read_processes(const Library& library, Handle device);

}  // namespace assay::nvml
