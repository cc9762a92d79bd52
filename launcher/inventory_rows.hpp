#pragma once

#include <cstdint>
#include <vector>

#include "inventory/facts.hpp"
#include "results/record.hpp"

namespace assay {

/// Facts about node number `node` as rows of the record. What is unknown becomes -1 in whole numbers (memlock_bytes:
/// -2, since -1 is "unlimited" there), NaN in others and empty in texts.
[[nodiscard]] results::NodeRow node_row(const NodeFacts& facts, std::int32_t node);
[[nodiscard]] std::vector<results::NicRow> nic_rows(const NodeFacts& facts, std::int32_t node);
/// GPUs of the node without what only ranks know (rank, multiprocessors). `foreign`: processes on each GPU that are not
/// of this run, in the order of the GPUs.
[[nodiscard]] std::vector<results::GpuRow> gpu_rows(const NodeFacts& facts, std::int32_t node,
                                                    const std::vector<Fact<std::int64_t>>& foreign);
[[nodiscard]] std::vector<results::NvlinkRow> nvlink_rows(const NodeFacts& facts, std::int32_t node);
[[nodiscard]] std::vector<results::DistanceRow> distance_rows(const NodeFacts& facts, std::int32_t node);
[[nodiscard]] std::vector<results::DiskRow> disk_rows(const NodeFacts& facts, std::int32_t node);
[[nodiscard]] std::vector<results::SoftwareRow> software_rows(const NodeFacts& facts, std::int32_t node);

}  // namespace assay
