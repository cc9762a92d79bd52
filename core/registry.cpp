#include "core/registry.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace assay {

namespace {

constexpr std::size_t longest_name = 47;

bool valid_name(const std::string& name) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; };
  return !name.empty() && name.size() <= longest_name && std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace

void Registry::add(CaseInfo info) {
  if (!valid_name(info.name))
    throw environment_error("case name '" + info.name + "' is not [a-z0-9_.]{1,47}", "rename it in its file");
  if (!info.axes || !info.make || !info.sets)
    throw environment_error("case '" + info.name + "' lacks axes, sets or make", "fill them in its file");
  const auto place = std::lower_bound(cases_.begin(), cases_.end(), info.name,
                                      [](const CaseInfo& known, const std::string& name) { return known.name < name; });
  if (place != cases_.end() && place->name == info.name)
    throw environment_error("two cases are called '" + info.name + "'", "rename one of them");
  cases_.insert(place, std::move(info));
}

const CaseInfo* Registry::find(std::string_view name) const {
  const auto found =
      std::find_if(cases_.begin(), cases_.end(), [&](const CaseInfo& info) { return info.name == name; });
  return found == cases_.end() ? nullptr : &*found;
}

Registry& builtin_cases() {
  static Registry registry;
  return registry;
}

}  // namespace assay
