#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "core/registry.hpp"
#include "launcher/command.hpp"
#include "launcher/commands/option_types.hpp"
#include "launcher/run/gpu_plugin.hpp"
#include "launcher/run/plan.hpp"

namespace assay {

namespace {

std::string needs_text(const Needs& needs) {
  std::string text;
  if (needs.ranks > 1) text += fmt::format(", {} ranks", needs.ranks);
  if (needs.nodes > 1) text += fmt::format(", {} nodes", needs.nodes);
  if (needs.path) text += ", --path";
  if (needs.blas) text += ", OpenBLAS";
  if (const int gpus = std::max(needs.gpus, needs.gpus_on_node); gpus > 0)
    text += fmt::format(", {} GPU{}", gpus, gpus == 1 ? "" : "s");
  if (needs.gpu_nodes > 1) text += fmt::format(", {} nodes with GPUs", needs.gpu_nodes);
  if (needs.nccl) text += ", NCCL";
  if (needs.mpi_on_device) text += ", CUDA-aware MPI";
  return text.empty() ? "" : "  (needs " + text.substr(2) + ")";
}

class ListCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("list", "Cases and their points");
    add_suite(*command, suite_);
    command->add_option("--filter", filter_, "Only points whose case/point matches this regular expression");
    command->add_option("--ranks", ranks_, "Ranks per node to list for")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    command->add_option("--nodes", nodes_, "Nodes to list for")->check(CLI::Range(1, 100000))->capture_default_str();
    command->add_flag("--points", points_, "Every point, one per line, as --filter sees it");
    command->footer("Examples:\n  assay list\n  assay list --suite full --points --filter mpi.all_reduce --nodes 4");
    return command;
  }

  ExitCode execute() override {
    const std::regex filter = compile_filter(filter_);
    const GpuPlugin gpus = GpuPlugin::load(builtin_cases());
    const Layout layout = Layout::with_gpus(nodes_, ranks_);
    std::size_t total = 0;
    for (const CaseInfo& info : builtin_cases().cases()) {
      std::vector<std::string> names;
      for (const Point& point : points_of(info, suite_, layout))
        if (!info.sets(layout, point).empty() && std::regex_search(series_name(info, point), filter))
          names.push_back(series_name(info, point));
      total += names.size();
      if (points_)
        for (const std::string& name : names) fmt::print("{}\n", name);
      else if (!names.empty())
        fmt::print("{:<20} {:>4} points  {}{}\n", info.name, names.size(), info.summary, needs_text(info.needs));
    }
    if (total == 0)
      throw bad_input("--filter '" + filter_ + "' matches no case of suite " + std::string(to_string(suite_)));
    return ExitCode::ok;
  }

 private:
  Suite suite_ = Suite::quick;
  std::string filter_;
  int ranks_ = 4;
  int nodes_ = 1;
  bool points_ = false;
};

}  // namespace

std::unique_ptr<Command> make_list_command() { return std::make_unique<ListCommand>(); }

}  // namespace assay
