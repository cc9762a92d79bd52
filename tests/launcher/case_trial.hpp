#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "core/registry.hpp"

namespace assay::testing {

/// What a conformance test runs in. References outlive it.
struct TrialGround {
  Group& world;
  const Layout& layout;
  BufferPool& buffers;
  std::filesystem::path path;
  std::vector<int> cpus;     ///< of this rank
  Device* device = nullptr;  ///< of this rank
};

/// CPUs that this process may use.
[[nodiscard]] std::vector<int> usable_cpus();

/// Runs every point of every case of the registry that the layout serves: described, makes, runs, verifies, and its
/// verify() notices planted corruption. Prints failures on rank 0; the number of failures, or 1 when there was no
/// point.
[[nodiscard]] int check_all_cases(const TrialGround& ground, const Registry& registry, Suite suite);

}  // namespace assay::testing
