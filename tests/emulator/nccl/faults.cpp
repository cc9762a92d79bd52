#include "tests/emulator/nccl/faults.hpp"

#include <cmath>
#include <map>
#include <mutex>

#include "tests/emulator/model/noise.hpp"

namespace emulator::nccl {
namespace {

struct Counts {
  std::mutex mutex;
  std::map<const Fault*, int> operations;
  std::map<const Gpu*, double> owed;
};

Counts& counts() {
  static Counts made;
  return made;
}

}  // namespace

int wrong_results(const Gpu& gpu, double results) {
  const Fault* fault = gpu.fault(FaultKind::wrong_results);
  if (fault == nullptr) return 0;
  const std::lock_guard lock(counts().mutex);
  const auto slot = static_cast<std::uint64_t>(gpu.slot);
  const auto [owed, first] = counts().owed.try_emplace(&gpu, uniform(mix(Cluster::current().seed(), slot)));
  owed->second += fault->rate * results;
  const double whole = std::floor(owed->second);
  owed->second -= whole;
  return static_cast<int>(whole);
}

bool strikes(const Gpu& gpu, FaultKind kind, const std::string& name) {
  for (const Fault& fault : gpu.faults) {
    if (fault.kind != kind || fault.operation.empty() || name.find(fault.operation) == std::string::npos) continue;
    const std::lock_guard lock(counts().mutex);
    if (counts().operations[&fault]++ >= fault.after) return true;
  }
  return false;
}

}  // namespace emulator::nccl
