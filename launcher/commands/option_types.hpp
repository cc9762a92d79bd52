#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/case.hpp"
#include "core/units.hpp"
#include "launcher/run/options.hpp"

namespace CLI {
class App;
}

namespace assay {

/// Options whose text is checked while the command line is parsed; a bad one is a usage error (exit code 2).
void add_suite(CLI::App& command, Suite& suite);
void add_duration(CLI::App& command, const std::string& name, Seconds& value, const std::string& help);
void add_bytes(CLI::App& command, const std::string& name, std::uint64_t& value, const std::string& help);

void add_number(CLI::App& command, const std::string& name, std::uint64_t& value, const std::string& help);

void add_gpu_use(CLI::App& command, GpuUse& use);

/// --machine-overlay DIR, not shown in the help: made-up facts about each host, DIR/HOST/sys/... before /sys/...
void add_machine_overlay(CLI::App& command, std::filesystem::path& directory);

}  // namespace assay
