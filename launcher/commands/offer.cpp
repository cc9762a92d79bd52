#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "analysis/offer.hpp"
#include "launcher/command.hpp"

namespace assay {

namespace {

class OfferCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("offer", "Work with offer files");
    command->require_subcommand(1);
    CLI::App* check = command->add_subcommand("check", "Check an offer file and print what each clause demands");
    check->add_option("offer", offer_, "What was advertised")->required()->type_name("OFFER.toml");
    command->footer(
        "Example:\n  assay offer check offers/example-host.toml\nThe format is described in docs/offer.md.");
    return command;
  }

  ExitCode execute() override {
    const Offer offer = load_offer(offer_, builtin_clauses());
    fmt::print("{}: {} clauses of {}{}{}\n", offer.file, offer.clauses.size(), offer.provider,
               offer.product.empty() ? "" : ", ", offer.product);
    for (const Clause& clause : offer.clauses) fmt::print("  {:<40} {}\n", clause.title(), clause.derivation());
    return ExitCode::ok;
  }

 private:
  std::string offer_;
};

}  // namespace

std::unique_ptr<Command> make_offer_command() { return std::make_unique<OfferCommand>(); }

}  // namespace assay
