#include "kernels/cuda/dtype.hpp"

#include <algorithm>
#include <array>

namespace assay::cuda {

namespace {

struct Traits {
  Dtype type;
  std::string_view name;
  std::size_t size;
  int capability;
};

constexpr std::array<Traits, 8> table{{{Dtype::f64, "f64", 8, 0},
                                       {Dtype::f32, "f32", 4, 0},
                                       {Dtype::tf32, "tf32", 4, 80},
                                       {Dtype::bf16, "bf16", 2, 80},
                                       {Dtype::f16, "f16", 2, 70},
                                       {Dtype::f8, "f8", 1, 89},
                                       {Dtype::i8, "i8", 1, 75},
                                       {Dtype::i32, "i32", 4, 0}}};

const Traits& traits(Dtype type) { return table[static_cast<std::size_t>(type)]; }

}  // namespace

std::size_t size_of(Dtype type) { return traits(type).size; }
std::string_view to_string(Dtype type) { return traits(type).name; }
int least_capability(Dtype type) { return traits(type).capability; }

std::optional<Dtype> parse_dtype(std::string_view text) {
  const auto* found = std::find_if(table.begin(), table.end(), [&](const Traits& one) { return one.name == text; });
  if (found == table.end()) return std::nullopt;
  return found->type;
}

}  // namespace assay::cuda
