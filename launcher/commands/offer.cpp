#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "analysis/catalogue.hpp"
#include "analysis/offer.hpp"
#include "analysis/offer_check.hpp"
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
    check
        ->add_option("--catalogue", catalogue_, "Directory with gpus.toml and fabrics.toml, in place of those built in")
        ->type_name("DIR");
    command->footer(
        "Example:\n  assay offer check offers/hgx-h100.toml\nThe format is described in docs/offer.md.\n"
        "Exit code 2: the file has faults, or says what its GPU cannot do by the data sheet.");
    return command;
  }

  ExitCode execute() override {
    const Offer offer = load_offer(offer_, builtin_clauses());
    fmt::print("{}: {} clauses of {}{}{}\n", offer.file, offer.clauses.size(), offer.provider,
               offer.product.empty() ? "" : ", ", offer.product);
    const Catalogue catalogue = catalogue_.empty() ? builtin_catalogue() : load_catalogue(catalogue_);
    const Product* model = advertised_model(offer, catalogue);
    for (const Clause& clause : offer.clauses) {
      fmt::print("  {:<40} {}\n", clause.title(), expected(clause, builtin_clauses(), model, catalogue).derivation());
    }
    const auto found = contradictions(offer, builtin_clauses(), catalogue);
    if (found.empty()) return ExitCode::ok;
    for (const std::string& line : found) fmt::print("cannot be: {}\n", line);
    return ExitCode::bad_input;
  }

 private:
  std::string offer_;
  std::string catalogue_;
};

}  // namespace

std::unique_ptr<Command> make_offer_command() { return std::make_unique<OfferCommand>(); }

}  // namespace assay
