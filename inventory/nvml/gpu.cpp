// Everything that the library tells about one GPU.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "inventory/nvml/nvml.hpp"
#include "inventory/pci.hpp"

namespace assay::nvml {

namespace {

using Text = Fact<std::string>;
using Count = Fact<std::int64_t>;
using Number = Fact<double>;
using YesNo = Fact<bool>;

constexpr double hertz_per_megahertz = 1e6;
constexpr double watts_per_milliwatt = 1e-3;

/// Asks about one GPU and notices when it is lost.
class Reader {
 public:
  Reader(const Library& library, Handle device) : library_(library), t_(library.table()), device_(device) {}

  [[nodiscard]] GpuFacts read();

 private:
  /// Calls `function(device, arguments..., &value)`; `turn` makes the fact of the value.
  template <class Value, class Signature, class Turn, class... Arguments>
  auto ask(const Function<Signature>& function, Turn turn, Arguments... arguments)
      -> Fact<decltype(turn(std::declval<Value>()))> {
    Value value{};
    const int code = function(device_, arguments..., &value);
    if (code == success) return turn(value);
    return unknown<decltype(turn(value))>(function.name(), code);
  }
  template <class T>
  Fact<T> unknown(const char* function, int code) {
    if (code == gpu_is_lost) lost_ = true;
    return Fact<T>::unknown(library_.why(function, code));
  }

  Text text(const Table::Text& function, Unsigned bytes);
  Count count(const Table::OfDevice& function);
  Number clock(const Table::Call<Handle, Unsigned, Unsigned*>& function, ClockKind kind);
  Number watts(const Table::OfDevice& function);
  Count errors(EccKind kind, EccSpan span);
  /// The name of a small number; "code N" for one that is not known here.
  Text named(const Table::OfDevice& function, const std::vector<std::string>& names);

  void read_identity(GpuFacts& gpu);
  void read_memory(GpuFacts& gpu);
  void read_temperature(GpuFacts& gpu);
  void read_clocks(GpuClocks& clocks);
  void read_power(GpuPower& power);
  void read_health(GpuHealth& health);
  Count read_retired_pages();
  void read_pcie(GpuPcie& pcie);
  void read_modes(GpuFacts& gpu);
  void read_fabric(GpuFacts& gpu);

