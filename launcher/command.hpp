#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace CLI {
class App;
}

namespace assay {

/// One subcommand of `assay`: options declared on a CLI11 subcommand, then executed. Errors are thrown as Error;
/// main prints them and returns their code.
class Command {
 public:
  virtual ~Command() = default;
  /// Adds the subcommand (name, description, options, examples in the footer) to `app` and returns it.
  virtual CLI::App* declare(CLI::App& app) = 0;
  virtual ExitCode execute() = 0;
};

/// argc/argv as the process got them, for the record of the run.
struct Invocation {
  std::vector<std::string> arguments;
};

[[nodiscard]] std::unique_ptr<Command> make_run_command(const Invocation& invocation);
[[nodiscard]] std::unique_ptr<Command> make_list_command();
[[nodiscard]] std::unique_ptr<Command> make_show_command();
[[nodiscard]] std::unique_ptr<Command> make_judge_command();
[[nodiscard]] std::unique_ptr<Command> make_locate_command();
[[nodiscard]] std::unique_ptr<Command> make_inventory_command();
[[nodiscard]] std::unique_ptr<Command> make_offer_command();
[[nodiscard]] std::unique_ptr<Command> make_launch_command(const Invocation& invocation);
/// Hidden: the child that tries one BLAS kernel.
[[nodiscard]] std::unique_ptr<Command> make_blas_trial_command();

/// Prints an error and its hint to stderr and returns its exit code.
int report_error(const Error& error, const std::string& place = {});

}  // namespace assay
