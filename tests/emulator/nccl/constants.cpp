#include "tests/emulator/nccl/constants.hpp"

#include "tests/emulator/nccl/curve.hpp"

namespace emulator::nccl {
namespace {

double nvlink_ring(int generation) {
  switch (generation) {
    case 2:
      return 130.0 / 150;
    case 3:
      return reference_bus_rate / 300e9;
    case 4:
      return 370.0 / 450;
    case 5:
      return 695.0 / 900;
    default:
      return 0.8;
  }
}

double nvlink_nvls(int generation) {
  const double bus_rate = generation <= 4 ? 480.0 / 450 : 845.0 / 900;
  return bus_rate * 8 / 14 * 9 / 8;
}

double nic(Pattern pattern) {
  switch (pattern) {
    case Pattern::ring:
      return 0.93;
    case Pattern::tree:
      return 0.88;
    case Pattern::nvls:
    case Pattern::nvls_tree:
      return 0.75;
    case Pattern::message:
      return 0.95;
  }
  return 0;
}

}  // namespace

double efficiency(Pattern pattern, Medium medium, int nvlink_generation) {
  switch (medium) {
    case Medium::self:
      return 1;
    case Medium::nvlink:
      if (pattern == Pattern::nvls) return nvlink_nvls(nvlink_generation);
      if (pattern == Pattern::nvls_tree) return 0.91 * nvlink_nvls(nvlink_generation);
      if (pattern == Pattern::message) return 0.83;
      return (pattern == Pattern::tree ? 0.92 : 1) * nvlink_ring(nvlink_generation);
    case Medium::pcie:
      return pattern == Pattern::tree ? 0.80 : 0.87;
    case Medium::host:
      return pattern == Pattern::tree ? 0.74 : 0.80;
    case Medium::nic:
    case Medium::nic_host:
    case Medium::socket:
      return nic(pattern);
  }
  return 0;
}

double base_latency(int nvlink_generation) {
  switch (nvlink_generation) {
    case 0:
      return 10e-6;
    case 1:
    case 2:
    case 3:
      return 14e-6;
    default:
      return 8e-6;
  }
}

double nvls_latency(int nvlink_generation, int gpus) {
  return (nvlink_generation <= 4 ? 18e-6 : 16e-6) + 0.25e-6 * gpus;
}

double hop_latency(const Hop& hop, int nvlink_generation) {
  switch (hop.medium) {
    case Medium::self:
      return 0;
    case Medium::nvlink:
      return nvlink_generation <= 3 ? 1.5e-6 : 1.0e-6;
    case Medium::pcie:
      return 1.8e-6;
    case Medium::host:
      return 2.4e-6;
    case Medium::nic:
      return 4.0e-6;
    case Medium::nic_host:
      return 7.0e-6;
    case Medium::socket:
      return 25e-6;
  }
  return 0;
}

}  // namespace emulator::nccl
