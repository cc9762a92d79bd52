#include "tests/emulator/model/fault.hpp"

#include <algorithm>
#include <array>

namespace emulator {
namespace {

constexpr std::array<std::string_view, fault_kind_count> names = {
    "power_cap",      "locked_clocks",  "thermal",
    "mig_slice",      "renamed",        "half_memory",
    "dead_nvlink",    "missing_nvlink", "pcie_width",
    "pcie_gen",       "p2p_off",        "ecc",
    "wrong_results",  "hang",           "crash",
    "lost_gpu",       "jitter",         "missing_gpu",
    "out_of_memory",  "slow_nic",       "dead_nic",
    "down_rated_nic", "gdr_off",        "noisy_neighbour",
    "half_nics",      "driver_too_old", "socket_transport",
    "oversubscribed"};

}  // namespace

std::string_view name_of(FaultKind kind) { return names.at(static_cast<std::size_t>(kind)); }

std::vector<std::string_view> fault_names() { return {names.begin(), names.end()}; }

FaultPlace place_of(FaultKind kind) {
  if (kind < FaultKind::slow_nic) return FaultPlace::gpu;
  if (kind < FaultKind::half_nics) return FaultPlace::nic;
  return kind < FaultKind::socket_transport ? FaultPlace::node : FaultPlace::cluster;
}

const Fault* find_fault(const std::vector<Fault>& faults, FaultKind kind) {
  const auto at = std::find_if(faults.begin(), faults.end(), [kind](const Fault& fault) { return fault.kind == kind; });
  return at == faults.end() ? nullptr : &*at;
}

}  // namespace emulator
