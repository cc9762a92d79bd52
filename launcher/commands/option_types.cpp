#include "launcher/commands/option_types.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <optional>

namespace assay {

namespace {

// `parse` gives an optional; an empty one is reported as "'TEXT' is not EXPECTED".
template <class Value, class Parse>
void add_parsed(CLI::App& command, const std::string& name, Value& value, const std::string& help, Parse parse,
                const std::string& expected, const std::string& type) {
  command
      .add_option_function<std::string>(
          name,
          [&value, parse, expected, name](const std::string& text) {
            const auto parsed = parse(text);
            if (!parsed) throw CLI::ValidationError(name, "'" + text + "' is not " + expected);
            value = *parsed;
          },
          help)
      ->type_name(type);
}

}  // namespace

void add_suite(CLI::App& command, Suite& suite) {
  add_parsed(command, "--suite", suite, "quick, standard or full (default quick)", parse_suite,
             "a suite: quick, standard, full", "SUITE");
}

void add_duration(CLI::App& command, const std::string& name, Seconds& value, const std::string& help) {
  const auto positive = [](const std::string& text) {
    const auto parsed = parse_duration(text);
    return parsed && parsed->value > 0 ? parsed : std::nullopt;
  };
  add_parsed(command, name, value, help, positive, "a duration above zero such as 90s, 5m or 1h30m", "TIME");
}

void add_number(CLI::App& command, const std::string& name, std::uint64_t& value, const std::string& help) {
  // CLI11's own conversion takes "-1" and overflowing numbers for large ones.
  const auto parse = [](const std::string& text) -> std::optional<std::uint64_t> {
    std::uint64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
  };
  add_parsed(command, name, value, help, parse, "a whole number from 0 to 2^64 - 1", "NUMBER");
}

void add_bytes(CLI::App& command, const std::string& name, std::uint64_t& value, const std::string& help) {
  add_parsed(command, name, value, help, parse_bytes, "a size such as 4096, 64KiB or 1GB", "SIZE");
}

void add_gpu_use(CLI::App& command, GpuUse& use) {
  add_parsed(command, "--gpu", use,
             "auto: measure GPUs where there are some; require: fail without; off (default auto)", parse_gpu_use,
             "one of auto, require, off", "USE");
}

void add_machine_overlay(CLI::App& command, std::filesystem::path& directory) {
  constexpr const char* hidden = "";
  command.add_option("--machine-overlay", directory, "Facts about hosts in DIR/HOST stand before the machine's own")
      ->type_name("DIR")
      ->group(hidden);
}

}  // namespace assay
