#pragma once

#include <string>
#include <string_view>

#include "inventory/facts.hpp"

namespace assay {

/// First line of everything that is shown of emulated hardware.
inline constexpr std::string_view emulated_notice =
    "EMULATED: hardware is modelled in software; nothing here is evidence about real hardware";

/// GPUs for people: a table, links, processes, what was not read and why.
[[nodiscard]] std::string gpus_text(const NodeFacts& facts);

/// The matrix of distances between GPUs and NICs; empty without GPUs.
[[nodiscard]] std::string distances_text(const NodeFacts& facts);

/// "HW slowdown, SW thermal" for the bits of clocks' event reasons; "none" for no bit.
[[nodiscard]] std::string reason_names(std::int64_t bits);

}  // namespace assay
