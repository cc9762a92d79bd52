#pragma once

#include <string>
#include <string_view>

#include "core/device.hpp"

namespace assay {

/// 22809 for "2.28.9"; 0 when that is no version.
[[nodiscard]] int nccl_version_of(std::string_view text);

/// What keeps this NCCL from being used, from the backend's part "nccl"; empty when nothing does.
[[nodiscard]] std::string nccl_problem_of(const DeviceBackend::Part& part);

}  // namespace assay
