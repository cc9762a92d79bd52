#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string_view>
#include <system_error>
#include <thread>

#include "launcher/command.hpp"
#include "launcher/run/options.hpp"
#include "launcher/version_text.hpp"

namespace {

using namespace assay;

std::vector<std::unique_ptr<Command>> all_commands(const Invocation& invocation) {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_run_command(invocation));
  commands.push_back(make_judge_command());
  commands.push_back(make_locate_command());
  commands.push_back(make_show_command());
  commands.push_back(make_list_command());
  commands.push_back(make_inventory_command());
  commands.push_back(make_offer_command());
  commands.push_back(make_launch_command(invocation));
  commands.push_back(make_blas_trial_command());
  return commands;
}

Error output_error() {
  return environment_error("standard output takes no more: " + std::generic_category().message(errno),
                           "the answer is incomplete; write it to a place with room");
}

// Ranks mostly fail alike, and the launcher ends the others when the first one is gone: rank 0 speaks for all, and
// another rank only when it is the one that has something to say.
void leave_the_word_to_rank_zero() {
  if (launched_rank().rank > 0) std::this_thread::sleep_for(std::chrono::seconds(2));
}

Error usage_error(const Invocation& invocation, const CLI::ParseError& error) {
  const bool no_command = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
                          std::string_view(error.what()).find("subcommand") != std::string_view::npos;
  if (no_command && invocation.arguments.size() > 1)
    return bad_input("'" + invocation.arguments[1] + "' is no command of assay", "see `assay --help`");
  return bad_input(error.what(), "see `assay --help`, or --help after the command");
}

// An answer that could not be written is no answer; a run has its answer in the result file.
int checked_output(ExitCode code, const std::string& command) {
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (!written && command != "run") throw output_error();
  return static_cast<int>(code);
}

int parse_and_execute(int argc, char** argv) {
  const Invocation invocation{{argv, argv + argc}};
  CLI::App app("Measures what a cluster delivers and judges it against what was advertised.", "assay");
  app.set_version_flag(
      "--version,-V", [] { return version_text(); },
      "Version, the parts built in or absent, and whether GPUs can be used");
  app.require_subcommand(1);
  app.footer(
      "Start:  mpirun -np 4 assay run --suite quick --out run.h5\n"
      "        assay judge run.h5 --offer offer.toml\n"
      "Exit codes: 0 done or passed, 1 a clause failed, 2 bad input, 3 stopped early or not certain,\n"
      "            4 internal or environment error.");
  std::vector<std::unique_ptr<Command>> commands = all_commands(invocation);
  std::vector<CLI::App*> declared;
  for (const auto& command : commands) declared.push_back(command->declare(app));
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    throw usage_error(invocation, error);
  }
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (declared[i]->parsed()) return checked_output(commands[i]->execute(), declared[i]->get_name());
  return static_cast<int>(ExitCode::bad_input);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return parse_and_execute(argc, argv);
  } catch (const Error& error) {
    leave_the_word_to_rank_zero();
    return report_error(error);
  } catch (const std::system_error&) {
    return report_error(output_error());
  } catch (const std::exception& error) {
    return report_error(environment_error(error.what(), "this is a fault of assay or of a library: please report it"));
  }
}
