#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "core/device.hpp"

namespace assay {

/// A device whose memory is the host's, so that any MPI takes it.
class HostDevice final : public Device {
 public:
  [[nodiscard]] const DeviceIdentity& identity() const override { return identity_; }
  [[nodiscard]] std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
    return std::make_unique<Block>(bytes);
  }
  void upload(void* to, std::span<const std::byte> from) override { std::memcpy(to, from.data(), from.size()); }
  void download(std::span<std::byte> to, const void* from) override { std::memcpy(to.data(), from, to.size()); }
  void synchronise() override {}

 private:
  class Block final : public DeviceMemory {
   public:
    explicit Block(std::size_t bytes) : bytes_(bytes) {}
    [[nodiscard]] void* data() const override { return bytes_.data(); }
    [[nodiscard]] std::size_t size() const override { return bytes_.size(); }

   private:
    mutable std::vector<std::byte> bytes_;
  };
  DeviceIdentity identity_;
};

/// The one of this rank.
inline HostDevice& host_device() {
  static HostDevice device;
  return device;
}

}  // namespace assay
