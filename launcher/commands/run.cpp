#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "collectives/mpi/mpi_session.hpp"
#include "core/registry.hpp"
#include "launcher/command.hpp"
#include "launcher/commands/option_types.hpp"
#include "launcher/run/session.hpp"
#include "launcher/watch/start_up_guard.hpp"

namespace assay {

namespace {

// Starting MPI on thousands of ranks takes tens of seconds.
constexpr Seconds start_up_limit{120};

class RunCommand final : public Command {
 public:
  explicit RunCommand(const Invocation& invocation) : invocation_(invocation) {}

  CLI::App* declare(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("run", "Measure; under mpirun or srun with all ranks, alone as one rank");
    add_suite(*command, options_.suite);
    add_duration(*command, "--budget", options_.budget,
                 "Wall time for measuring: 5m, 90s (default: 1m, 10m, 60m by suite)");
    command->add_option("--filter", options_.filter, "Only points whose case/point matches this regular expression");
    command->add_option("--out,-o", options_.out, "Result file (default: assay-UTC.h5)");
    command->add_flag("--force", options_.force, "Replace an existing result file");
    command->add_option("--path", options_.path,
                        "Directory for the storage cases (on every host); without it they do not run");
    command->add_option("--epochs", options_.epochs, "Rounds over the plan; a verdict needs at least 5")
        ->capture_default_str();
    command
        ->add_option("--precision", options_.precision,
                     "Stop a series when the 95 % interval of its median is within this share")
        ->capture_default_str();
    add_number(*command, "--seed", options_.seed, "Order of the plan and contents of the data (default 1)");
    add_duration(*command, "--deadline", options_.deadline,
                 "End the run when a rank makes no progress for so long (default: from the plan)");
    add_bytes(*command, "--keep", options_.keep_bytes, "Raw samples kept per series, over all ranks (default 64MiB)");
    add_gpu_use(*command, options_.gpu);
    command->add_flag("--share-gpus", options_.share_gpus, "Let several ranks work on one GPU");
    add_machine_overlay(*command, options_.machine_overlay);
    command->add_flag("--quiet,-q", quiet_, "No line for every series");
    command->footer(
        "Examples:\n"
        "  assay run                                          one rank on this machine\n"
        "  mpirun -np 4 assay run --suite quick --out run.h5  four ranks\n"
        "  mpirun -np 4 assay run --path /scratch --budget 5m\n"
        "  mpirun -np 2 assay run --filter 'mpi.ping_pong/bytes:8'\n"
        "Exit codes: 0 done, 2 bad input, 3 stopped early, 4 internal or environment error.\n"
        "mpirun and srun have codes of their own: scripts ask `assay show --status run.h5`.");
    return command;
  }

  ExitCode execute() override {
    GpuPlugin gpus = options_.gpu == GpuUse::off ? GpuPlugin::none("--gpu off") : GpuPlugin::load(builtin_cases());
    validate(options_, builtin_cases(), launched_rank().rank == 0);
    // A process started alone lets MPI start a helper, which it looks for in PATH.
    setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 0);
    StartUpGuard guard(std::max(start_up_limit, options_.deadline));
    MpiSession mpi;
    Session session(mpi, invocation_, options_, std::move(gpus), quiet_);
    session.when_watched([&guard] { guard.release(); });
    try {
      return session.run();
    } catch (const Error& error) {
      if (session.failed_alike()) {
        if (mpi.world().rank() == 0) report_error(error);
        return error.code();
      }
      report_error(error, session.place());
      session.emergency(session.place() + ": " + error.what());
      mpi.abort(error.code());
      return error.code();
    }
  }

 private:
  const Invocation& invocation_;
  RunOptions options_;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> make_run_command(const Invocation& invocation) {
  return std::make_unique<RunCommand>(invocation);
}

}  // namespace assay
