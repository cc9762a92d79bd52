// Twins of the product's kernels: their own source, compiled for the CPU, with what each costs on a card.
#include "kernels/cuda/device/cycle.cuh"
#include "kernels/cuda/device/grid.cuh"
#include "kernels/cuda/device/kernels.cuh"
#include "tests/emulator/cuda/twin.hpp"

namespace emulator {
namespace {

using namespace assay::cuda;

constexpr std::size_t pair = 16, line = 128;
/// Integer operations for one random number.
constexpr double operations_per_number = 16;

std::size_t bytes_of(Dtype type) {
  switch (type) {
    case Dtype::f64:
      return 8;
    case Dtype::bf16:
    case Dtype::f16:
      return 2;
    case Dtype::f8:
    case Dtype::i8:
      return 1;
    default:
      return 4;
  }
}

Access reads(const void* at, std::size_t bytes) { return {.address = at, .bytes = bytes, .writes = false, .span = 0}; }
Access writes(const void* at, std::size_t bytes) { return {.address = at, .bytes = bytes, .writes = true, .span = 0}; }

/// Moves memory, and computes a random number for each of so many elements.
Cost moving(std::vector<Access> accesses, double numbers = 0) {
  Cost cost;
  cost.accesses = std::move(accesses);
  cost.operations = operations_per_number * numbers;
  return cost;
}

/// Elements of a matrix, from its first to its last.
std::size_t elements(const MatrixShape& shape) {
  if (shape.rows == 0 || shape.columns == 0) return 0;
  return (shape.rows - 1) * shape.row_stride + (shape.columns - 1) * shape.column_stride + 1;
}

double as_double(std::uint64_t number) { return static_cast<double>(number); }

// A large array is linked in its windows only. The walk follows the links that are there; elsewhere, and after some
// thousand loads, it goes where they would lead.
void chase(const std::uint64_t* lines, ChaseShape shape, std::uint64_t step, std::uint64_t loads, std::uint64_t* end) {
  constexpr std::uint64_t followed = 4096;
  const Cycle cycle(shape);
  const auto parts = windows(shape.lines * line, Cluster::current().seed());
  const auto is_linked = [&](std::uint64_t at) {
    return std::any_of(parts.begin(), parts.end(), [&](const Window& part) {
      return at * line >= part.offset && (at + 1) * line <= part.offset + part.bytes;
    });
  };
  std::uint64_t place = cycle.line_at(step);
  const std::uint64_t walk = std::min(loads, followed);
  for (std::uint64_t i = 0; i < walk; ++i) {
    place = is_linked(place) ? lines[place * line / sizeof(std::uint64_t)] : cycle.after(place);
  }
  if (walk < loads) place = cycle.line_at(cycle.step_of(place) + (loads - walk));
  *end = place;
}

void add_data_twins() {
  add_twin(twin("assay_fill_words", assay_fill_words, [](std::uint64_t* to, std::uint64_t words, std::uint64_t) {
    return moving({writes(to, 8 * words)}, as_double(words));
  }));
  add_twin(twin("assay_check_words", assay_check_words,
                [](const std::uint64_t* at, std::uint64_t words, std::uint64_t, Tally* tally) {
                  return moving({reads(at, 8 * words), writes(tally, sizeof *tally)}, as_double(words));
                }));
  add_twin(twin("assay_fill_bytes", assay_fill_bytes, [](std::uint8_t* to, std::uint64_t bytes, std::uint64_t) {
    return moving({writes(to, bytes)}, as_double(bytes));
  }));
  add_twin(twin("assay_check_bytes", assay_check_bytes,
                [](const std::uint8_t* at, std::uint64_t bytes, std::uint64_t, Tally* tally) {
                  return moving({reads(at, bytes), writes(tally, sizeof *tally)}, as_double(bytes));
                }));
  add_twin(twin("assay_sum_pattern", assay_sum_pattern, [](std::uint64_t words, std::uint64_t, Tally* tally) {
    return moving({writes(tally, sizeof *tally)}, as_double(words));
  }));
  add_twin(twin("assay_flip_bit", assay_flip_bit,
                [](std::uint8_t* at, std::uint64_t byte) { return moving({writes(at + byte, 1)}); }));
}

void add_contribution_twins() {
  add_twin(twin("assay_fill_contribution", assay_fill_contribution,
                [](Dtype type, void* to, std::uint64_t count, Contribution) {
                  return moving({writes(to, bytes_of(type) * count)}, as_double(count));
                }));
  const auto check = [](Dtype type, const void* at, std::uint64_t count, Contribution, Tally* tally) {
    return moving({reads(at, bytes_of(type) * count), writes(tally, sizeof *tally)}, 2 * as_double(count));
  };
  add_twin(twin("assay_check_contribution", assay_check_contribution, check));
  add_twin(twin("assay_check_sum", assay_check_sum, check));
}

void add_matrix_twins() {
  add_twin(
      twin("assay_fill_matrix", assay_fill_matrix, [](Dtype type, void* to, MatrixShape shape, std::uint64_t, double) {
        return moving({writes(to, bytes_of(type) * elements(shape))}, as_double(elements(shape)));
      }));
  add_twin(twin("assay_fill_signs", assay_fill_signs, [](double* x, std::uint64_t length, std::uint64_t) {
    return moving({writes(x, 8 * length)}, as_double(length));
  }));
  add_twin(twin("assay_matrix_times", assay_matrix_times,
                [](Dtype type, const void* matrix, MatrixShape shape, const double* x, double* result, double) {
                  return moving({reads(matrix, bytes_of(type) * elements(shape)), reads(x, 8 * shape.columns),
                                 writes(result, 8 * shape.rows)});
                }));
  add_twin(twin("assay_freivalds", assay_freivalds,
                [](Dtype a_type, const void* a, MatrixShape a_shape, const double* bx, Dtype c_type, const void* c,
                   MatrixShape c_shape, const double* x, double, double, Tally* tally) {
                  return moving({reads(a, bytes_of(a_type) * elements(a_shape)), reads(bx, 8 * a_shape.columns),
                                 reads(c, bytes_of(c_type) * elements(c_shape)), reads(x, 8 * c_shape.columns),
                                 writes(tally, sizeof *tally)});
                }));
  add_twin(twin("assay_compare_matrix", assay_compare_matrix,
                [](std::uint32_t size, const void* left, const void* right, MatrixShape shape, double, Tally* tally) {
                  return moving({reads(left, size * elements(shape)), reads(right, size * elements(shape)),
                                 writes(tally, sizeof *tally)});
                }));
}

void add_stream_twins() {
  add_twin(twin("assay_read", assay_read, [](const ulonglong2* from, std::uint64_t pairs, Tally* tally) {
    return moving({reads(from, pair * pairs), writes(tally, sizeof *tally)});
  }));
  add_twin(twin("assay_copy", assay_copy, [](ulonglong2* to, const ulonglong2* from, std::uint64_t pairs) {
    return moving({reads(from, pair * pairs), writes(to, pair * pairs)});
  }));
  add_twin(
      twin("assay_triad", assay_triad, [](double2* a, const double2* b, const double2* c, double, std::uint64_t pairs) {
        return moving({reads(b, pair * pairs), reads(c, pair * pairs), writes(a, pair * pairs)});
      }));
  add_twin(twin("assay_fill_triad", assay_fill_triad, [](double2* b, double2* c, std::uint64_t pairs, std::uint64_t) {
    return moving({writes(b, pair * pairs), writes(c, pair * pairs)}, 4 * as_double(pairs));
  }));
  add_twin(twin("assay_check_triad", assay_check_triad,
                [](const double2* a, double, std::uint64_t pairs, std::uint64_t, Tally* tally) {
                  return moving({reads(a, pair * pairs), writes(tally, sizeof *tally)}, 4 * as_double(pairs));
                }));
}

void add_chase_twins() {
  add_twin(twin("assay_chase_link", assay_chase_link, [](std::uint64_t* lines, ChaseShape shape) {
    return moving({writes(lines, line * shape.lines)}, 4 * as_double(shape.lines));
  }));
  add_twin(
      twin("assay_chase", chase,
           [](const std::uint64_t* lines, ChaseShape shape, std::uint64_t, std::uint64_t loads, std::uint64_t* end) {
             Cost cost = moving({writes(end, sizeof *end)});
             cost.chase = {.address = lines, .working_set = line * shape.lines, .hops = as_double(loads)};
             return cost;
           }));
  add_twin(twin("assay_chase_check", assay_chase_check, [](const std::uint64_t* lines, ChaseShape shape, Tally* tally) {
    return moving({reads(lines, line * shape.lines), writes(tally, sizeof *tally)}, 4 * as_double(shape.lines));
  }));
}

void add_control_twins() {
  add_twin(twin(
      "assay_gate", assay_gate, [](const unsigned*, unsigned, unsigned*, std::uint64_t) { return Cost{}; },
      Threads::one,
      [](const unsigned* opened, unsigned turn, unsigned*, std::uint64_t) {
        return static_cast<int>(read_host_word(opened) - turn) < 0;
      }));
  add_twin(twin("assay_empty", assay_empty, [] { return Cost{}; }));
}

const bool added = [] {
  add_data_twins();
  add_contribution_twins();
  add_matrix_twins();
  add_stream_twins();
  add_chase_twins();
  add_control_twins();
  return true;
}();

}  // namespace
}  // namespace emulator
