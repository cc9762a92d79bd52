#include "analysis/catalogue.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "core/statistics.hpp"

namespace assay {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
constexpr double giga = 1e9;
constexpr double tera = 1e12;
constexpr double mega = 1e6;
constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

/// A table whose missing or mistyped keys are errors with their line.
class Entry {
 public:
  Entry(const toml::table& table, const std::string& file) : table_(table), file_(file) {}

  [[nodiscard]] std::string text(std::string_view key) const {
    if (const auto value = table_[key].value<std::string>()) return *value;
    throw fault(key, "no text");
  }
  [[nodiscard]] double number(std::string_view key) const {
    const double value = number_or(key, not_known);
    if (std::isfinite(value) && value >= 0) return value;
    throw fault(key, "no number");
  }
  [[nodiscard]] double number_or(std::string_view key, double otherwise) const {
    return table_[key].value<double>().value_or(otherwise);
  }
  [[nodiscard]] int whole(std::string_view key) const { return static_cast<int>(number(key)); }

  /// All numbers behind a key: an array, one number, or nothing.
  [[nodiscard]] std::vector<double> numbers(std::string_view key) const {
    std::vector<double> values;
    if (const auto* array = table_[key].as_array()) {
      for (const auto& node : *array) values.push_back(node.value<double>().value_or(not_known));
    } else if (const auto value = table_[key].value<double>()) {
      values.push_back(*value);
    }
    if (std::any_of(values.begin(), values.end(), [](double v) { return !(v >= 0); })) throw fault(key, "no numbers");
    return values;
  }
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> values;
    if (const auto* array = table_[key].as_array()) {
      for (const auto& node : *array) values.push_back(node.value<std::string>().value_or(""));
    }
    if (values.empty() || std::count(values.begin(), values.end(), "") > 0) throw fault(key, "no texts");
    return values;
  }
  [[nodiscard]] bool flag(std::string_view key) const { return table_[key].value<bool>().value_or(false); }
  [[nodiscard]] Entry inner(std::string_view key) const {
    if (const auto* table = table_[key].as_table()) return {*table, file_};
    throw fault(key, "no table");
  }

 private:
  [[nodiscard]] Error fault(std::string_view key, std::string_view what) const {
    return bad_input(fmt::format("{}:{}: '{}': {}", file_, table_.source().begin.line, key, what),
                     "the catalogue that is built in needs no file: leave --catalogue out");
  }

  const toml::table& table_;
  const std::string& file_;
};

/// "9.0" -> 90; other vendors' texts are no number.
int capability_of(const std::string& text) {
  int major = 0;
  int minor = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return -1;
  const auto second = std::from_chars(first.ptr + 1, end, minor);
  return second.ec == std::errc() && second.ptr == end ? 10 * major + minor : -1;
}

/// Names of the data types: in the catalogue, and as the axis `dtype` of gpu.gemm has them.
constexpr std::pair<const char*, const char*> types[] = {{"fp64", "f64"},  {"fp32", "f32"}, {"tf32", "tf32"},
                                                         {"bf16", "bf16"}, {"fp16", "f16"}, {"fp8", "f8"},
                                                         {"int8", "i8"}};

void read_peaks(const Entry& entry, Product& product) {
  for (const auto& [key, dtype] : types) {
    const double peak = entry.number_or(key, not_known);
    if (!std::isnan(peak)) product.peaks[dtype] = peak * tera;
    const auto measured = entry.numbers(fmt::format("measured_{}", key));
    if (!measured.empty()) product.measured[dtype] = median(measured) * tera;
  }
  // Libraries multiply double precision on the tensor cores where there are any.
  const double tensor = entry.number_or("fp64_tensor", 0) * tera;
  if (tensor > 0) product.peaks["f64"] = std::max(product.peaks["f64"], tensor);
}

Product read_product(const Entry& entry) {
  Product product;
  product.id = entry.text("id");
  product.names = entry.texts("name_patterns");
  product.vendor = entry.text("vendor");
  product.form = entry.text("form");
  product.capability = capability_of(entry.text("compute_capability"));
  product.multiprocessors = entry.whole("sm_count");
  product.boost_hz = entry.number("boost_mhz") * mega;
  product.tensor_boost_hz = entry.number_or("tensor_boost_mhz", entry.number("boost_mhz")) * mega;
  product.memory_bytes = static_cast<std::int64_t>(entry.number("memory_gib")) * gibibyte;
  for (const char* key : {"memory_mib_reported", "memory_mib_reported_variants"}) {
    for (const double mib : entry.numbers(key))
      product.memory_reported.push_back(static_cast<std::int64_t>(mib) * mebibyte);
  }
  product.memory_rate = entry.number("memory_gbps") * giga;
  product.measured_memory_rate = entry.number_or("measured_hbm_gbps", not_known) * giga;
  product.measured_to_device = entry.number_or("measured_h2d_gbps", not_known) * giga;
  product.nvlinks = entry.whole("nvlink_links");
  product.nvlink_generation = entry.whole("nvlink_generation");
  product.nvlink_rate = entry.number("nvlink_gbps_bidir") * giga / 2;
  product.nvlink_bridge = entry.flag("nvlink_bridge");
  product.pcie_generation = entry.whole("pcie_gen");
  product.pcie_lanes = entry.whole("pcie_lanes");
  product.power_watts = entry.number("tdp_w");
  read_peaks(entry, product);
  return product;
}

