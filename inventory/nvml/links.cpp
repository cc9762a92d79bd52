// Links between GPUs, and who works on a GPU.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "inventory/nvml/nvml.hpp"
#include "inventory/pci.hpp"

namespace assay::nvml {

namespace {

using Count = Fact<std::int64_t>;

Count read_counter(const Library& library, Handle device, Unsigned link, LinkCounter counter) {
  Wide value = 0;
  const auto& call = library.table().link_errors;
  const int code = call(device, link, counter, &value);
  if (code != success) return Count::unknown(library.why(call.name(), code));
  return static_cast<std::int64_t>(value);
}

Count sum(const Count& a, const Count& b) {
  if (!a.known()) return a;
  if (!b.known()) return b;
  return a.value() + b.value();
}

void read_remote(const Library& library, Handle device, Unsigned link, NvlinkFacts& facts) {
  const Table& table = library.table();
  Unsigned kind = 0;
  int code = table.link_remote_kind(device, link, &kind);
  const char* name = kind == 0 ? "gpu" : kind == 1 ? "npu" : kind == 2 ? "switch" : "unknown kind";
  facts.remote_kind = code == success ? Fact<std::string>(name)
                                      : Fact<std::string>::unknown(library.why(table.link_remote_kind.name(), code));
  PciInfo pci{};
  code = table.link_remote(device, link, &pci);
  facts.remote = code == success ? Fact<std::string>(normal_pci_address(pci.bus_id))
                                 : Fact<std::string>::unknown(library.why(table.link_remote.name(), code));
}

NvlinkFacts read_link(const Library& library, Handle device, Unsigned link, bool active) {
  const Table& table = library.table();
  NvlinkFacts facts;
  facts.link = static_cast<int>(link);
  facts.active = active;
  Unsigned version = 0;
  const int code = table.link_version(device, link, &version);
  facts.version =
      code == success ? Count(std::int64_t{version}) : Count::unknown(library.why(table.link_version.name(), code));
  read_remote(library, device, link, facts);
  facts.replays = read_counter(library, device, link, link_replays);
  facts.recoveries = read_counter(library, device, link, link_recoveries);
  facts.crc_errors =
      sum(read_counter(library, device, link, link_crc_flit), read_counter(library, device, link, link_crc_data));
  return facts;
}

// Room for as many processes as a card will have, whichever structure the driver writes.
constexpr Unsigned most_processes = 256;
constexpr std::size_t largest_process = 64;

class ProcessList {
 public:
  /// The driver's code.
  int ask(const Table::Processes& call, Handle device) {
    std::fill(bytes_.begin(), bytes_.end(), untouched);
    count_ = most_processes;
    return call(device, &count_, bytes_.data());
  }
  [[nodiscard]] std::vector<GpuProcess> list(std::size_t stride) const {
    std::vector<GpuProcess> processes;
    for (std::size_t i = 0; i < count_; ++i) {
      ProcessStart start{};
      std::memcpy(&start, &bytes_[i * stride], sizeof(start));
      const bool known = start.used_memory != not_available;
      processes.push_back({start.pid, known ? Count(static_cast<std::int64_t>(start.used_memory))
                                            : Count::unknown("the driver does not tell")});
    }
    return processes;
  }
  /// Which of the structures of one name the driver wrote: the large one leaves traces where the small one ends.
  [[nodiscard]] std::size_t stride() const {
    const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(count_ * process_bytes);
    const auto to = bytes_.begin() + static_cast<std::ptrdiff_t>(count_ * process_bytes_large);
    const bool clean = std::all_of(from, to, [](unsigned char byte) { return byte == untouched; });
    return clean ? process_bytes : process_bytes_large;
  }

 private:
  static constexpr unsigned char untouched = 0xa5;
  std::vector<unsigned char> bytes_ = std::vector<unsigned char>(most_processes * largest_process);
  Unsigned count_ = 0;
};

}  // namespace

Fact<std::vector<NvlinkFacts>> read_nvlinks(const Library& library, Handle device) {
  using Links = Fact<std::vector<NvlinkFacts>>;
  const auto& call = library.table().link_state;
  std::vector<NvlinkFacts> links;
  for (Unsigned link = 0; link < most_links; ++link) {
    Unsigned active = 0;
    const int code = call(device, link, &active);
    if (code == success) {
      links.push_back(read_link(library, device, link, active != 0));
    } else if (code == invalid_argument || (code == not_supported && link == 0)) {
      break;  // beyond the last link of the card
    } else if (code != not_supported) {
      return Links::unknown(library.why(call.name(), code));
    }
  }
  return links;
}

Fact<std::vector<GpuProcess>> read_processes(const Library& library, Handle device) {
  using Processes = Fact<std::vector<GpuProcess>>;
  const Table& table = library.table();
  ProcessList processes;
  int code = processes.ask(table.processes_v3, device);
  if (code == success) return processes.list(processes.stride());
  if (code == function_not_found) code = processes.ask(table.processes_v2, device);
  if (code == success) return processes.list(process_bytes);
  if (code == function_not_found) {
    code = processes.ask(table.processes_v1, device);
    if (code == success) return processes.list(sizeof(ProcessStart));
  }
  if (code == insufficient_size) return Processes::unknown("more processes than can be listed");
  return Processes::unknown(library.why(table.processes_v3.name(), code));
}

}  // namespace assay::nvml
