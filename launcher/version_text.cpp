#include "launcher/version_text.hpp"

#include <fmt/format.h>

#include "launcher/build_info.hpp"
#include "launcher/run/gpu_plugin.hpp"

namespace assay {

namespace {

std::string plugin_text(const GpuPlugin& plugin) {
  std::string text = plugin.loaded() ? fmt::format("GPU plug-in loads: {}", plugin.built()) : "GPU plug-in not loaded";
  if (!plugin.why_not().empty()) text += fmt::format("\n  no GPUs: {}", plugin.why_not());
  if (plugin.backend() == nullptr) return text;
  text += fmt::format("\n  GPUs visible: {}{}", plugin.devices().size(),
                      plugin.backend()->emulated() ? ", EMULATED in software" : "");
  for (const auto& part : plugin.backend()->parts())
    text += fmt::format("\n  {:<12} {}{}", part.name, part.version.empty() ? "absent" : part.version,
                        part.detail.empty() ? "" : " (" + part.detail + ")");
  return text;
}

}  // namespace

std::string version_text() {
  Registry unused;
  return describe(build_info()) + '\n' + plugin_text(GpuPlugin::load(unused));
}

}  // namespace assay
