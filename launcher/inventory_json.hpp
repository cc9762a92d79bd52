#pragma once

#include <nlohmann/json_fwd.hpp>

#include "inventory/facts.hpp"

namespace assay {

/// Facts for programs. Units stand in the keys. A value is null when unknown, and "unknown" then maps its JSON pointer
/// to the reason; quota_cpus and memlock_bytes may be "unlimited".
[[nodiscard]] nlohmann::ordered_json inventory_json(const NodeFacts& facts);

}  // namespace assay
