#include "inventory/nvml/sampler.hpp"

#include <utility>

namespace assay::nvml {

namespace {

constexpr double mega = 1e6;
constexpr double milli = 1e-3;
constexpr double percent = 0.01;

int ask_unsigned(const Table::OfDevice& call, Handle device, double unit, double& value) {
  Unsigned number = 0;
  const int code = call(device, &number);
  value = unit * number;
  return code;
}

int ask_clock(const Table& table, Handle device, ClockKind kind, double& value) {
  Unsigned number = 0;
  const int code = table.clock(device, kind, &number);
  value = mega * number;
  return code;
}

}  // namespace

Sampler::Sampler(std::shared_ptr<const Library> library, const std::vector<GpuFacts>& gpus)
    : library_(std::move(library)), t_(library_->table()) {
  for (const GpuFacts& gpu : gpus) {
    if (gpu.state != GpuState::ok) continue;
    Card card;
    card.number = gpu.number;
    if (library_->find(gpu.pci_bus_id, card.device) != success) continue;
    for (const NvlinkFacts& link : gpu.nvlinks.value_or({})) card.links.push_back(static_cast<Unsigned>(link.link));
    cards_.push_back(std::move(card));
  }
}

template <class Ask>
void Sampler::add(Card& card, const char* metric, std::vector<Reading>& readings, Ask ask) {
  if (card.lost || card.refused.contains(metric)) return;
  double value = 0;
  const int code = ask(value);
  if (code == success) {
    readings.push_back({card.number, metric, value});
  } else if (code == gpu_is_lost) {
    card.lost = true;
    newly_lost_.push_back(card.number);
  } else {
    card.refused.insert(metric);
  }
}

void Sampler::read_fast(std::vector<Reading>& readings) {
  for (Card& card : cards_) {
    const Handle device = card.device;
    add(card, "gpu.sm_clock", readings, [&](double& value) { return ask_clock(t_, device, sm_clock, value); });
    add(card, "gpu.power", readings, [&](double& value) { return ask_unsigned(t_.power, device, milli, value); });
    add(card, "gpu.clock_event_reasons", readings, [&](double& value) {
      Wide bits = 0;
      const int code = t_.event_reasons(device, &bits);
      value = static_cast<double>(bits);
      return code;
    });
  }
}

void Sampler::read_slow(std::vector<Reading>& readings) {
  for (Card& card : cards_) {
    const Handle device = card.device;
    add(card, "gpu.temperature", readings, [&](double& value) {
      Temperature query{versioned(sizeof(Temperature), 1), 0, 0};
      int code = t_.temperature_v(device, &query);
      value = query.celsius;
      if (code == success || code == gpu_is_lost) return code;
      Unsigned celsius = 0;
      code = t_.temperature(device, 0, &celsius);
      value = celsius;
      return code;
    });
    add(card, "gpu.memory_clock", readings, [&](double& value) { return ask_clock(t_, device, memory_clock, value); });
    add(card, "gpu.utilization", readings, [&](double& value) {
      Utilization share{};
      const int code = t_.utilization(device, &share);
      value = percent * share.gpu;
      return code;
    });
    add(card, "gpu.memory_used", readings, [&](double& value) {
      MemoryV2 memory;
      const int code = t_.memory_v2(device, &memory);
      value = static_cast<double>(memory.used);
      return code;
    });
    add(card, "gpu.pcie_generation", readings,
        [&](double& value) { return ask_unsigned(t_.pcie_generation, device, 1, value); });
    add(card, "gpu.pcie_width", readings, [&](double& value) { return ask_unsigned(t_.pcie_width, device, 1, value); });
  }
}

void Sampler::read_counters(std::vector<Reading>& readings) {
  for (Card& card : cards_) {
    const Handle device = card.device;
    add(card, "gpu.ecc_uncorrected", readings, [&](double& value) {
      Wide count = 0;
      const int code = t_.ecc_errors(device, uncorrected_errors, since_load, &count);
      value = static_cast<double>(count);
      return code;
    });
    add(card, "gpu.pcie_replays", readings,
        [&](double& value) { return ask_unsigned(t_.pcie_replays, device, 1, value); });
    add_link_errors(card, readings);
  }
}

void Sampler::add_link_errors(Card& card, std::vector<Reading>& readings) {
  if (card.links.empty()) return;
  add(card, "gpu.nvlink_errors", readings, [&](double& value) {
    int answer = not_supported;
    for (const Unsigned link : card.links) {
      for (const LinkCounter counter : {link_replays, link_recoveries, link_crc_flit, link_crc_data}) {
        Wide count = 0;
        const int code = t_.link_errors(card.device, link, counter, &count);
        if (code == gpu_is_lost) return code;
        if (code != success) continue;
        value += static_cast<double>(count);
        answer = success;
      }
    }
    return answer;
  });
}

std::vector<int> Sampler::take_lost() { return std::exchange(newly_lost_, {}); }

}  // namespace assay::nvml
