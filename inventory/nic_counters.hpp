#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "inventory/facts.hpp"
#include "inventory/system_root.hpp"

namespace assay {

/// Counters of one NIC by name, as the kernel shows them: "port_xmit_data", "symbol_error", "out_of_sequence",
/// "rx_bytes". IB's port_*_data count 4 bytes each; they are given as bytes here.
using NicCounters = std::map<std::string, std::int64_t>;

/// Knows where the counters of each NIC lie, so that reading them again looks for nothing.
class NicCounterReader {
 public:
  NicCounterReader(const SystemRoot& root, const std::vector<NicFacts>& nics);

  /// One entry for each NIC, in their order. What cannot be read is left out.
  [[nodiscard]] std::vector<NicCounters> read() const;

 private:
  struct Counter {
    std::string name;
    std::string path;
    std::int64_t unit = 1;  ///< bytes of one count
  };
  std::vector<Counter> find(const NicFacts& nic) const;

  const SystemRoot* root_;
  std::vector<std::vector<Counter>> counters_;
};

}  // namespace assay
