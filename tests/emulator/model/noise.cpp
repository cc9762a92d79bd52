#include "tests/emulator/model/noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace emulator {

std::uint64_t mix(std::uint64_t key) {
  key += 0x9e3779b97f4a7c15U;
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9U;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebU;
  return key ^ (key >> 31);
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return mix(mix(a) ^ b); }

double uniform(std::uint64_t key) { return static_cast<double>(mix(key) >> 11) * 0x1p-53; }

double normal_factor(double sigma, std::uint64_t key) {
  if (sigma <= 0) return 1;
  // Box-Muller; 1 - u keeps the logarithm away from zero.
  const double radius = std::sqrt(-2 * std::log(1 - uniform(mix(key, 1))));
  const double angle = 2 * std::numbers::pi * uniform(mix(key, 2));
  return std::max(0.1, 1 + sigma * std::clamp(radius * std::cos(angle), -4.0, 4.0));
}

double jitter(std::uint64_t event) {
  const auto& cluster = Cluster::current();
  return normal_factor(cluster.noise_sigma(), mix(cluster.seed(), event));
}

double jitter(const Gpu& gpu, std::uint64_t event) {
  const auto& cluster = Cluster::current();
  const auto* fault = gpu.fault(FaultKind::jitter);
  return normal_factor(fault != nullptr ? fault->sigma : cluster.noise_sigma(), mix(cluster.seed(), event));
}

double neighbour_share(const Nic& nic, double virtual_seconds) {
  const auto* fault = nic.fault(FaultKind::noisy_neighbour);
  if (fault == nullptr) return 0;
  const auto seed = Cluster::current().seed();
  const auto who = mix(static_cast<std::uint64_t>(nic.node), static_cast<std::uint64_t>(nic.slot));
  const double turns = virtual_seconds / fault->period_seconds + uniform(mix(seed, who));
  return turns - std::floor(turns) < 0.5 ? fault->share : 0;
}

}  // namespace emulator
