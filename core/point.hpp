#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

/// One value for each axis of a case, in the order of the axes. Text form: "bytes:8/dtype:f64".
class Point {
 public:
  Point() = default;
  explicit Point(std::vector<std::pair<std::string, std::string>> values) : values_(std::move(values)) {}

  /// Inverse of text(); nothing when malformed.
  [[nodiscard]] static std::optional<Point> parse(std::string_view text);

  /// Throws Error(environment) naming the axis when it is absent: a case asked for an axis it did not declare.
  [[nodiscard]] const std::string& get(std::string_view axis) const;
  [[nodiscard]] std::uint64_t integer(std::string_view axis) const;
  [[nodiscard]] bool has(std::string_view axis) const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& values() const { return values_; }
  bool operator==(const Point&) const = default;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace assay
