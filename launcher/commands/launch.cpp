#include "launcher/launch/launch.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "launcher/command.hpp"
#include "launcher/commands/option_types.hpp"

namespace assay {

namespace {

class LaunchCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("launch", "Check the hosts of a cluster and start `assay run` on them");
    auto* hosts =
        command->add_option("--hosts", options_.hosts_file, "File with a host on each line: HOST, HOST slots=N");
    auto* slurm = command->add_flag("--slurm", options_.slurm, "The hosts of the Slurm allocation that this is run in");
    hosts->excludes(slurm);
    command
        ->add_option("--ranks-per-node,-N", options_.ranks_per_node, "Ranks on each host (default: its slots, else 1)")
        ->check(CLI::Range(1, 65535));
    command->add_option("--agent", options_.agent, "Program that runs a command on a host, called like ssh")
        ->capture_default_str();
    command
        ->add_option("--interface", options_.interfaces,
                     "Interfaces or subnets for MPI over TCP (default: all subnets that the hosts have in common)")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->add_option("--bind-to", options_.bind_to, "What a rank is bound to: core, socket, numa, none")
        ->check(CLI::IsMember({"core", "socket", "numa", "none"}))
        ->capture_default_str();
    command->add_option("--mpi", options_.mpi, "With --slurm: the plug-in that starts MPI (srun --mpi=list)")
        ->capture_default_str();
    add_duration(*command, "--timeout", options_.timeout, "For the check of one host (default 10s)");
    command->add_flag("--run", run_, "Start it; without this the command is only printed");
    command->add_option("run_options", options_.run_options, "After --: options of `assay run`")->type_name("");
    command->footer(
        "Examples:\n"
        "  assay launch --hosts hosts.txt                        check, print the mpirun command\n"
        "  assay launch --hosts hosts.txt -N 8 --run -- --suite quick --out /shared/run.h5\n"
        "  assay launch --slurm -N 8 --run -- --budget 10m       inside salloc or sbatch\n"
        "Exit codes: 2 hosts file or options, 4 a host that cannot be used; with --run: those of mpirun or srun.");
    return command;
  }

  ExitCode execute() override {
    if (options_.hosts_file.empty() && !options_.slurm)
      throw bad_input("launch needs --hosts FILE or --slurm", "assay launch --help");
    const Arguments command = prepare_launch(options_);
    fmt::print("\n{}\n", shell_line(command));
    std::fflush(stdout);
    if (run_) become(command);
    return ExitCode::ok;
  }

 private:
  LaunchOptions options_;
  bool run_ = false;
};

}  // namespace

std::unique_ptr<Command> make_launch_command(const Invocation&) { return std::make_unique<LaunchCommand>(); }

}  // namespace assay
