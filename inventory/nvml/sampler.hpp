#pragma once

#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "inventory/gpu_facts.hpp"
#include "inventory/nvml/nvml.hpp"

namespace assay::nvml {

/// One value of one GPU at this moment, in the unit of docs/results.md.
struct Reading {
  int gpu = 0;
  const char* metric = "";
  double value = 0;
};

/// Reads the same values of the same GPUs again and again. What a GPU refuses once is not asked again. Used by one
/// thread at a time.
class Sampler {
 public:
  /// `gpus`: those in state ok are read.
  Sampler(std::shared_ptr<const Library> library, const std::vector<GpuFacts>& gpus);

  /// Appends SM clock, power and event reasons.
  void read_fast(std::vector<Reading>& readings);
  /// Appends temperature, memory clock, utilization, memory in use, PCIe generation and width.
  void read_slow(std::vector<Reading>& readings);
  /// Appends counters of errors: ECC, NVLink, PCIe replays.
  void read_counters(std::vector<Reading>& readings);
  /// GPUs that were lost since the last call.
  [[nodiscard]] std::vector<int> take_lost();

 private:
  struct Card {
    int number = 0;
    Handle device = nullptr;
    std::vector<Unsigned> links;         ///< those that exist
    std::set<std::string_view> refused;  ///< metrics that it does not tell
    bool lost = false;
  };
  /// Asks by `call`, which gives a code and sets the value.
  template <class Ask>
  void add(Card& card, const char* metric, std::vector<Reading>& readings, Ask ask);
  void add_link_errors(Card& card, std::vector<Reading>& readings);

  std::shared_ptr<const Library> library_;
  const Table& t_;
  std::vector<Card> cards_;
  std::vector<int> newly_lost_;
};

}  // namespace assay::nvml
