#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// What a number measures. Values are always in the SI base named here; GB = 1e9 bytes, GiB = 2^30 bytes.
enum class Dimension {
  ratio,                  ///< 1
  count,                  ///< pieces
  bytes,                  ///< byte
  seconds,                ///< second
  bytes_per_second,       ///< byte/s; needs a Direction when it is a link's
  flops_per_second,       ///< floating-point operations/s
  operations_per_second,  ///< I/O operations/s
};

/// Which way data moves. `both_ways` counts the sum of the two directions.
enum class Direction { none, one_way, both_ways };

/// A number with its dimension as type. `value` is in the SI base unit of D.
template <Dimension D>
struct Quantity {
  static constexpr Dimension dimension = D;
  double value = 0;

  constexpr Quantity() = default;
  constexpr explicit Quantity(double v) : value(v) {}

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator+(Quantity other) const { return Quantity(value + other.value); }
  constexpr Quantity operator-(Quantity other) const { return Quantity(value - other.value); }
  constexpr Quantity operator*(double factor) const { return Quantity(value * factor); }
  constexpr Quantity operator/(double divisor) const { return Quantity(value / divisor); }
  constexpr double operator/(Quantity other) const { return value / other.value; }
};

using Bytes = Quantity<Dimension::bytes>;
using Seconds = Quantity<Dimension::seconds>;
using BytesPerSecond = Quantity<Dimension::bytes_per_second>;
using FlopsPerSecond = Quantity<Dimension::flops_per_second>;
using OperationsPerSecond = Quantity<Dimension::operations_per_second>;

constexpr BytesPerSecond operator/(Bytes bytes, Seconds time) { return BytesPerSecond(bytes.value / time.value); }
constexpr Seconds operator/(Bytes bytes, BytesPerSecond rate) { return Seconds(bytes.value / rate.value); }

/// A unit as a person writes it: "GB/s", "GiB", "Gbit/s", "us", "GFLOP/s", "kIOPS", "%", "cores".
struct Unit {
  Dimension dimension;
  double scale;  ///< base units in one of this unit
};

/// Nothing when the text names no unit. Exact match; "Gb/s" is refused since it is misread as GB/s.
[[nodiscard]] std::optional<Unit> parse_unit(std::string_view text);

/// All accepted unit names of one dimension, for error messages: "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB".
[[nodiscard]] std::string unit_names(Dimension dimension);

/// "12.3 GB/s", "0.41 us", "1.5 GiB" (bytes binary), three significant digits; never in exponents; "n/a" for NaN.
[[nodiscard]] std::string format_quantity(double value, Dimension dimension);

template <Dimension D>
[[nodiscard]] std::string to_string(Quantity<D> quantity) {
  return format_quantity(quantity.value, D);
}

/// A size such as "4096", "64KiB", "4MiB", "1GB"; nothing when malformed, negative, or not whole bytes.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// A duration such as "90", "90s", "5m", "1h30m", "250ms"; nothing when malformed or negative.
[[nodiscard]] std::optional<Seconds> parse_duration(std::string_view text);

[[nodiscard]] std::string_view to_string(Dimension dimension);
[[nodiscard]] std::string_view to_string(Direction direction);  ///< "none", "one_way", "both_ways"
[[nodiscard]] std::optional<Direction> parse_direction(std::string_view text);

}  // namespace assay
