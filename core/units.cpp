#include "core/units.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace assay {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double kib = 1024.0;

struct NamedUnit {
  std::string_view name;
  Dimension dimension;
  double scale;       ///< base units in one of this unit
  double shown_from;  ///< smallest magnitude, in base units, that format_quantity shows in this unit
};

/// Ascending within a dimension. Link rates in bits are accepted, since ports are sold in them, and never shown.
constexpr std::array units{
    NamedUnit{"ratio", Dimension::ratio, 1, never},
    NamedUnit{"%", Dimension::ratio, 0.01, 0},

    NamedUnit{"count", Dimension::count, 1, never},
    NamedUnit{"cores", Dimension::count, 1, never},
    NamedUnit{"nodes", Dimension::count, 1, never},
    NamedUnit{"GPUs", Dimension::count, 1, never},
    NamedUnit{"NICs", Dimension::count, 1, never},
    NamedUnit{"disks", Dimension::count, 1, never},

    NamedUnit{"B", Dimension::bytes, 1, 0},
    NamedUnit{"kB", Dimension::bytes, 1e3, never},
    NamedUnit{"MB", Dimension::bytes, 1e6, never},
    NamedUnit{"GB", Dimension::bytes, 1e9, never},
    NamedUnit{"TB", Dimension::bytes, 1e12, never},
    NamedUnit{"KiB", Dimension::bytes, kib, kib},
    NamedUnit{"MiB", Dimension::bytes, kib* kib, kib* kib},
    NamedUnit{"GiB", Dimension::bytes, kib* kib* kib, kib* kib* kib},
    NamedUnit{"TiB", Dimension::bytes, kib* kib* kib* kib, kib* kib* kib* kib},

    NamedUnit{"ns", Dimension::seconds, 1e-9, 0},
    NamedUnit{"us", Dimension::seconds, 1e-6, 1e-7},
    NamedUnit{"ms", Dimension::seconds, 1e-3, 1e-3},
    NamedUnit{"s", Dimension::seconds, 1, 1},
    NamedUnit{"min", Dimension::seconds, 60, 120},
    NamedUnit{"h", Dimension::seconds, 3600, 7200},

    NamedUnit{"B/s", Dimension::bytes_per_second, 1, 0},
    NamedUnit{"kB/s", Dimension::bytes_per_second, 1e3, 1e3},
    NamedUnit{"MB/s", Dimension::bytes_per_second, 1e6, 1e6},
    NamedUnit{"GB/s", Dimension::bytes_per_second, 1e9, 1e9},
    NamedUnit{"TB/s", Dimension::bytes_per_second, 1e12, 1e12},
    NamedUnit{"KiB/s", Dimension::bytes_per_second, kib, never},
    NamedUnit{"MiB/s", Dimension::bytes_per_second, kib* kib, never},
    NamedUnit{"GiB/s", Dimension::bytes_per_second, kib* kib* kib, never},
    NamedUnit{"Mbit/s", Dimension::bytes_per_second, 1e6 / 8, never},
    NamedUnit{"Gbit/s", Dimension::bytes_per_second, 1e9 / 8, never},
    NamedUnit{"Tbit/s", Dimension::bytes_per_second, 1e12 / 8, never},

    NamedUnit{"FLOP/s", Dimension::flops_per_second, 1, 0},
    NamedUnit{"MFLOP/s", Dimension::flops_per_second, 1e6, 1e6},
    NamedUnit{"GFLOP/s", Dimension::flops_per_second, 1e9, 1e9},
    NamedUnit{"TFLOP/s", Dimension::flops_per_second, 1e12, 1e12},
    NamedUnit{"PFLOP/s", Dimension::flops_per_second, 1e15, 1e15},
    NamedUnit{"TOP/s", Dimension::flops_per_second, 1e12, never},
    NamedUnit{"POP/s", Dimension::flops_per_second, 1e15, never},

    NamedUnit{"IOPS", Dimension::operations_per_second, 1, 0},
    NamedUnit{"kIOPS", Dimension::operations_per_second, 1e3, 1e3},
    NamedUnit{"MIOPS", Dimension::operations_per_second, 1e6, 1e6},
};

