#include "analysis/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
/// A data sheet rounds: a value this much above it still means it.
constexpr double rounding = 1.02;
/// Clocks and timers are not exact to the last per mille.
constexpr double measuring_margin = 1.02;
/// Tensor peak per watt above which a card runs into its power limit long before its peak (H100 PCIe: 2.2e12).
constexpr double starved_peak_per_watt = 1.5e12;
/// Cards of this power at most hold their boost clock for a moment only (L4, T4, A16).
constexpr double small_card_watts = 100;

/// Where no measured figure of the model is public. The shares and their sources stand in docs/judging.md.
double default_share(const Product& product, const std::string& dtype) {
  const bool tensor = dtype != "f64" && dtype != "f32";
  if (product.vendor != "NVIDIA") return tensor ? 0.50 : 0.80;
  double share = dtype == "f64" ? 0.90 : dtype == "f32" ? 0.85 : dtype == "f8" || dtype == "i8" ? 0.70 : 0.80;
  if (product.power_watts <= small_card_watts) return std::min(share, 0.50);
  const double densest = product.peak("f16") / product.power_watts;
  if (tensor && densest > starved_peak_per_watt) share = std::min(share, 0.60);
  return share;
}

/// What the same model was seen to reach in a kindred type says that it does not reach more in this one. (The 8-bit
/// types reach a smaller share of their peak than the 16-bit ones, so these are no measure for those.)
double kindred_share(const Product& product, const std::string& dtype, double share) {
  if (dtype == "f64" || dtype == "f32") return share;
  for (const std::string other : {"bf16", "f16", "f8"}) {
    const auto at = product.measured.find(other);
    if (at == product.measured.end() || (other == "f8" && dtype != "i8")) continue;
    share = std::min(share, at->second / product.peak(other));
  }
  return share;
}

double both(Direction direction, double one_way) { return direction == Direction::both_ways ? 2 * one_way : one_way; }

}  // namespace

Expectation expect_gemm(const Product& product, const std::string& dtype) {
  const double sheet = product.peak(dtype);
  const auto measured = product.measured.find(dtype);
  if (measured != product.measured.end()) {
    return {sheet, measured->second, "measured on healthy " + product.id + ", catalogue"};
  }
  const double share = kindred_share(product, dtype, default_share(product, dtype));
  return {sheet, share * sheet, fmt::format("{:.2g} of the data sheet's peak, docs/judging.md", share)};
}

Expectation expect_pcie(const Product& product, const Catalogue& catalogue, Direction direction) {
  const double sheet = catalogue.pcie_rate(product.pcie_generation, product.pcie_lanes);
  const double link = catalogue.pcie_reached(product.pcie_generation, product.pcie_lanes);
  // One card that did better than the others is no measure for a card whose link is slower.
  const double reached = std::isnan(product.measured_to_device) ? link : std::min(link, product.measured_to_device);
  return {both(direction, sheet), both(direction, reached),
          fmt::format("pinned copies over PCIe {} x{}, catalogue", product.pcie_generation, product.pcie_lanes)};
}

Expectation expect_nvlink(const Product& product, const Catalogue& catalogue, Direction direction) {
  const double share = catalogue.nvlink_share(product.nvlink_generation);
  const double sheet = product.nvlinks > 0 ? both(direction, product.nvlink_rate) : not_known;
  return {sheet, share * sheet,
          fmt::format("payload share {:.2g} of NVLink {}, catalogue", share, product.nvlink_generation)};
}

void expect(Clause& clause, const Expectation& expectation) {
  if (!(expectation.sheet > 0) || !(expectation.healthy > 0)) return;
  if (clause.value <= expectation.healthy) return;
  const double excess = std::max(1.0, clause.value / (expectation.sheet * rounding));
  clause.healthy = std::min(clause.value, expectation.healthy * excess);
  clause.healthy_source = expectation.source;
}

std::string above_sheet(const Clause& clause, double sheet, const std::string& twice) {
  if (!(clause.value > sheet * rounding)) return "";
  const double ratio = clause.value / sheet;
  std::string text = fmt::format("the data sheet says {}, the offer {:.3g} times that",
                                 format_quantity(sheet, clause.dimension), ratio);
  if (!twice.empty() && ratio > 1.95 && ratio < 2.05) text += ": " + twice;
  return text;
}

double gemm_ceiling(const Product& product, const results::GpuRow& gpu, const std::string& dtype) {
  const bool tensor = dtype != "f64" && dtype != "f32";
  const double clock = tensor ? product.tensor_boost_hz : product.boost_hz;
  const double highest = gpu.sm_clock_max_hz > 0 ? std::max(gpu.sm_clock_max_hz, clock) : clock;
  const int parts = std::max(gpu.multiprocessors, product.multiprocessors);
  return product.peak(dtype) * highest / clock * parts / product.multiprocessors * measuring_margin;
}

double memory_ceiling(const Product& product) { return product.memory_rate * measuring_margin; }

double pcie_ceiling(const Catalogue& catalogue, const results::GpuRow& gpu, Direction direction) {
  return both(direction, catalogue.pcie_rate(gpu.pcie_generation_max, gpu.pcie_width_max)) * measuring_margin;
}

double nvlink_ceiling(const Product& product, Direction direction) {
  return product.nvlinks > 0 ? both(direction, product.nvlink_rate) * measuring_margin : not_known;
}

double node_all_reduce_ceiling(const Catalogue& catalogue, const Product& product, const results::GpuRow& gpu,
                               int ranks) {
  constexpr int first_reducing_switch = 4;  // NVLink generation
  const double pcie = pcie_ceiling(catalogue, gpu, Direction::one_way);
  if (product.nvlinks <= 0) return pcie;
  if (product.nvlink_generation < first_reducing_switch || ranks < 3)
    return nvlink_ceiling(product, Direction::one_way);
  const double n = ranks;
  return nvlink_ceiling(product, Direction::one_way) * std::max(1.0, 2 * (n - 1) / (n + 1));
}

double cluster_all_reduce_ceiling(double nic_rate, int ranks, int nodes) {
  if (nodes < 2 || ranks < 2) return not_known;
  const double per_gpu = nic_rate * nodes / ranks;
  const double hierarchical = per_gpu * (ranks - 1) / (nodes - 1);
  return 2 * std::max(nic_rate, hierarchical) * measuring_margin;
}

}  // namespace assay
