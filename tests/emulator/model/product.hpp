#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emulator {

/// Number formats with a peak of their own. fp64_tensor is fp64 on tensor cores, which a library's GEMM uses where the
/// product has it; fp32 is without tensor cores.
enum class Type { fp64, fp64_tensor, fp32, tf32, bf16, fp16, fp8, int8 };
inline constexpr std::size_t type_count = 8;
std::string_view name_of(Type);

/// One GPU product: the facts of analysis/catalogue/gpus.toml, and what a healthy card makes of them.
struct Product {
  std::string id, name, architecture, form;
  std::vector<std::string> names;  ///< All names it is sold and shown under; `name` is the first.
  int compute_major = 0, compute_minor = 0;
  int sm_count = 0;
  double boost_mhz = 0;         ///< Advertised boost clock.
  double tensor_boost_mhz = 0;  ///< Clock behind the tensor peaks; boost_mhz where the two are the same.
  double max_sm_mhz = 0;        ///< What NVML calls the maximum SM clock.
  double memory_mhz = 0;        ///< Memory clock as NVML gives it: of the memory's kind, not measured.
  std::uint64_t memory_bytes = 0, l2_bytes = 0;
  double memory_rate = 0;  ///< Data sheet [B/s].
  int nvlink_links = 0, nvlink_generation = 0;
  double nvlink_rate_per_link = 0;  ///< One way [B/s].
  bool nvlink_bridge = false;       ///< NVLink only with a bridge between two cards.
  int pcie_gen = 0, pcie_lanes = 0;
  double tdp_watts = 0;
  bool consumer = false;  ///< GeForce: the driver allows no peer-to-peer over PCIe.

  /// Peak [op/s], dense; 0 = the product does not support the type.
  [[nodiscard]] double peak(Type type) const { return peaks[static_cast<std::size_t>(type)]; }
  /// Fraction of the peak that a healthy card reaches in a large GEMM under its default power limit.
  [[nodiscard]] double healthy(Type type) const { return fractions[static_cast<std::size_t>(type)]; }

  std::array<double, type_count> peaks{}, fractions{};
};

/// All products of the catalogue; read once. Ends the process with a message when the catalogue is unreadable.
const std::vector<Product>& products();
/// The product of this id; nullptr when the catalogue has none.
const Product* find_product(std::string_view id);

}  // namespace emulator
