#include "launcher/run/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "inventory/system_root.hpp"
#include "launcher/run/plan.hpp"
#include "storage/scratch_file.hpp"

namespace assay {

namespace fs = std::filesystem;

namespace {

// Of the column that it is recorded in.
constexpr std::size_t longest_filter = 1024;

void validate_result_path(const fs::path& out, bool force) {
  std::error_code code;
  const fs::file_status status = fs::status(out, code);
  if (fs::is_directory(status))
    throw bad_input(out.string() + ": is a directory", "give the name of a file, such as --out run.h5");
  if (fs::exists(status) && !force)
    throw bad_input(out.string() + ": already exists", "choose another --out, or replace it with --force");
  const fs::path parent = out.has_parent_path() ? out.parent_path() : fs::path(".");
  if (!fs::is_directory(parent, code))
    throw bad_input(parent.string() + ": no such directory", "make it first, or choose another --out");
  if (access(parent.c_str(), W_OK) != 0 || (fs::exists(status) && access(out.c_str(), W_OK) != 0))
    throw system_error(ExitCode::bad_input, "cannot write the result there", out.string(), errno,
                       "choose another --out");
}

void validate_filter(const RunOptions& options, const Registry& registry) {
  const std::regex filter = compile_filter(options.filter);
  // A layout in which every axis has all its values, since the real one is known only after MPI has started.
  const Layout everything = Layout::with_gpus(2, 8);
  for (const CaseInfo& info : registry.cases())
    for (const Point& point : points_of(info, Suite::full, everything))
      if (std::regex_search(series_name(info, point), filter)) return;
  throw bad_input("--filter '" + options.filter + "' matches no case", "see `assay list` for the names");
}

int environment_number(const char* name, int fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::atoi(text);
}

}  // namespace

std::string_view to_string(GpuUse use) {
  switch (use) {
    case GpuUse::automatic:
      return "auto";
    case GpuUse::require:
      return "require";
    case GpuUse::off:
      return "off";
  }
  return "auto";
}

std::optional<GpuUse> parse_gpu_use(std::string_view text) {
  for (const GpuUse use : {GpuUse::automatic, GpuUse::require, GpuUse::off})
    if (text == to_string(use)) return use;
  return std::nullopt;
}

Seconds RunOptions::effective_budget() const {
  if (budget.value > 0) return budget;
  switch (suite) {
    case Suite::quick:
      return Seconds(60);
    case Suite::standard:
      return Seconds(600);
    case Suite::full:
      return Seconds(3600);
  }
  return Seconds(60);
}

std::string RunOptions::canonical() const {
  return fmt::format(
      "suite={} budget={} filter={} out={} force={} path={} seed={} epochs={} precision={} deadline={} keep={} "
      "gpu={} share={} overlay={}",
      to_string(suite), effective_budget().value, filter, out.string(), force, path.string(), seed, epochs, precision,
      deadline.value, keep_bytes, to_string(gpu), share_gpus, machine_overlay.string());
}

void validate(const RunOptions& options, const Registry& registry, bool writes_result) {
  if (options.epochs < 1 || options.epochs > 1000)
    throw bad_input(fmt::format("--epochs {} is not within 1 to 1000", options.epochs));
  if (!(options.precision > 0) || options.precision >= 1)
    throw bad_input(fmt::format("--precision {} is not within 0 and 1", options.precision), "0.01 means 1 %");
  if (options.deadline.value != 0 && options.deadline.value < 1)
    throw bad_input("--deadline is shorter than one second", "leave it out to have it derived from the plan");
  validate_filter(options, registry);
  if (writes_result && !options.out.empty()) validate_result_path(options.out, options.force);
  if (!options.path.empty()) validate_test_path(options.path);
  (void)machine_with_overlay(options.machine_overlay);
}

std::regex compile_filter(const std::string& filter) {
  if (filter.size() > longest_filter)
    throw bad_input(fmt::format("--filter has {} characters, {} are the most", filter.size(), longest_filter));
  try {
    // libstdc++'s polynomial matcher: the default one takes exponential time for some expressions.
    return std::regex(filter, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error& error) {
    throw bad_input("--filter '" + filter + "' is not a regular expression: " + error.what(),
                    "an example: --filter 'mpi.ping_pong/bytes:8'");
  }
}

fs::path default_result_name(std::time_t now) { return "assay-" + utc_stamp(now) + ".h5"; }

LaunchedRank launched_rank() {
  struct Names {
    const char* rank;
    const char* size;
  };
  constexpr std::array<Names, 4> launchers{{{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                            {"PMIX_RANK", "SLURM_NTASKS"},
                                            {"PMI_RANK", "PMI_SIZE"},
                                            {"SLURM_PROCID", "SLURM_NTASKS"}}};
  for (const Names& names : launchers)
    if (std::getenv(names.rank) != nullptr)
      return {environment_number(names.rank, 0), environment_number(names.size, 1), true};
  return {};
}

}  // namespace assay
