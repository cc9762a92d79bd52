#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Facts about hardware on the market, from analysis/catalogue/*.toml (each file names its sources). A copy is built
/// into the program. NaN, -1 and absent entries: not known.

/// One GPU product. Rates are those of the data sheet: dense (no sparsity), accumulated in 32 bits.
struct Product {
  std::string id;                  ///< "h100-sxm5-80gb"
  std::vector<std::string> names;  ///< whole names as drivers report them: "NVIDIA H100 80GB HBM3"
  std::string vendor;
  std::string form;          ///< "SXM", "PCIe", ...
  int capability = -1;       ///< 10 * major + minor; -1: no CUDA device
  int multiprocessors = -1;  ///< of a whole card
  double boost_hz = std::numeric_limits<double>::quiet_NaN();
  double tensor_boost_hz = std::numeric_limits<double>::quiet_NaN();  ///< clock behind the tensor peaks
  std::int64_t memory_bytes = -1;                                     ///< as marketed, GiB
  std::vector<std::int64_t> memory_reported;                          ///< bytes as drivers report them
  double memory_rate = std::numeric_limits<double>::quiet_NaN();      ///< byte/s
  std::map<std::string, double> peaks;     ///< operations/s by data type of gpu.gemm: f64 f32 tf32 bf16 f16 f8 i8
  std::map<std::string, double> measured;  ///< the same as healthy cards were seen to reach: median of the sources
  double measured_memory_rate = std::numeric_limits<double>::quiet_NaN();  ///< byte/s
  double measured_to_device = std::numeric_limits<double>::quiet_NaN();    ///< pinned copies from the host, byte/s
  int nvlinks = 0;
  int nvlink_generation = 0;
  double nvlink_rate = 0;      ///< byte/s one way, all links together
  bool nvlink_bridge = false;  ///< links only work where a bridge is fitted
  int pcie_generation = -1;
  int pcie_lanes = -1;
  double power_watts = std::numeric_limits<double>::quiet_NaN();

  [[nodiscard]] bool is_called(std::string_view name) const;  ///< whole name, or the id
  [[nodiscard]] double peak(const std::string& dtype) const;  ///< operations/s; NaN when the card has no such type
  [[nodiscard]] std::int64_t least_memory_reported() const;   ///< -1 when not known
};

struct PcieLink {
  int generation = 0;
  double rate_x16 = 0;     ///< byte/s one way after the line code
  double reached_x16 = 0;  ///< byte/s that pinned copies of a healthy slot reach at least
};

struct NvlinkGeneration {
  int generation = 0;
  double rate = 0;           ///< byte/s one way, one link
  double kernels_reach = 0;  ///< byte/s of payload that kernels get out of a link one way
};

/// What healthy nodes of a kind were seen to reach in all-reduce, bus bandwidth in byte/s. 0: not known.
struct AllReduceNode {
  std::string node;  ///< "8xH100 SXM5"
  double ring_low = 0;
  double in_switch_low = 0;  ///< reduced in the NVSwitch (NVLS)
};

struct Catalogue {
  std::vector<Product> products;
  std::vector<PcieLink> pcie;
  std::vector<NvlinkGeneration> nvlink;
  std::vector<AllReduceNode> all_reduce;

  /// By whole name or id; nullptr when there is none. "NVIDIA H100" is not "NVIDIA H100 NVL".
  [[nodiscard]] const Product* find(std::string_view name) const;
  /// Byte/s one way of so many lanes of that generation; NaN when not known.
  [[nodiscard]] double pcie_rate(int generation, int lanes) const;
  /// The same as pinned copies reach it on a healthy slot.
  [[nodiscard]] double pcie_reached(int generation, int lanes) const;
  /// Share of the line rate that kernels reach over NVLink; NaN when not known.
  [[nodiscard]] double nvlink_share(int generation) const;
};

/// Reads the two texts; `origin` names them in errors. Throws Error(bad_input): what, file and line.
[[nodiscard]] Catalogue parse_catalogue(std::string_view gpus, std::string_view fabrics, const std::string& origin);

/// gpus.toml and fabrics.toml of a directory. Throws Error(bad_input) when one is missing or malformed.
[[nodiscard]] Catalogue load_catalogue(const std::filesystem::path& directory);

/// The copy that was built in.
[[nodiscard]] const Catalogue& builtin_catalogue();

/// Texts of the files as they were when the program was built.
namespace catalogue_text {
extern const std::string_view gpus;
extern const std::string_view fabrics;
}  // namespace catalogue_text

}  // namespace assay
