#pragma once

#include <nccl.h>

#include <cstddef>
#include <vector>

namespace emulator::nccl {

/// 0 for a type that NCCL does not have.
std::size_t size_of(ncclDataType_t type);
const char* name_of(ncclDataType_t type);

/// How values of several ranks become one.
struct Reduction {
  ncclRedOp_t operation = ncclSum;  ///< A built-in one.
  bool scaled = false;              ///< ncclRedOpCreatePreMulSum: sum of scalar * x
  double scalar = 1;
};

/// The value of one element.
double value_of(ncclDataType_t type, const void* element);

/// Reduces `count` elements of every source, in the order of the sources; each step is rounded to the type, as the hops
/// of a ring do. The average multiplies floating-point values by 1/n first and divides integers by n at the end.
void reduce(ncclDataType_t type, const Reduction& reduction, const std::vector<const std::byte*>& sources,
            std::byte* result, std::size_t count);

}  // namespace emulator::nccl
