#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace assay::cuda {

/// Types of numbers that GPUs compute with. `tf32` is f32 in memory, with 11 significant bits in the product; `f8` is
/// e4m3; `i32` holds sums of i8.
enum class Dtype : int { f64 = 0, f32 = 1, tf32 = 2, bf16 = 3, f16 = 4, f8 = 5, i8 = 6, i32 = 7 };

[[nodiscard]] std::size_t size_of(Dtype type);
[[nodiscard]] std::string_view to_string(Dtype type);
[[nodiscard]] std::optional<Dtype> parse_dtype(std::string_view text);
/// Least compute capability (10 * major + minor) whose tensor cores or units work on it.
[[nodiscard]] int least_capability(Dtype type);

}  // namespace assay::cuda
