#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/device/tally.hpp"
#include "kernels/cuda/dtype.hpp"

// All kernels. Host code launches them through kernels/cuda/kernels.hpp only. Names are C names, so that they are the
// same in every tool.

namespace assay::cuda {

extern "C" {

// words.cu
__global__ void assay_fill_words(std::uint64_t* to, std::uint64_t words, std::uint64_t seed);
__global__ void assay_check_words(const std::uint64_t* at, std::uint64_t words, std::uint64_t seed, Tally* tally);
__global__ void assay_fill_bytes(std::uint8_t* to, std::uint64_t bytes, std::uint64_t seed);
__global__ void assay_check_bytes(const std::uint8_t* at, std::uint64_t bytes, std::uint64_t seed, Tally* tally);
__global__ void assay_sum_pattern(std::uint64_t words, std::uint64_t seed, Tally* tally);
__global__ void assay_flip_bit(std::uint8_t* at, std::uint64_t byte);

// contributions.cu
__global__ void assay_fill_contribution(Dtype type, void* to, std::uint64_t count, Contribution from);
__global__ void assay_check_contribution(Dtype type, const void* at, std::uint64_t count, Contribution from,
                                         Tally* tally);
__global__ void assay_check_sum(Dtype type, const void* at, std::uint64_t count, Contribution from, Tally* tally);

// matrix.cu
__global__ void assay_fill_matrix(Dtype type, void* to, MatrixShape shape, std::uint64_t seed, double flops);
__global__ void assay_fill_signs(double* x, std::uint64_t length, std::uint64_t seed);
__global__ void assay_matrix_times(Dtype type, const void* matrix, MatrixShape shape, const double* x, double* result,
                                   double flops);
__global__ void assay_freivalds(Dtype a_type, const void* a, MatrixShape a_shape, const double* bx, Dtype c_type,
                                const void* c, MatrixShape c_shape, const double* x, double bound, double flops,
                                Tally* tally);
__global__ void assay_compare_matrix(std::uint32_t size, const void* left, const void* right, MatrixShape shape,
                                     double flops, Tally* tally);

// streams.cu: memory bandwidth; 16 bytes are the unit
__global__ void assay_read(const ulonglong2* from, std::uint64_t pairs, Tally* tally);
__global__ void assay_copy(ulonglong2* to, const ulonglong2* from, std::uint64_t pairs);
__global__ void assay_triad(double2* a, const double2* b, const double2* c, double factor, std::uint64_t pairs);
__global__ void assay_fill_triad(double2* b, double2* c, std::uint64_t pairs, std::uint64_t seed);
__global__ void assay_check_triad(const double2* a, double factor, std::uint64_t pairs, std::uint64_t seed,
                                  Tally* tally);

// chase.cu
__global__ void assay_chase_link(std::uint64_t* lines, ChaseShape shape);
__global__ void assay_chase(const std::uint64_t* lines, ChaseShape shape, std::uint64_t step, std::uint64_t loads,
                            std::uint64_t* end);
__global__ void assay_chase_check(const std::uint64_t* lines, ChaseShape shape, Tally* tally);

// control.cu
__global__ void assay_gate(const unsigned* opened, unsigned turn, unsigned* gave_up, std::uint64_t nanoseconds);
__global__ void assay_empty();
}

}  // namespace assay::cuda
