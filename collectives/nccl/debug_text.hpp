#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay::nccl {

/// What NCCL wrote in its debug stream about itself, as far as it told. Several texts may be added one after another.
struct Observed {
  std::string version;               ///< "2.28.9"
  std::set<std::string> transports;  ///< "P2P/CUMEM", "SHM", "NET/IB GDR", "NET/IB", "NET/Socket", ...
  std::map<int, std::string> nics;   ///< all that NCCL may use, by its number: "mlx5_0"
  std::set<int> nics_used;           ///< numbers in connections
  int collective_channels = 0;       ///< 0: not told
  int point_to_point_channels = 0;   ///< 0: not told
  int nvls_channels = 0;             ///< 0: none or not told
  std::string gdr_refused;           ///< why a NIC does not reach GPU memory by itself; empty when nothing was said
  /// The last choice told for each function ("AllReduce"; "" where the version does not name it).
  struct Choice {
    std::string algorithm;  ///< "Ring"
    std::string protocol;   ///< "Simple"
    int channels = 0;       ///< 0: not told
  };
  std::map<std::string, Choice> choices;
  std::vector<std::string> warnings;  ///< first few, NCCL's words
};

/// Adds what `text` tells: lines of NCCL_DEBUG=INFO (or WARN) in the layouts of NCCL 2.4 to 2.28, whatever stands
/// before "NCCL INFO" in a line; lines of anything else, and ones cut short, are passed over.
void observe(std::string_view text, Observed& observed);

/// Of several ranks of one communicator: everything that any of them saw; NICs by name, since numbers are a node's own.
struct Summary {
  std::string version;
  std::set<std::string> transports;
  std::set<std::string> nics;
  int channels = 0;
  std::string algorithm;
  std::string protocol;
  std::string gdr_refused;
};

/// What one rank has to tell about `function` ("AllReduce", "" for point-to-point), as lines "key value" and back.
[[nodiscard]] std::string summary_text(const Observed& observed, std::string_view function);
/// Merges the texts of ranks. Lines that are none are passed over.
[[nodiscard]] Summary merge_summaries(const std::vector<std::string>& texts);

/// "Ring/Simple, 16 channels, P2P/CUMEM + NET/IB GDR mlx5_0-7, NCCL 2.28.9". `collective`: false for point-to-point
/// operations, which have no algorithm. What was not told is said to be so.
[[nodiscard]] std::string method_text(const Summary& summary, bool collective);

/// "mlx5_0-3,mlx5_6" for names that differ in a trailing number.
[[nodiscard]] std::string format_names(const std::set<std::string>& names);

}  // namespace assay::nccl
