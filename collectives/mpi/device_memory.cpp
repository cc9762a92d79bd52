#include "collectives/mpi/device_memory.hpp"

#include <cstdint>
#include <span>

namespace assay::mpi {

template <class T>
DeviceBlock<T>::DeviceBlock(Device& device, std::size_t count)
    : device_(device), memory_(device.allocate(count * sizeof(T))), host_(count) {}

template <class T>
void DeviceBlock<T>::fill(const Tile<T>& tile) {
  tile.fill(host_);
  device_.upload(data(), std::as_bytes(std::span(host_)));
}

template <class T>
void DeviceBlock<T>::poison() {
  mpi::poison(std::as_writable_bytes(std::span(host_)));
  device_.upload(data(), std::as_bytes(std::span(host_)));
}

template <class T>
void DeviceBlock<T>::download() {
  device_.download(std::as_writable_bytes(std::span(host_)), data());
}

template <class T>
void DeviceBlock<T>::compare(const Tile<T>& tile, const char* name, int number, Check& check) {
  download();
  tile.compare(host_, name, number, check);
}

template <class T>
bool DeviceBlock<T>::damage() {
  download();
  const bool damaged = mpi::damage(std::as_writable_bytes(std::span(host_)));
  device_.upload(data(), std::as_bytes(std::span(host_)));
  return damaged;
}

template class DeviceBlock<std::uint8_t>;
template class DeviceBlock<float>;

Axis device_bytes_axis() {
  return {"bytes",
          {{"8"}, {"65536", Suite::standard}, {"4194304"}, {"67108864", Suite::standard}, {"268435456", Suite::full}}};
}

}  // namespace assay::mpi
