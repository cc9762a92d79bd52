#pragma once

#include <memory>
#include <vector>

#include "collectives/mpi/pattern.hpp"
#include "core/case.hpp"

namespace assay::mpi {

/// A block of `count` elements on this rank's GPU. Contents are made and looked at on the host: MPI's own copies are
/// what is measured, and the code of this folder knows no GPU library.
template <class T>
class DeviceBlock {
 public:
  DeviceBlock(Device& device, std::size_t count);

  [[nodiscard]] void* data() const { return memory_->data(); }
  void fill(const Tile<T>& tile);
  void poison();
  void compare(const Tile<T>& tile, const char* name, int number, Check& check);
  [[nodiscard]] bool damage();

 private:
  void download();

  Device& device_;
  std::unique_ptr<DeviceMemory> memory_;
  std::vector<T> host_;
};

/// `bytes` of cases on GPU memory: 8 B and 4 MiB in quick, 64 KiB and 64 MiB in standard, 256 MiB in full.
[[nodiscard]] Axis device_bytes_axis();

}  // namespace assay::mpi
