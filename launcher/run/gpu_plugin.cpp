#include "launcher/run/gpu_plugin.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/plugin.hpp"
#include "inventory/shared_library.hpp"
#include "launcher/build_info.hpp"

namespace assay {

namespace {

constexpr const char* plugin_name = "libassay_cuda.so";

// Versions of the CUDA runtime that a plug-in may have been linked with, newest first.
const std::vector<std::string> runtime_names{"libcudart.so.13", "libcudart.so.12"};

std::string plugin_file(const std::vector<std::filesystem::path>& folders) {
  for (const auto& folder : folders) {
    std::error_code ignored;
    if (std::filesystem::exists(folder / plugin_name, ignored)) return (folder / plugin_name).string();
  }
  throw environment_error(fmt::format("{} is not beside the program (built without CUDA)", plugin_name));
}

/// Opens the plug-in; where the loader does not find the CUDA runtime by itself, it is opened first from the toolkit's
/// or a Python package's folder, after which the plug-in finds it by its name.
SharedLibrary open_plugin(const std::string& file) {
  try {
    return SharedLibrary::open({file});
  } catch (const Error& error) {
    if (std::string_view(error.what()).find("libcudart") == std::string_view::npos) throw;
  }
  SharedLibrary::open(runtime_names, cuda_library_folders()).keep();
  return SharedLibrary::open({file});
}

}  // namespace

std::vector<std::filesystem::path> plugin_folders() {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (ignored) return {};
  return {program.parent_path(), program.parent_path().parent_path() / "lib" / "assay"};
}

GpuPlugin GpuPlugin::load(Registry& registry, const std::vector<std::filesystem::path>& folders) {
  GpuPlugin plugin;
  try {
    plugin.open(registry, folders);
  } catch (const Error& error) {
    plugin.why_not_ = error.what();
    plugin.backend_.reset();
    plugin.devices_.clear();
  }
  return plugin;
}

GpuPlugin GpuPlugin::none(std::string why) {
  GpuPlugin plugin;
  plugin.why_not_ = std::move(why);
  return plugin;
}

void GpuPlugin::open(Registry& registry, const std::vector<std::filesystem::path>& folders) {
  const std::string file = plugin_file(folders);
  SharedLibrary library = open_plugin(file);
  const auto entry = library.find<const Plugin* (*)()>(plugin_entry);
  if (entry == nullptr) throw environment_error(fmt::format("{} has no function {}", file, plugin_entry));
  const Plugin& plugin = *entry();
  const std::string expected = plugin_abi(build_info().build_id());
  if (plugin.abi != expected)
    throw environment_error(
        fmt::format("{} belongs to another build ('{}', the program is '{}')", file, plugin.abi, expected),
        "install program and plug-in together");
  library.keep();
  plugin.register_cases(registry);
  built_ = plugin.built;
  backend_ = plugin.open_backend();
  devices_ = backend_->devices();
  if (devices_.empty()) throw environment_error("the CUDA driver shows no GPU to this process");
}

}  // namespace assay
