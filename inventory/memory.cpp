#include "inventory/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inventory/text.hpp"

namespace assay {
namespace {

using Count = Fact<std::int64_t>;

Count read_meminfo(const SystemRoot& root, std::string_view key) {
  const auto info = root.read("/proc/meminfo");
  if (!info.known()) return Count::unknown(info.why());
  const auto fields = words(field(info.value(), key).value_or(""));
  const auto kibibytes = fields.size() == 2 && fields[1] == "kB" ? parse_integer(fields[0]) : std::nullopt;
  if (!kibibytes) return Count::unknown(fmt::format("/proc/meminfo: no {} in kB", key));
  return *kibibytes * 1024;
}

Count read_granted(const Count& installed, const CgroupLimits& limits) {
  if (!installed.known()) return installed;
  if (!limits.memory.known()) return Count::unknown(limits.memory.why());
  if (std::isinf(limits.memory.value())) return installed;
  return std::min(installed.value(), static_cast<std::int64_t>(limits.memory.value()));
}

Count read_huge_pages(const SystemRoot& root) {
  const std::string directory = "/sys/kernel/mm/hugepages";
  if (!root.exists(directory)) return Count::unknown(directory + ": not there");
  std::int64_t bytes = 0;
  for (const auto& size : root.list(directory)) {  // "hugepages-2048kB"
    const auto digits = size.find_first_of("0123456789");
    const auto unit = size.find("kB");
    if (digits == std::string::npos || unit == std::string::npos) continue;
    const auto kibibytes = parse_integer(std::string_view(size).substr(digits, unit - digits));
    const auto pages = root.read_integer(fmt::format("{}/{}/nr_hugepages", directory, size));
    if (!pages.known()) return pages;
    bytes += kibibytes.value_or(0) * 1024 * pages.value();
  }
  return bytes;
}

Fact<std::string> read_transparent_huge_pages(const SystemRoot& root) {
  const auto text = root.read("/sys/kernel/mm/transparent_hugepage/enabled");
  if (!text.known()) return text;
  const auto chosen = bracketed(text.value());
  if (!chosen) return Fact<std::string>::unknown("/sys/kernel/mm/transparent_hugepage/enabled: nothing is chosen");
  return *chosen;
}

/// Lines such as "Max locked memory         8388608              8388608              bytes".
Count read_limit(const SystemRoot& root, std::string_view name) {
  const auto limits = root.read("/proc/self/limits");
  if (!limits.known()) return Count::unknown(limits.why());
  for (const auto& line : split(limits.value(), '\n')) {
    if (!line.starts_with(name)) continue;
    const auto fields = words(std::string_view(line).substr(name.size()));
    if (fields.empty()) break;
    if (fields[0] == "unlimited") return LimitFacts::unlimited;
    if (const auto value = parse_integer(fields[0])) return *value;
  }
  return Count::unknown(fmt::format("/proc/self/limits: no '{}'", name));
}

}  // namespace

MemoryFacts read_memory(const SystemRoot& root, const CgroupLimits& limits) {
  MemoryFacts memory;
  memory.installed = read_meminfo(root, "MemTotal");
  memory.granted = read_granted(memory.installed, limits);
  memory.swap = read_meminfo(root, "SwapTotal");
  memory.huge_pages = read_huge_pages(root);
  memory.transparent_huge_pages = read_transparent_huge_pages(root);
  const auto shm = root.space("/dev/shm");
  memory.shm = shm.known() ? Count(shm.value().total) : Count::unknown(shm.why());
  return memory;
}

LimitFacts read_limits(const SystemRoot& root) {
  return {read_limit(root, "Max locked memory"), read_limit(root, "Max open files")};
}

}  // namespace assay
