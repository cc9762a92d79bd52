#pragma once

#include <cublasLt.h>

#include <vector>

#include "tests/emulator/cuda/lt/descriptors.hpp"
#include "tests/emulator/model/cluster.hpp"

namespace emulator::lt {

/// The card's unit that does the problem; false when neither library nor card can do it.
bool unit_of(const Problem& problem, const Gpu& gpu, Type& type);

/// Algorithms for the problem as a heuristic would rank them: the best one is among the first, but not always first.
std::vector<Algorithm> candidates(const Problem& problem, const Gpu& gpu, const Preference& preference);

/// Operands as the application addresses them.
struct Operands {
  const void *a = nullptr, *b = nullptr, *c = nullptr;
  void* d = nullptr;
  double alpha = 1, beta = 0;
};

/// Puts the product into the stream.
cublasStatus_t enqueue_matmul(const Problem& problem, const Algorithm& algorithm, const Operands& operands,
                              cudaStream_t stream);

}  // namespace emulator::lt
