#pragma once

#include <string>
#include <vector>

#include "analysis/locate/locate.hpp"
#include "analysis/locate/oversubscription.hpp"
#include "analysis/locate/stragglers.hpp"
#include "analysis/run_data.hpp"

namespace assay::locate {

/// Everything that a run tells about where its slowness comes from and how the machine is wired.
struct RunLocation {
  Names names;
  Localisation localisation;
  std::vector<Straggler> stragglers;
  std::vector<Oversubscription> oversubscription;
};

/// Pure. Stragglers have a bound of false alarms of their own (StragglerOptions).
[[nodiscard]] RunLocation locate_run(const RunData& run, const SearchOptions& options = {});

/// For people: culprits first, one sentence each; then the structure, then what was looked at and how finely.
[[nodiscard]] std::string location_text(const RunData& run, const RunLocation& location);
/// One JSON object, "assay.location/1" (docs/locate.md).
[[nodiscard]] std::string location_json(const RunData& run, const RunLocation& location);

}  // namespace assay::locate