/// A decimal number without sign or exponent: mantissa / 10^fraction_digits.
struct Decimal {
  std::uint64_t mantissa = 0;
  int fraction_digits = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes "12" or "1.5" off the front of `text`; nothing when there is none or it has more digits than 64 bits hold.
std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal result;
  std::size_t used = 0;
  bool point = false;
  for (; used < text.size(); ++used) {
    const char c = text[used];
    if (c == '.' && !point && used > 0) {
      point = true;
      continue;
    }
    if (!is_digit(c)) break;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (result.mantissa > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return std::nullopt;
    result.mantissa = result.mantissa * 10 + digit;
    result.fraction_digits += point ? 1 : 0;
  }
  if (used == 0 || !is_digit(text[used - 1])) return std::nullopt;
  text.remove_prefix(used);
  return result;
}

/// Three significant digits, trailing zeros of the fraction dropped, never an exponent.
std::string format_number(double value) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{}", value);
  constexpr int most_decimals = 9;
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  const int decimals = std::min(std::max(0, 2 - magnitude), most_decimals);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

}  // namespace

std::optional<Unit> parse_unit(std::string_view text) {
  for (const NamedUnit& unit : units) {
    if (unit.name == text) return Unit{unit.dimension, unit.scale};
  }
  return std::nullopt;
}

std::string unit_names(Dimension dimension) {
  std::string names;
  for (const NamedUnit& unit : units) {
    if (unit.dimension != dimension) continue;
    if (!names.empty()) names += ", ";
    names += unit.name;
  }
  return names;
}

std::string format_quantity(double value, Dimension dimension) {
  if (std::isnan(value)) return "n/a";
  if (dimension == Dimension::count) {
    return value == std::round(value) ? fmt::format("{:.0f}", value) : format_number(value);
  }
  // 999.6 MB/s would print as "1000 MB/s": what rounds up to the next unit is shown in it.
  constexpr double rounds_up = 0.9995;
  const NamedUnit* chosen = nullptr;
  for (const NamedUnit& unit : units) {
    if (unit.dimension != dimension || unit.shown_from == never) continue;
    if (chosen == nullptr || std::abs(value) >= rounds_up * unit.shown_from) chosen = &unit;
  }
  return fmt::format("{} {}", format_number(value / chosen->scale), chosen->name);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  auto number = take_decimal(text);
  if (!number) return std::nullopt;
  const auto unit = text.empty() ? std::optional(Unit{Dimension::bytes, 1}) : parse_unit(text);
  if (!unit || unit->dimension != Dimension::bytes) return std::nullopt;
  // Exact: every step is a whole number below 2^64 (a long double's mantissa), the last one a single rounded division.
  const auto scaled = static_cast<long double>(number->mantissa) * static_cast<long double>(unit->scale);
  const long double bytes = scaled / std::pow(10.0L, number->fraction_digits);
  constexpr long double limit = 18446744073709551616.0L;  // 2^64
  if (bytes >= limit || bytes != std::floor(bytes)) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::optional<Seconds> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> parts{{{"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 1e-3}}};
  double seconds = 0;
  std::size_t next_part = 0;
  bool first = true;
  do {
    const auto number = take_decimal(text);
    if (!number) return std::nullopt;
    const double value = static_cast<double>(number->mantissa) / std::pow(10.0, number->fraction_digits);
    if (first && text.empty()) return Seconds(value);
    std::size_t letters = 0;
    while (letters < text.size() && !is_digit(text[letters])) ++letters;
    while (next_part < parts.size() && parts[next_part].first != text.substr(0, letters)) ++next_part;
    if (next_part == parts.size()) return std::nullopt;
    seconds += value * parts[next_part++].second;
    text.remove_prefix(letters);
    first = false;
  } while (!text.empty());
  return Seconds(seconds);
}

std::string_view to_string(Dimension dimension) {
  switch (dimension) {
    case Dimension::ratio:
      return "ratio";
    case Dimension::count:
      return "count";
    case Dimension::bytes:
      return "bytes";
    case Dimension::seconds:
      return "seconds";
    case Dimension::bytes_per_second:
      return "bytes_per_second";
    case Dimension::flops_per_second:
      return "flops_per_second";
    case Dimension::operations_per_second:
      return "operations_per_second";
  }
  return "unknown";
}

std::string_view to_string(Direction direction) {
  switch (direction) {
    case Direction::none:
      return "none";
    case Direction::one_way:
      return "one_way";
    case Direction::both_ways:
      return "both_ways";
  }
  return "unknown";
}

std::optional<Direction> parse_direction(std::string_view text) {
  for (const Direction direction : {Direction::none, Direction::one_way, Direction::both_ways}) {
    if (to_string(direction) == text) return direction;
  }
  return std::nullopt;
}

}  // namespace assay
