#include <CLI/CLI.hpp>

#include "kernels/host/blas_trial.hpp"
#include "launcher/command.hpp"

namespace assay {

namespace {

class BlasTrialCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("blas-trial", "");
    command->group("");
    command->add_option("kernel", kernel_);
    return command;
  }

  ExitCode execute() override { return static_cast<ExitCode>(blas_trial_main(kernel_)); }

 private:
  std::string kernel_;
};

}  // namespace

std::unique_ptr<Command> make_blas_trial_command() { return std::make_unique<BlasTrialCommand>(); }

}  // namespace assay
