#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "collectives/mpi/mpi_session.hpp"
#include "inventory/collect.hpp"
#include "kernels/host/blas.hpp"
#include "launcher/command.hpp"
#include "launcher/commands/option_types.hpp"
#include "launcher/inventory_json.hpp"
#include "launcher/inventory_table.hpp"

namespace assay {
namespace {

/// The first words of a library's description as version, the rest as detail.
SoftwareFacts described(const std::string& name, const std::string& text, std::size_t version_ends) {
  const auto end = std::min(version_ends, text.size());
  const auto rest = text.find_first_not_of(" ,", end);
  return {name, text.substr(0, end), rest == std::string::npos ? "" : text.substr(rest)};
}

std::vector<SoftwareFacts> linked_libraries() {
  std::vector<SoftwareFacts> libraries;
  const auto mpi = MpiSession::library_version();
  libraries.push_back(described("mpi", mpi, mpi.find(',')));
  try {
    const Blas blas("");
    const auto config = blas.config();
    libraries.push_back(described("blas", config, config.find(' ', config.find(' ') + 1)));
    libraries.push_back({"blas.kernel", blas.corename(), "the library's own choice"});
  } catch (const Error& error) {
    libraries.push_back({"blas", "absent", error.what()});
  }
  return libraries;
}

class InventoryCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand("inventory", "What this node is: CPUs, memory, GPUs, network, disks, software");
    command->add_option("--path", paths_, "Directory whose disk is wanted too (may be given several times)")
        ->type_name("DIR")
        ->allow_extra_args(false);
    command->add_flag("--json", json_, "Print JSON instead of a table");
    add_machine_overlay(*command, overlay_);
    command->footer(
        "\"granted\" is what the cgroup and the launcher leave to the job, \"bound here\" what this process may "
        "use.\n\n"
        "Examples:\n"
        "  assay inventory\n"
        "  assay inventory --path /scratch\n"
        "  assay inventory --json | jq .cpu.granted_count");
    return command;
  }

  ExitCode execute() override {
    for (const auto& path : paths_) {
      std::error_code error;
      if (!std::filesystem::is_directory(path, error)) {
        throw bad_input(fmt::format("--path {}: no such directory", path), "give a directory that exists");
      }
    }
    const SystemRoot machine = machine_with_overlay(overlay_);
    auto facts = collect_node(machine, {paths_, linked_libraries()});
    add_gpus(machine, open_gpu_library(), facts);
    fmt::print("{}", json_ ? json_text(facts) : inventory_table(facts));
    return ExitCode::ok;
  }

 private:
  [[nodiscard]] static std::string json_text(const NodeFacts& facts) {
    // Names of devices come from firmware and need not be UTF-8.
    constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
    return inventory_json(facts).dump(2, ' ', false, replace) + "\n";
  }

  std::vector<std::string> paths_;
  std::filesystem::path overlay_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_inventory_command() { return std::make_unique<InventoryCommand>(); }

}  // namespace assay
