#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "inventory/collect.hpp"
#include "launcher/command.hpp"
#include "launcher/inventory_json.hpp"
#include "launcher/inventory_table.hpp"

namespace assay {
namespace {

class InventoryCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command =
        app.add_subcommand("inventory", "What this node is: CPUs, memory, network, disks, software, limits");
    command->add_option("--path", paths_, "Directory whose disk is wanted too (may be given several times)")
        ->type_name("DIR")
        ->allow_extra_args(false);
    command->add_flag("--json", json_, "Print JSON instead of a table");
    command->footer(
        "\"granted\" is what the cgroup and the launcher leave to the job, \"bound here\" what this process may "
        "use.\n\n"
        "Examples:\n"
        "  assay inventory\n"
        "  assay inventory --path /scratch\n"
        "  mpirun -np 2 --map-by node assay inventory --json > nodes.json\n"
        "  assay inventory --json | jq .cpu.granted_count");
    return command;
  }

  ExitCode execute() override {
    CollectOptions options;
    for (const auto& path : paths_) {
      std::error_code error;
      const auto directory = std::filesystem::absolute(path, error);
      if (error || !std::filesystem::is_directory(directory, error)) {
        throw bad_input(fmt::format("--path {}: no such directory", path), "give a directory that exists");
      }
      options.paths.push_back(directory.lexically_normal().string());
    }
    const auto facts = collect_node(SystemRoot(), options);
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
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_inventory_command() { return std::make_unique<InventoryCommand>(); }

}  // namespace assay
