#pragma once

#include "tests/emulator/nccl/shape.hpp"

namespace emulator::nccl::tests {

/// A regular machine: k nodes of g GPUs. Rates one way [B/s].
struct Machine {
  int nodes = 1, gpus = 8;
  int generation = 3;       ///< of NVLink; 0 = the GPUs are joined through host memory
  double gpu_rate = 300e9;  ///< NVLink of one GPU, or its PCIe link
  int nics = 8;             ///< per node, when there are several nodes
  double nic_rate = 50e9;
  bool nvls = false;
};

/// Its shape, made by hand: segment 2i is what rank i sends through, 2i+1 what it receives through; NICs follow.
Shape shape_of(const Machine& machine);

/// Index of the segments of a NIC: what it sends through; what it receives through is the next.
int nic_segment(const Machine& machine, int node, int nic);

}  // namespace emulator::nccl::tests
