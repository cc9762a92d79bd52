#pragma once

#include <string>

#include "inventory/facts.hpp"

namespace assay {

/// Facts for people: groups of aligned lines with units; what is unknown says why. Ends with a newline.
[[nodiscard]] std::string inventory_table(const NodeFacts& facts);

}  // namespace assay
