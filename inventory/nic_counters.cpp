#include "inventory/nic_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace assay {
namespace {

// An interface has dozens; these tell of traffic and of trouble.
constexpr std::array<std::string_view, 10> interface_counters{
    "rx_bytes",   "tx_bytes",      "rx_errors",      "tx_errors",         "rx_dropped",
    "tx_dropped", "rx_crc_errors", "rx_over_errors", "tx_carrier_errors", "collisions"};

// InfiniBand counts data in words of four bytes.
constexpr std::int64_t word_bytes = 4;

bool counts_words(std::string_view name) { return name == "port_xmit_data" || name == "port_rcv_data"; }

}  // namespace

NicCounterReader::NicCounterReader(const SystemRoot& root, const std::vector<NicFacts>& nics) : root_(&root) {
  for (const NicFacts& nic : nics) counters_.push_back(find(nic));
}

std::vector<NicCounterReader::Counter> NicCounterReader::find(const NicFacts& nic) const {
  std::vector<Counter> found;
  if (nic.is_virtual) return found;
  if (!nic.rdma_device.empty()) {
    const auto port = fmt::format("/sys/class/infiniband/{}/ports/{}", nic.rdma_device, nic.rdma_port);
    for (const char* folder : {"/counters", "/hw_counters"}) {
      for (const auto& name : root_->list(port + folder)) {
        if (name == "lifespan") continue;  // how long the driver keeps its copy: no counter
        found.push_back({name, port + folder + "/" + name, counts_words(name) ? word_bytes : 1});
      }
    }
  }
  // A port that is InfiniBand counts its interface's traffic already.
  if (nic.link_layer == "InfiniBand") return found;
  const std::string directory = "/sys/class/net/" + nic.name + "/statistics/";
  for (const auto& name : root_->list(directory))
    if (std::find(interface_counters.begin(), interface_counters.end(), name) != interface_counters.end())
      found.push_back({name, directory + name, 1});
  return found;
}

std::vector<NicCounters> NicCounterReader::read() const {
  std::vector<NicCounters> all;
  for (const auto& counters : counters_) {
    NicCounters& values = all.emplace_back();
    for (const Counter& counter : counters) {
      const auto value = root_->read_integer(counter.path);
      if (value.known()) values[counter.name] = value.value() * counter.unit;
    }
  }
  return all;
}

}  // namespace assay
