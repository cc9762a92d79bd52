#include <CLI/CLI.hpp>
#include <exception>

#include "launcher/build_info.hpp"
#include "launcher/command.hpp"

namespace {

using namespace assay;

std::vector<std::unique_ptr<Command>> all_commands(const Invocation& invocation) {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_run_command(invocation));
  commands.push_back(make_list_command());
  commands.push_back(make_launch_command(invocation));
  commands.push_back(make_blas_trial_command());
  commands.push_back(make_inventory_command());
  return commands;
}

int parse_and_execute(int argc, char** argv) {
  const Invocation invocation{{argv, argv + argc}};
  CLI::App app("Measures what a cluster delivers and judges it against what was advertised.", "assay");
  app.set_version_flag(
      "--version,-V", [] { return describe(build_info()); }, "Version, and the parts built in or absent");
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
  } catch (const CLI::ParseError& error) {
    // The library's own codes are above 100; ours are documented.
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::bad_input);
  }
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (declared[i]->parsed()) return static_cast<int>(commands[i]->execute());
  return static_cast<int>(ExitCode::bad_input);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return parse_and_execute(argc, argv);
  } catch (const Error& error) {
    return report_error(error);
  } catch (const std::exception& error) {
    return report_error(environment_error(error.what(), "this is a fault of assay or of a library: please report it"));
  }
}
