#pragma once

#include <memory>
#include <string>

#include "core/case.hpp"
#include "core/device.hpp"
#include "core/registry.hpp"

namespace assay {

/// What a plug-in library hands over. It is built with the program and refused when the two do not belong together.
struct Plugin {
  const char* abi;                                   ///< plugin_abi() of the library
  const char* built;                                 ///< "CUDA 13.0 for sm_80 sm_90": toolkit and architectures
  void (*register_cases)(Registry& registry);        ///< one registry, the program's
  std::unique_ptr<DeviceBackend> (*open_backend)();  ///< throws Error(environment): no driver, ...
};

/// Name of the function `const Plugin* assay_plugin()` that a plug-in exports with C linkage.
inline constexpr const char* plugin_entry = "assay_plugin";

/// Version and layout of what crosses the border; equal on both sides or refused.
[[nodiscard]] inline std::string plugin_abi(const std::string& build) {
  return build + " case " + std::to_string(sizeof(CaseInfo)) + "/" + std::to_string(sizeof(Context)) + "/" +
         std::to_string(sizeof(Layout)) + "/" + std::to_string(sizeof(DeviceIdentity));
}

}  // namespace assay
