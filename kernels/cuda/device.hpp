#pragma once

#include <map>
#include <memory>
#include <typeindex>
#include <vector>

#include "core/device.hpp"
#include "kernels/cuda/stream.hpp"

namespace assay::cuda {

/// One GPU of this process, current for the thread that opened it.
class CudaDevice final : public Device {
 public:
  /// Makes the device current and starts its context. Throws Error(environment): in use exclusively, lost, ...
  explicit CudaDevice(DeviceIdentity identity);

  [[nodiscard]] const DeviceIdentity& identity() const override { return identity_; }
  [[nodiscard]] std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override;
  void upload(void* device_to, std::span<const std::byte> from) override;
  void download(std::span<std::byte> to, const void* device_from) override;
  void synchronise() override;

  /// The stream that this class's own calls use; cases may put their work into it.
  [[nodiscard]] Stream& stream() { return *stream_; }
  /// Makes it the calling thread's device.
  void make_current() const;
  [[nodiscard]] std::size_t l2_bytes() const { return l2_bytes_; }
  [[nodiscard]] std::size_t free_bytes() const;
  /// What another part keeps as long as this device lives: the only object of its type, made at first use.
  template <class T>
  [[nodiscard]] T& companion() {
    std::shared_ptr<void>& slot = companions_[typeid(T)];
    if (!slot) slot = std::make_shared<T>();
    return *static_cast<T*>(slot.get());
  }

 private:
  DeviceIdentity identity_;
  std::unique_ptr<Stream> stream_;
  std::size_t l2_bytes_ = 0;
  std::map<std::type_index, std::shared_ptr<void>> companions_;  ///< last: they go before what they use
};

/// The device of a context as this plug-in made it. Throws Error(environment) when the rank has none.
[[nodiscard]] CudaDevice& cuda_device(Device* device);

/// Visible devices by ordinal. Throws Error(environment) with one sentence: no driver, driver too old (both versions),
/// no GPU, system not initialised, ...
[[nodiscard]] std::vector<DeviceIdentity> visible_devices();

/// Devices through the CUDA runtime.
class CudaBackend final : public DeviceBackend {
 public:
  [[nodiscard]] std::vector<DeviceIdentity> devices() override { return visible_devices(); }
  [[nodiscard]] std::unique_ptr<Device> open(int ordinal) override;
  [[nodiscard]] std::vector<Part> parts() override;
  [[nodiscard]] bool emulated() const override;
};

/// "13.0" from 13000.
[[nodiscard]] std::string version_text(int version);

}  // namespace assay::cuda