PcieLink read_pcie(const Entry& entry) {
  const auto reached = entry.numbers("achieved_h2d_x16");
  const double rate = entry.inner("after_encoding_by_lanes").number("x16") * giga;
  return {entry.whole("gen"), rate, reached.empty() ? not_known : reached.front() * giga};
}

NvlinkGeneration read_nvlink(const Entry& entry) {
  return {entry.whole("generation"), entry.number("line_per_link") * giga,
          entry.number("sm_effective_per_link") * giga};
}

AllReduceNode read_all_reduce(const Entry& entry) {
  const auto low = [&](std::string_view key) {
    const auto values = entry.numbers(key);
    return values.empty() ? 0 : values.front() * giga;
  };
  return {entry.text("node"), low("one_node_ring"), low("one_node_nvls")};
}

template <class T>
std::vector<T> read_all(const toml::table& root, std::string_view key, const std::string& file,
                        T (*read)(const Entry&)) {
  std::vector<T> entries;
  if (const auto* array = root[key].as_array()) {
    for (const auto& node : *array) {
      if (const auto* table = node.as_table()) entries.push_back(read(Entry(*table, file)));
    }
  }
  if (entries.empty()) throw bad_input(fmt::format("{}: no [[{}]]", file, key), "is it a catalogue of this program?");
  return entries;
}

toml::table parse(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw bad_input(fmt::format("{}:{}: not TOML: {}", file, error.source().begin.line, error.description()),
                    "the catalogue that is built in needs no file: leave --catalogue out");
  }
}

std::string content(const std::filesystem::path& path) {
  std::error_code error;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, error)) file.open(path, std::ios::binary);
  std::ostringstream text;
  if (file.is_open()) text << file.rdbuf();
  if (!file.is_open() || !file) {
    throw bad_input(path.string() + ": cannot be read", "--catalogue names a directory with gpus.toml, fabrics.toml");
  }
  return text.str();
}

template <class T>
const T* of_generation(const std::vector<T>& all, int generation) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const T& one) { return one.generation == generation; });
  return at == all.end() ? nullptr : &*at;
}

}  // namespace

bool Product::is_called(std::string_view name) const {
  return name == id || std::find(names.begin(), names.end(), name) != names.end();
}

double Product::peak(const std::string& dtype) const {
  const auto at = peaks.find(dtype);
  return at == peaks.end() ? not_known : at->second;
}

std::int64_t Product::least_memory_reported() const {
  return memory_reported.empty() ? -1 : *std::min_element(memory_reported.begin(), memory_reported.end());
}

const Product* Catalogue::find(std::string_view name) const {
  const auto at = std::find_if(products.begin(), products.end(), [&](const Product& p) { return p.is_called(name); });
  return at == products.end() ? nullptr : &*at;
}

double Catalogue::pcie_rate(int generation, int lanes) const {
  const PcieLink* link = of_generation(pcie, generation);
  return link == nullptr || lanes <= 0 ? not_known : link->rate_x16 * lanes / 16;
}

double Catalogue::pcie_reached(int generation, int lanes) const {
  const PcieLink* link = of_generation(pcie, generation);
  return link == nullptr || lanes <= 0 ? not_known : link->reached_x16 * lanes / 16;
}

double Catalogue::nvlink_share(int generation) const {
  const NvlinkGeneration* link = of_generation(nvlink, generation);
  return link == nullptr ? not_known : link->kernels_reach / link->rate;
}

Catalogue parse_catalogue(std::string_view gpus, std::string_view fabrics, const std::string& origin) {
  const std::string gpu_file = origin + "gpus.toml";
  const std::string fabric_file = origin + "fabrics.toml";
  const toml::table gpu_root = parse(gpus, gpu_file);
  const toml::table fabric_root = parse(fabrics, fabric_file);
  Catalogue catalogue;
  catalogue.products = read_all<Product>(gpu_root, "gpu", gpu_file, read_product);
  catalogue.pcie = read_all<PcieLink>(fabric_root, "pcie", fabric_file, read_pcie);
  catalogue.nvlink = read_all<NvlinkGeneration>(fabric_root, "nvlink", fabric_file, read_nvlink);
  catalogue.all_reduce = read_all<AllReduceNode>(fabric_root, "allreduce", fabric_file, read_all_reduce);
  return catalogue;
}

Catalogue load_catalogue(const std::filesystem::path& directory) {
  return parse_catalogue(content(directory / "gpus.toml"), content(directory / "fabrics.toml"),
                         (directory / "").string());
}

const Catalogue& builtin_catalogue() {
  static const Catalogue catalogue = parse_catalogue(catalogue_text::gpus, catalogue_text::fabrics, "built in: ");
  return catalogue;
}

}  // namespace assay
