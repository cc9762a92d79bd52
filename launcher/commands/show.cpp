#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

#include "analysis/report.hpp"
#include "analysis/run_data.hpp"
#include "analysis/summary.hpp"
#include "launcher/command.hpp"
#include "results/reader.hpp"

namespace assay {

namespace {

class ShowCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("show", "What a result file holds");
    command->add_option("run", run_, "Result file of `assay run`")->required()->type_name("RUN.h5");
    auto* status =
        command->add_flag("--status", status_, "Print running, done or stopped; exit code 0 when done, else 3");
    auto* pairs = command->add_flag("--pairs", pairs_, "Matrix of ranks that mpi.pairs measured")->excludes(status);
    auto* samples = command->add_option("--samples", samples_, "Seconds of one series, a line per iteration")
                        ->type_name("SERIES")
                        ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()).description(""))
                        ->excludes(status)
                        ->excludes(pairs);
    command->add_flag("--json", json_, "One JSON object instead of text (docs/judging.md)")
        ->excludes(status)
        ->excludes(pairs)
        ->excludes(samples);
    command->footer(
        "Examples:\n"
        "  assay show run.h5\n"
        "  assay show run.h5 --status && echo complete\n"
        "  assay show run.h5 --samples 12 > series12.txt");
    return command;
  }

  ExitCode execute() override {
    if (status_) return print_status();
    const RunData run = load_run(run_);
    fmt::print("{}", marked(run.run, text_of(run)));
    return ExitCode::ok;
  }

 private:
  [[nodiscard]] std::string text_of(const RunData& run) const {
    if (pairs_) return pairs_text(run);
    if (samples_ >= 0) return samples_text(run, samples_);
    return json_ ? summary_json(run) : summary_text(run);
  }

  [[nodiscard]] ExitCode print_status() const {
    const results::Reader reader = results::Reader::open(run_);
    const results::RunInfo& run = reader.run();
    fmt::print("{}", status_text(run));
    return run.status == "done" ? ExitCode::ok : ExitCode::incomplete;
  }

  std::string run_;
  std::int64_t samples_ = -1;
  bool status_ = false;
  bool pairs_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_show_command() { return std::make_unique<ShowCommand>(); }

}  // namespace assay