  const Library& library_;
  const Table& t_;
  Handle device_;
  bool lost_ = false;
};

Text Reader::text(const Table::Text& function, Unsigned bytes) {
  std::vector<char> buffer(bytes + 1, '\0');
  const int code = function(device_, buffer.data(), bytes);
  if (code != success) return unknown<std::string>(function.name(), code);
  return std::string(buffer.data());
}

Count Reader::count(const Table::OfDevice& function) {
  return ask<Unsigned>(function, [](Unsigned value) { return std::int64_t{value}; });
}

Number Reader::clock(const Table::Call<Handle, Unsigned, Unsigned*>& function, ClockKind kind) {
  return ask<Unsigned>(
      function, [](Unsigned megahertz) { return hertz_per_megahertz * megahertz; }, Unsigned{kind});
}

Number Reader::watts(const Table::OfDevice& function) {
  return ask<Unsigned>(function, [](Unsigned milliwatts) { return watts_per_milliwatt * milliwatts; });
}

Count Reader::errors(EccKind kind, EccSpan span) {
  return ask<Wide>(
      t_.ecc_errors, [](Wide value) { return static_cast<std::int64_t>(value); }, Unsigned{kind}, Unsigned{span});
}

Text Reader::named(const Table::OfDevice& function, const std::vector<std::string>& names) {
  return ask<Unsigned>(function, [&](Unsigned value) {
    return value < names.size() && !names[value].empty() ? names[value] : fmt::format("code {}", value);
  });
}

void Reader::read_identity(GpuFacts& gpu) {
  gpu.name = text(t_.name, name_bytes);
  gpu.uuid = text(t_.uuid, name_bytes);
  gpu.serial = text(t_.serial, serial_bytes);
  PciInfo pci{};
  const int code = t_.pci(device_, &pci);
  if (code == success) gpu.pci_bus_id = normal_pci_address(std::string(pci.bus_id));
  if (code != success) (void)unknown<int>(t_.pci.name(), code);
  int major = 0;
  int minor = 0;
  const int answer = t_.capability(device_, &major, &minor);
  gpu.capability = answer == success ? Count(10 * major + minor) : unknown<std::int64_t>(t_.capability.name(), answer);
}

void Reader::read_memory(GpuFacts& gpu) {
  MemoryV2 info;
  int code = t_.memory_v2(device_, &info);
  if (code != success && code != gpu_is_lost) {
    // The older structure counts what the driver keeps for itself as used.
    Memory old{};
    code = t_.memory(device_, &old);
    info.total = old.total;
    info.used = old.used;
  }
  if (code == success) {
    gpu.memory = static_cast<std::int64_t>(info.total);
    gpu.memory_used = static_cast<std::int64_t>(info.used);
  } else {
    gpu.memory = gpu.memory_used = unknown<std::int64_t>(t_.memory.name(), code);
  }
}

void Reader::read_temperature(GpuFacts& gpu) {
  Temperature query{versioned(sizeof(Temperature), 1), 0, 0};
  if (t_.temperature_v(device_, &query) == success) {
    gpu.temperature = static_cast<double>(query.celsius);
    return;
  }
  gpu.temperature = ask<Unsigned>(
      t_.temperature, [](Unsigned celsius) { return double{static_cast<double>(celsius)}; }, Unsigned{0});
}

void Reader::read_clocks(GpuClocks& clocks) {
  clocks.sm = clock(t_.clock, sm_clock);
  clocks.sm_max = clock(t_.clock_max, sm_clock);
  clocks.sm_application = clock(t_.clock_application, sm_clock);
  clocks.memory = clock(t_.clock, memory_clock);
  clocks.memory_max = clock(t_.clock_max, memory_clock);
  clocks.memory_application = clock(t_.clock_application, memory_clock);
  clocks.event_reasons = ask<Wide>(t_.event_reasons, [](Wide bits) { return static_cast<std::int64_t>(bits); });
  clocks.performance_state = count(t_.performance_state);
}

void Reader::read_power(GpuPower& power) {
  power.usage = watts(t_.power);
  power.limit = watts(t_.power_limit);
  power.limit_default = watts(t_.power_default);
  Unsigned least = 0;
  Unsigned most = 0;
  const int code = t_.power_bounds(device_, &least, &most);
  const bool known = code == success;
  power.limit_min = known ? Number(watts_per_milliwatt * least) : unknown<double>(t_.power_bounds.name(), code);
  power.limit_max = known ? Number(watts_per_milliwatt * most) : unknown<double>(t_.power_bounds.name(), code);
}

void Reader::read_health(GpuHealth& health) {
  Unsigned now = 0;
  Unsigned pending = 0;
  int code = t_.ecc_mode(device_, &now, &pending);
  health.ecc_enabled = code == success ? YesNo(now != 0) : unknown<bool>(t_.ecc_mode.name(), code);
  health.corrected = errors(corrected_errors, since_load);
  health.uncorrected = errors(uncorrected_errors, since_load);
  health.corrected_lifetime = errors(corrected_errors, lifetime);
  health.uncorrected_lifetime = errors(uncorrected_errors, lifetime);
  std::array<Unsigned, 4> rows{};
  code = t_.remapped_rows(device_, &rows[0], &rows[1], &rows[2], &rows[3]);
  if (code == success) {
    health.rows_remapped_corrected = std::int64_t{rows[0]};
    health.rows_remapped = std::int64_t{rows[1]};
    health.remap_pending = rows[2] != 0;
    health.remap_failed = rows[3] != 0;
  } else {
    health.rows_remapped_corrected = health.rows_remapped = unknown<std::int64_t>(t_.remapped_rows.name(), code);
    health.remap_pending = health.remap_failed = unknown<bool>(t_.remapped_rows.name(), code);
  }
  health.retired_pages = read_retired_pages();
}

Count Reader::read_retired_pages() {
  std::int64_t pages = 0;
  constexpr Unsigned causes = 2;  // several single-bit errors, one double-bit error
  for (Unsigned cause = 0; cause < causes; ++cause) {
    Unsigned number = 0;
    const int code = t_.retired_pages(device_, cause, &number, nullptr);
    if (code != success && code != insufficient_size) return unknown<std::int64_t>(t_.retired_pages.name(), code);
    pages += number;
  }
  return pages;
}

void Reader::read_pcie(GpuPcie& pcie) {
  pcie.generation = count(t_.pcie_generation);
  pcie.generation_max = count(t_.pcie_generation_max);
  pcie.width = count(t_.pcie_width);
  pcie.width_max = count(t_.pcie_width_max);
  pcie.replays = count(t_.pcie_replays);
}

void Reader::read_modes(GpuFacts& gpu) {
  gpu.utilization = ask<Utilization>(t_.utilization, [](const Utilization& share) { return 0.01 * share.gpu; });
  Unsigned now = 0;
  Unsigned pending = 0;
  const int code = t_.mig_mode(device_, &now, &pending);
  // A card that cannot be partitioned is not partitioned.
  gpu.mig = code == success         ? YesNo(now != 0)
            : code == not_supported ? YesNo(false)
                                    : unknown<bool>(t_.mig_mode.name(), code);
  gpu.persistence = ask<Unsigned>(t_.persistence, [](Unsigned on) { return on != 0; });
  gpu.compute_mode = named(t_.compute_mode, {"default", "exclusive_thread", "prohibited", "exclusive_process"});
  gpu.virtualization = named(t_.virtualization, {"none", "passthrough", "vgpu", "host_vgpu", "host_vsga"});
  read_fabric(gpu);
  gpu.nvlinks = read_nvlinks(library_, device_);
  gpu.processes = read_processes(library_, device_);
}

void Reader::read_fabric(GpuFacts& gpu) {
  static const std::array<const char*, 4> states{"not_supported", "not_started", "in_progress", "completed"};
  FabricInfoV2 info{};
  info.version = versioned(sizeof(FabricInfoV2), 2);
  int code = t_.fabric_v(device_, &info);
  if (code == function_not_found || code == argument_version_mismatch) {
    FabricInfo old{};
    code = t_.fabric(device_, &old);
    std::copy(std::begin(old.cluster), std::end(old.cluster), std::begin(info.cluster));
    info.clique = old.clique;
    info.state = old.state;
  }
  gpu.fabric_clique = Text::unknown("the card is in no completed fabric");
  if (code == not_supported) {
    gpu.fabric_state = std::string(states[0]);
    return;
  }
  if (code != success) {
    gpu.fabric_state = unknown<std::string>(t_.fabric_v.name(), code);
    return;
  }
  gpu.fabric_state = info.state < states.size() ? std::string(states[info.state]) : fmt::format("code {}", info.state);
  if (gpu.fabric_state.value() != "completed") return;
  std::string clique;
  for (const unsigned char byte : info.cluster) clique += fmt::format("{:02x}", byte);
  gpu.fabric_clique = fmt::format("{}.{}", clique, info.clique);
}

GpuFacts Reader::read() {
  GpuFacts gpu;
  read_identity(gpu);
  read_memory(gpu);
  read_temperature(gpu);
  read_clocks(gpu.clocks);
  read_power(gpu.power);
  read_health(gpu.health);
  read_pcie(gpu.pcie);
  read_modes(gpu);
  if (lost_) {
    gpu.state = GpuState::lost;
    gpu.problem = library_.why("NVML", gpu_is_lost);
  }
  return gpu;
}

}  // namespace

GpuFacts read_gpu(const Library& library, Handle device) { return Reader(library, device).read(); }

}  // namespace assay::nvml
