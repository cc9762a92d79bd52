#include "inventory/kernel_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "core/clock.hpp"
#include "inventory/pci.hpp"
#include "inventory/text.hpp"

namespace assay {
namespace {

constexpr const char* log_path = "/dev/kmsg";
// Longest record of /dev/kmsg: 8 KiB.
constexpr std::size_t record_bytes = 8192;
constexpr std::string_view mark = "NVRM: Xid (";

class File {
 public:
  explicit File(const std::filesystem::path& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Everything that is in the log now. The device gives one record for each read and EPIPE for one that was lost.
Fact<std::string> read_log(const SystemRoot& root) {
  const auto refused = [](int error) {
    return Fact<std::string>::unknown(std::string(log_path) + ": " + std::generic_category().message(error));
  };
  const File file(root.at(log_path));
  if (file.descriptor() < 0) return refused(errno);
  std::string text;
  std::array<char, record_bytes> record{};
  while (true) {
    const ssize_t length = read(file.descriptor(), record.data(), record.size());
    if (length > 0) text.append(record.data(), static_cast<std::size_t>(length));
    if (length == 0 || (length < 0 && errno == EAGAIN)) return text;
    if (length < 0 && errno != EPIPE && errno != EINTR) return refused(errno);
  }
}

}  // namespace

std::optional<XidFacts> parse_xid(std::string_view record, double now) {
  const auto found = record.find(mark);
  const auto semicolon = record.find(';');
  if (found == std::string_view::npos || semicolon == std::string_view::npos || semicolon > found) return std::nullopt;
  const auto closing = record.find("):", found);
  if (closing == std::string_view::npos) return std::nullopt;
  XidFacts xid;
  xid.text = std::string(trim(record.substr(semicolon + 1)));
  auto place = record.substr(found + mark.size(), closing - found - mark.size());
  if (place.rfind("PCI:", 0) == 0) place.remove_prefix(4);
  xid.pci_bus_id = normal_pci_address(place);
  // The driver leaves the function out.
  if (xid.pci_bus_id.find('.') == std::string::npos) xid.pci_bus_id += ".0";
  xid.code = std::strtoll(std::string(record.substr(closing + 2)).c_str(), nullptr, 10);
  const auto head = split(record.substr(0, semicolon), ',');
  const auto microseconds = head.size() > 2 ? parse_integer(head[2]) : std::nullopt;
  xid.age = microseconds ? now - 1e-6 * static_cast<double>(*microseconds) : 0;
  return xid;
}

Fact<std::vector<XidFacts>> read_xids(const SystemRoot& root) {
  const auto log = read_log(root);
  if (!log.known()) return Fact<std::vector<XidFacts>>::unknown(log.why());
  std::vector<XidFacts> xids;
  const double now = monotonic_seconds();
  for (const auto& record : split(log.value(), '\n'))
    if (auto xid = parse_xid(record, now)) xids.push_back(std::move(*xid));
  return xids;
}

std::string_view xid_meaning(std::int64_t code) {
  struct Meaning {
    std::int64_t code;
    std::string_view text;
  };
  static constexpr std::array<Meaning, 14> meanings{{{13, "graphics engine exception"},
                                                     {31, "memory page fault"},
                                                     {43, "stopped processing"},
                                                     {45, "preemptive cleanup, follows another error"},
                                                     {48, "double-bit memory error"},
                                                     {61, "internal micro-controller breakpoint"},
                                                     {62, "internal micro-controller halt"},
                                                     {63, "row remapping or page retirement recorded"},
                                                     {64, "row remapping or page retirement failed"},
                                                     {74, "NVLink error"},
                                                     {79, "GPU has fallen off the bus"},
                                                     {92, "high rate of single-bit memory errors"},
                                                     {94, "contained memory error"},
                                                     {95, "uncontained memory error"}}};
  const auto found =
      std::find_if(meanings.begin(), meanings.end(), [&](const Meaning& one) { return one.code == code; });
  return found == meanings.end() ? std::string_view() : found->text;
}

}  // namespace assay
