// The library, the driver and the list of cards.
#include <strings.h>

#include <algorithm>

#include "tests/emulator/nvml/handles.hpp"

namespace {

using namespace emulator;        // NOLINT: every name here is of the emulator
using namespace emulator::nvml;  // NOLINT

bool old_driver() { return Cluster::current().this_node().fault(FaultKind::driver_too_old) != nullptr; }

template <class Matches>
int find_card(void** device, Matches matches) {
  if (!begun()) return uninitialised;
  if (device == nullptr) return invalid_argument;
  const auto at = std::find_if(cards().begin(), cards().end(), matches);
  if (at == cards().end()) return not_found;
  *device = handle_of(*at);
  return success;
}

/// Bus ids are given with domains of 4 or 8 digits, in either case: what follows the first colon says which card.
bool same_bus(std::string_view a, std::string_view b) {
  if (a.find(':') == a.npos || b.find(':') == b.npos) return false;
  a.remove_prefix(a.find(':'));
  b.remove_prefix(b.find(':'));
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

/// Seen by whoever must not take the figures for real.
extern const int assay_emulated;
const int assay_emulated = 1;

int nvmlInit_v2() {
  static_cast<void>(cards());  // A bad cluster file ends the process here, not in the middle of a run.
  begin();
  return success;
}
int nvmlInit() { return nvmlInit_v2(); }
int nvmlInitWithFlags(Unsigned) { return nvmlInit_v2(); }
int nvmlShutdown() { return end(); }

const char* nvmlErrorString(int code) {
  switch (code) {
    case success:
      return "Success";
    case uninitialised:
      return "Uninitialized";
    case invalid_argument:
      return "Invalid Argument";
    case not_supported:
      return "Not Supported";
    case not_found:
      return "Not Found";
    case insufficient_size:
      return "Insufficient Size";
    case gpu_is_lost:
      return "GPU is lost";
    case version_mismatch:
      return "Argument Version Mismatch";
    default:
      return "Unknown Error";
  }
}

int nvmlSystemGetDriverVersion(char* version, Unsigned length) {
  return begun() ? copy_text(old_driver() ? "emulated 470.00" : "emulated 580.00", version, length) : uninitialised;
}
int nvmlSystemGetNVMLVersion(char* version, Unsigned length) { return copy_text("13.emulated", version, length); }
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  if (version == nullptr) return invalid_argument;
  *version = old_driver() ? 11040 : 13000;
  return success;
}
int nvmlSystemGetCudaDriverVersion(int* version) { return nvmlSystemGetCudaDriverVersion_v2(version); }

int nvmlDeviceGetCount_v2(Unsigned* count) {
  if (!begun()) return uninitialised;
  if (count == nullptr) return invalid_argument;
  *count = static_cast<Unsigned>(cards().size());
  return success;
}
int nvmlDeviceGetCount(Unsigned* count) { return nvmlDeviceGetCount_v2(count); }

int nvmlDeviceGetHandleByIndex_v2(Unsigned index, void** device) {
  if (begun() && index >= cards().size()) return invalid_argument;
  return find_card(device, [index](const Gpu& gpu) { return static_cast<Unsigned>(gpu.index) == index; });
}
int nvmlDeviceGetHandleByIndex(Unsigned index, void** device) { return nvmlDeviceGetHandleByIndex_v2(index, device); }

int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  if (id == nullptr) return invalid_argument;
  return find_card(device, [id](const Gpu& gpu) { return same_bus(gpu.pci_bus_id, id); });
}
int nvmlDeviceGetHandleByPciBusId(const char* id, void** device) {
  return nvmlDeviceGetHandleByPciBusId_v2(id, device);
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  if (uuid == nullptr) return invalid_argument;
  return find_card(device, [uuid](const Gpu& gpu) { return gpu.uuid == uuid; });
}

int nvmlDeviceGetHandleBySerial(const char* serial, void** device) {
  if (serial == nullptr) return invalid_argument;
  return find_card(device, [serial](const Gpu& gpu) { return gpu.serial == serial; });
}

}  // extern "C"
#pragma GCC visibility pop
