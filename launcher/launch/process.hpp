#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace assay {

using Arguments = std::vector<std::string>;  ///< a program and what it is given, as argv

struct ProcessResult {
  bool timed_out = false;  ///< killed, with all that it started in its process group
  int exit_code = 0;       ///< 128 + N after signal N; 127 when the program could not be started
  std::string output;      ///< its standard output
  std::string errors;      ///< its standard error, or why it could not be started
};

/// Runs a program with no input and collects what it prints.
[[nodiscard]] ProcessResult run_process(const Arguments& arguments, Seconds timeout);

/// The same for many, up to 64 at a time; each has its own timeout. Results in the order of the commands.
[[nodiscard]] std::vector<ProcessResult> run_processes(const std::vector<Arguments>& commands, Seconds timeout);

/// This process becomes the program. Throws Error(environment) when that fails; does not return otherwise.
[[noreturn]] void become(const Arguments& arguments);

/// Absolute path of a program as PATH has it; nothing when it is in no directory of PATH.
[[nodiscard]] std::optional<std::string> find_program(const std::string& name);

/// One word for a POSIX shell; quoted only when it has to be.
[[nodiscard]] std::string shell_word(std::string_view text);

/// A command line that a POSIX shell takes apart into exactly these arguments.
[[nodiscard]] std::string shell_line(const Arguments& arguments);

}  // namespace assay
