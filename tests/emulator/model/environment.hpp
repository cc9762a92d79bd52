#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace emulator {

/// A cluster file, fault or environment variable that cannot be used; the message names file and line.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Says why on stderr and ends the process with exit code 99.
[[noreturn]] void give_up(const std::string& why);

/// The environment variable; empty when it is unset.
std::string environment(const char* name);

/// Directory of what the processes of a job share: ASSAY_EMULATOR_STATE, else one of this process alone, which is made
/// at the first call and removed at its end.
const std::filesystem::path& state_directory();

}  // namespace emulator
