#include "tests/emulator/model/product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tests/emulator/model/environment.hpp"
#include "tests/emulator/model/toml_reader.hpp"

namespace emulator {
namespace {

constexpr double mebi = 1024.0 * 1024.0;

/// Fractions of the peak that healthy cards reach where the catalogue has no measurement of the product itself.
/// Ampere: SuperBench, mean of 729 A100 nodes. Hopper and Blackwell: best achieved by cuBLAS (bf16, fp8), the other
/// types in Ampere's proportion. Ada and older: bf16 of the A100 PCIe (0.81); an assumption.
struct Fractions {
  std::string_view architecture;
  std::array<double, type_count> of;  // fp64, fp64_tensor, fp32, tf32, bf16, fp16, fp8, int8
};
constexpr std::array<Fractions, 5> defaults = {{
    {"Ampere", {0.93, 0.97, 0.94, 0.82, 0.84, 0.88, 0, 0.75}},
    {"Hopper", {0.93, 0.95, 0.92, 0.78, 0.80, 0.80, 0.71, 0.72}},
    {"Blackwell", {0.93, 0.93, 0.90, 0.76, 0.77, 0.77, 0.76, 0.72}},
    {"Ada", {0.93, 0, 0.90, 0.80, 0.81, 0.81, 0.78, 0.75}},
    {"", {0.93, 0, 0.92, 0.80, 0.80, 0.80, 0, 0.75}},
}};

double number(const toml::table& table, std::string_view key) { return table[key].value_or(0.0); }

std::string text(const toml::table& table, std::string_view key) { return table[key].value_or(std::string{}); }

/// Memory clock that NVML shows; per kind of memory, as seen on cards (H100 2619, H200 3201, B200 3996, A100 1593).
double memory_clock(const std::string& kind, const std::string& architecture) {
  if (kind == "HBM2") return architecture == "Volta" ? 877 : 1215;
  if (kind == "HBM2e") return 1593;
  if (kind == "HBM3") return 2619;
  if (kind == "HBM3e") return architecture == "Blackwell" ? 3996 : 3201;
  if (kind == "GDDR7") return 14001;
  if (kind == "GDDR6X") return 10501;
  return architecture == "Turing" ? 5001 : 9001;
}

void read_peaks(const toml::table& table, Product& product) {
  const auto row = std::find_if(defaults.begin(), defaults.end(), [&](const Fractions& fractions) {
    return fractions.architecture.empty() || product.architecture.starts_with(fractions.architecture);
  });
  for (std::size_t i = 0; i < type_count; ++i) {
    const auto key = std::string(name_of(static_cast<Type>(i)));
    product.peaks[i] = number(table, key) * 1e12;
    product.fractions[i] = row->of[i] > 0 ? row->of[i] : 0.75;
    const auto* measured = table.get_as<toml::array>("measured_" + key);
    if (measured == nullptr || measured->empty() || product.peaks[i] == 0) continue;
    const double sum =
        std::accumulate(measured->begin(), measured->end(), 0.0,
                        [](double so_far, const toml::node& node) { return so_far + node.value_or(0.0); });
    product.fractions[i] = sum * 1e12 / static_cast<double>(measured->size()) / product.peaks[i];
  }
}

Product read_product(const toml::table& table) {
  Product product;
  product.id = text(table, "id");
  for (const auto& name : *table["name_patterns"].as_array()) product.names.push_back(name.value_or(std::string{}));
  product.name = product.names.front();
  product.architecture = text(table, "architecture");
  product.form = text(table, "form");
  product.consumer = product.name.find("GeForce") != std::string::npos;
  const auto capability = text(table, "compute_capability");
  product.compute_major = std::stoi(capability);
  product.compute_minor = std::stoi(capability.substr(capability.find('.') + 1));
  product.sm_count = static_cast<int>(number(table, "sm_count"));
  product.boost_mhz = number(table, "boost_mhz");
  product.tensor_boost_mhz = table["tensor_boost_mhz"].value_or(product.boost_mhz);
  product.max_sm_mhz = table["max_sm_clock_mhz_reported"].value_or(product.boost_mhz);
  product.memory_mhz = memory_clock(text(table, "memory_kind"), product.architecture);
  product.memory_bytes = static_cast<std::uint64_t>(number(table, "memory_mib_reported") * mebi);
  product.l2_bytes = static_cast<std::uint64_t>(number(table, "l2_mib") * mebi);
  product.memory_rate = number(table, "memory_gbps") * 1e9;
  product.nvlink_links = static_cast<int>(number(table, "nvlink_links"));
  product.nvlink_generation = static_cast<int>(number(table, "nvlink_generation"));
  product.nvlink_bridge = table["nvlink_bridge"].value_or(false);
  if (product.nvlink_links > 0) {
    product.nvlink_rate_per_link = number(table, "nvlink_gbps_bidir") * 1e9 / 2 / product.nvlink_links;
  }
  product.pcie_gen = static_cast<int>(number(table, "pcie_gen"));
  product.pcie_lanes = static_cast<int>(number(table, "pcie_lanes"));
  product.tdp_watts = number(table, "tdp_w");
  read_peaks(table, product);
  return product;
}

std::vector<Product> read_catalogue() {
  auto file = environment("ASSAY_EMULATOR_CATALOGUE");
  if (file.empty()) file = EMULATOR_CATALOGUE;
  std::vector<Product> result;
  try {
    const auto root = parse_toml(file);
    for (const auto& node : *root["gpu"].as_array()) {
      const auto& table = *node.as_table();
      if (text(table, "vendor") == "NVIDIA") result.push_back(read_product(table));
    }
  } catch (const std::exception& error) {
    give_up(fmt::format("catalogue: {}", error.what()));
  }
  return result;
}

}  // namespace

std::string_view name_of(Type type) {
  constexpr std::array<std::string_view, type_count> names = {"fp64", "fp64_tensor", "fp32", "tf32",
                                                              "bf16", "fp16",        "fp8",  "int8"};
  return names.at(static_cast<std::size_t>(type));
}

const std::vector<Product>& products() {
  static const std::vector<Product> all = read_catalogue();
  return all;
}

const Product* find_product(std::string_view id) {
  const auto at = std::find_if(products().begin(), products().end(), [&](const Product& p) { return p.id == id; });
  return at == products().end() ? nullptr : &*at;
}

}  // namespace emulator
