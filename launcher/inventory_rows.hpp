#pragma once

#include <cstdint>
#include <vector>

#include "inventory/facts.hpp"
#include "results/record.hpp"

namespace assay {

/// Facts of one node as rows of the result file. What is unknown stays recognisable: NaN, -1, 0 or empty text, as
/// docs/results.md says for the column.
[[nodiscard]] results::NodeRow node_row(const NodeFacts& facts, std::int32_t node);
[[nodiscard]] std::vector<results::NicRow> nic_rows(const NodeFacts& facts, std::int32_t node);
[[nodiscard]] std::vector<results::DiskRow> disk_rows(const NodeFacts& facts, std::int32_t node);
[[nodiscard]] std::vector<results::SoftwareRow> software_rows(const NodeFacts& facts, std::int32_t node);

}  // namespace assay
