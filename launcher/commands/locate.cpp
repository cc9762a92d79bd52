#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "analysis/locate/run_location.hpp"
#include "analysis/report.hpp"
#include "analysis/run_data.hpp"
#include "launcher/command.hpp"

namespace assay {

namespace {

class LocateCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("locate", "Which part is slow, and how the machine is wired");
    command->add_option("run", run_, "Result file of `assay run`")->required()->type_name("RUN.h5");
    command->add_flag("--json", json_, "One JSON object instead of text (docs/locate.md)");
    command->footer(
        "Compares parts of the run with each other, not with an offer: what is slow everywhere does not show here.\n"
        "Examples:\n"
        "  assay locate run.h5\n"
        "  assay locate run.h5 --json > location.json\n"
        "Exit codes: 0 also when a part stands out (the judge decides what that is worth), 2 bad input.");
    return command;
  }

  ExitCode execute() override {
    const RunData run = load_run(run_);
    const locate::RunLocation location = locate::locate_run(run);
    fmt::print("{}", marked(run.run, json_ ? location_json(run, location) : location_text(run, location)));
    return ExitCode::ok;
  }

 private:
  std::string run_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_locate_command() { return std::make_unique<LocateCommand>(); }

}  // namespace assay
