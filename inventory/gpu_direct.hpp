#pragma once

#include <vector>

#include "inventory/facts.hpp"
#include "inventory/system_root.hpp"

namespace assay {

/// What decides whether NICs reach GPU memory themselves, as rows of software: "gpu_direct.peermem",
/// "gpu_direct.dma_buf", "iommu", "pci.acs". A version of "unknown" has the reason in its detail.
[[nodiscard]] std::vector<SoftwareFacts> read_gpu_direct(const SystemRoot& root);

}  // namespace assay
