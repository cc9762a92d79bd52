#include "core/point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.hpp"

namespace assay {

std::optional<Point> Point::parse(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> values;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('/'));
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == part.size()) return std::nullopt;
    values.emplace_back(part.substr(0, colon), part.substr(colon + 1));
    if (part.size() == text.size()) break;
    text.remove_prefix(part.size() + 1);
    if (text.empty()) return std::nullopt;
  }
  return Point(std::move(values));
}

const std::string& Point::get(std::string_view axis) const {
  const auto found =
      std::find_if(values_.begin(), values_.end(), [&](const auto& value) { return value.first == axis; });
  if (found == values_.end())
    throw environment_error(fmt::format("point '{}' has no axis '{}'", text(), axis),
                            "the case asks for an axis that it does not declare");
  return found->second;
}

std::uint64_t Point::integer(std::string_view axis) const {
  const std::string& value = get(axis);
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (code != std::errc{} || end != value.data() + value.size())
    throw environment_error(fmt::format("axis '{}' of point '{}' is not a whole number", axis, text()));
  return number;
}

bool Point::has(std::string_view axis) const {
  return std::any_of(values_.begin(), values_.end(), [&](const auto& value) { return value.first == axis; });
}

std::string Point::text() const {
  std::string result;
  for (const auto& [axis, value] : values_) {
    if (!result.empty()) result += '/';
    result += axis + ':' + value;
  }
  return result;
}

}  // namespace assay
