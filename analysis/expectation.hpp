#pragma once

#include <string>

#include "analysis/catalogue.hpp"
#include "analysis/clause.hpp"
#include "results/record.hpp"

namespace assay {

/// What a data sheet says of a product, and what healthy ones reach of it. docs/judging.md has the shares and their
/// sources. NaN: not known.
struct Expectation {
  double sheet = 0;    ///< in the base unit of the clause
  double healthy = 0;  ///< the same
  std::string source;  ///< of the healthy figure
};

/// Matrix multiplication in a data type of gpu.gemm.
[[nodiscard]] Expectation expect_gemm(const Product& product, const std::string& dtype);
/// Pinned copies between host and card, one way or the sum of both ways.
[[nodiscard]] Expectation expect_pcie(const Product& product, const Catalogue& catalogue, Direction direction);
/// Copies between two cards over all their links.
[[nodiscard]] Expectation expect_nvlink(const Product& product, const Catalogue& catalogue, Direction direction);

/// Sets the clause's healthy figure: a value up to what healthy cards reach stands as it is; a value up to the data
/// sheet's is taken as the data sheet's; beyond that both grow alike, so that an inflated value is not forgiven.
void expect(Clause& clause, const Expectation& expectation);

/// "the data sheet says 989 TFLOP/s ..." when the value lies above the data sheet; names the usual misreadings (sparse
/// figures, both directions as one). `twice`: what a value of twice the data sheet's is. Empty when it can be true.
[[nodiscard]] std::string above_sheet(const Clause& clause, double sheet, const std::string& twice);

/// Ceilings of the hardware that was found, at the highest clock that it reports. NaN when not known.
[[nodiscard]] double gemm_ceiling(const Product& product, const results::GpuRow& gpu, const std::string& dtype);
[[nodiscard]] double memory_ceiling(const Product& product);
[[nodiscard]] double pcie_ceiling(const Catalogue& catalogue, const results::GpuRow& gpu, Direction direction);
[[nodiscard]] double nvlink_ceiling(const Product& product, Direction direction);
/// Bus bandwidth of an all-reduce of `ranks` GPUs in a node: the link's rate in a ring; more where a switch reduces,
/// since a GPU then sends (1 + 1/n) of its payload instead of 2(n-1)/n.
[[nodiscard]] double node_all_reduce_ceiling(const Catalogue& catalogue, const Product& product,
                                             const results::GpuRow& gpu, int ranks);
/// The same over `nodes` nodes, whose NICs send `nic_rate` byte/s together on each: hierarchical algorithms move
/// (nodes-1)/(ranks-1) of the ring's bytes; reduction in the switches saves up to half of that.
[[nodiscard]] double cluster_all_reduce_ceiling(double nic_rate, int ranks, int nodes);

}  // namespace assay
