#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "inventory/facts.hpp"
#include "inventory/system_root.hpp"

namespace assay {

/// Errors that the NVIDIA driver wrote into the kernel's log ("NVRM: Xid (PCI:0000:3b:00): 79, ..."), oldest first.
/// Unknown where the log may not be read: it often needs root.
[[nodiscard]] Fact<std::vector<XidFacts>> read_xids(const SystemRoot& root);

/// One record of /dev/kmsg (kernel documentation, dev-kmsg): "6,1234,5678901,-;text", time in microseconds. Nothing
/// when it tells of no Xid. `now`: monotonic seconds.
[[nodiscard]] std::optional<XidFacts> parse_xid(std::string_view record, double now);

/// What a code means, in a few words; empty for most.
[[nodiscard]] std::string_view xid_meaning(std::int64_t code);

}  // namespace assay
