#pragma once

#include <string_view>
#include <vector>

#include "core/case.hpp"

namespace assay {

/// All known cases, sorted by name, so that every rank has the same order.
class Registry {
 public:
  /// Throws Error(environment) for a bad or duplicate name, or a missing make or axes function.
  void add(CaseInfo info);
  [[nodiscard]] const std::vector<CaseInfo>& cases() const { return cases_; }
  [[nodiscard]] const CaseInfo* find(std::string_view name) const;

 private:
  std::vector<CaseInfo> cases_;
};

/// The program's registry, filled before main by the `Register` objects linked in.
[[nodiscard]] Registry& builtin_cases();

struct Register {
  explicit Register(CaseInfo info) { builtin_cases().add(std::move(info)); }
};

}  // namespace assay
