#pragma once

#include <optional>
#include <string>
#include <utility>

namespace assay {

/// Something that was found out about the machine, or why it could not be: nothing is ever filled in for it.
template <class T>
class Fact {
 public:
  Fact() = default;
  Fact(T value) : value_(std::move(value)), why_() {}

  [[nodiscard]] static Fact unknown(std::string why) {
    Fact fact;
    fact.why_ = std::move(why);
    return fact;
  }

  [[nodiscard]] bool known() const { return value_.has_value(); }
  /// Only when known().
  [[nodiscard]] const T& value() const { return *value_; }
  [[nodiscard]] T value_or(T other) const { return value_.value_or(std::move(other)); }
  /// Why it is unknown; empty when known.
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  std::optional<T> value_;
  std::string why_ = "not looked for";
};

}  // namespace assay
