#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "analysis/catalogue.hpp"
#include "analysis/offer.hpp"
#include "analysis/report.hpp"
#include "analysis/run_data.hpp"
#include "analysis/verdict.hpp"
#include "launcher/command.hpp"

namespace assay {

namespace {

/// Colours on a terminal, unless NO_COLOR is set (https://no-color.org).
bool wants_colours() {
  const char* refused = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && (refused == nullptr || *refused == '\0');
}

class JudgeCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("judge", "Compare a result file with an offer, clause by clause");
    command->add_option("run", run_, "Result file of `assay run`")->required()->type_name("RUN.h5");
    command->add_option("--offer", offer_, "What was advertised")->required()->type_name("OFFER.toml");
    command->add_flag("--partial", partial_, "Only a part of the offered nodes was rented for the trial");
    command
        ->add_option("--catalogue", catalogue_, "Directory with gpus.toml and fabrics.toml, in place of those built in")
        ->type_name("DIR");
    command->add_flag("--json", json_, "One JSON object instead of text (docs/judging.md)");
    command->footer(
        "Examples:\n"
        "  assay judge run.h5 --offer offers/example-host.toml\n"
        "  assay judge run.h5 --offer offer.toml --json > verdict.json\n"
        "Exit codes: 0 every clause passed, 1 a clause failed, 2 bad input, 3 inconclusive, invalid or not tested.");
    return command;
  }

  ExitCode execute() override {
    const Offer offer = load_offer(offer_, builtin_clauses());
    const Catalogue catalogue = catalogue_.empty() ? builtin_catalogue() : load_catalogue(catalogue_);
    const Judgement judgement = judge_run(load_run(run_), offer, builtin_clauses(), partial_, catalogue);
    fmt::print("{}", marked(judgement.run, json_ ? report_json(judgement) : report_text(judgement, wants_colours())));
    return judgement.exit_code();
  }

 private:
  std::string run_;
  std::string offer_;
  std::string catalogue_;
  bool partial_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_judge_command() { return std::make_unique<JudgeCommand>(); }

}  // namespace assay
