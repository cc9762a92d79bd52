#include "tests/emulator/cuda/faults.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <map>
#include <mutex>

#include "tests/emulator/cuda/engine.hpp"
#include "tests/emulator/model/noise.hpp"
#include "tests/emulator/model/state.hpp"

namespace emulator {
namespace {

/// Counts of this process: operations that match a fault, and results a wrong one is due after.
class Counts {
 public:
  int matching(const Fault& fault) {
    const std::lock_guard lock(mutex_);
    return matching_[&fault]++;
  }
  int due(const Gpu& gpu, double amount) {
    const std::lock_guard lock(mutex_);
    const auto [entry, fresh] =
        owed_.try_emplace(&gpu, uniform(mix(Cluster::current().seed(), mix(gpu.slot + 1, 0xbad))));
    entry->second += amount;
    const double whole = std::floor(entry->second);
    entry->second -= whole;
    return static_cast<int>(whole);
  }

 private:
  std::mutex mutex_;
  std::map<const Fault*, int> matching_;
  std::map<const Gpu*, double> owed_;
};

Counts& counts() {
  static const auto made = std::make_unique<Counts>().release();
  return *made;
}

bool strikes(const Fault& fault, const std::string& name) {
  if (fault.kind != FaultKind::hang && fault.kind != FaultKind::crash) return false;
  if (!fault.operation.empty() && name.find(fault.operation) == std::string::npos) return false;
  return counts().matching(fault) >= fault.after;
}

}  // namespace

void before_operation(Device& device, const std::string& name) {
  const Gpu& gpu = *device.gpu;
  count_operation(gpu);
  if (gpu.faults.empty()) return;
  if (lost(gpu)) throw StreamFault(cudaErrorDevicesUnavailable);
  for (const Fault& fault : gpu.faults) {
    if (!strikes(fault, name)) continue;
    if (fault.kind == FaultKind::crash) raise(SIGKILL);
    for (;;) pause();
  }
}

void report_and_fail(Device& device, const std::string& name, const std::string& what) {
  std::fprintf(stderr, "emulated CUDA: %s on device %d: %s\n", name.c_str(), device.ordinal, what.c_str());
  device.fault = cudaErrorUnknown;
}

int wrong_results(const Gpu& gpu, double results) {
  const Fault* fault = gpu.fault(FaultKind::wrong_results);
  return fault == nullptr ? 0 : counts().due(gpu, fault->rate * results);
}

}  // namespace emulator
