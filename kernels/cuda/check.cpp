#include "kernels/cuda/check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <utility>

#include "core/error.hpp"

namespace assay::cuda {

namespace {

std::string& device_label() {
  static thread_local std::string label = "GPU not chosen yet";
  return label;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string("this host");
}

}  // namespace

void set_device_label(std::string label) { device_label() = std::move(label); }

std::string device_place() { return fmt::format("{} on {}", device_label(), host_name()); }

void check(cudaError_t code, std::string_view what, const std::source_location& where) {
  if (code == cudaSuccess) return;
  ignore(cudaGetLastError());
  const std::string file = std::filesystem::path(where.file_name()).filename().string();
  throw environment_error(
      fmt::format("{}: {} ({}), {}", what, cudaGetErrorString(code), static_cast<int>(code), device_place()),
      fmt::format("reported to {}:{}", file, where.line()));
}

void ignore(cudaError_t) noexcept {}

}  // namespace assay::cuda
