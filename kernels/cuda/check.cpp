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

/// Why the device was given up; empty while it works.
std::string& given_up() {
  static std::string why;
  return why;
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

void give_up_on_device(std::string why) { given_up() = std::move(why); }

bool gave_up_on_device() noexcept { return !given_up().empty(); }

void require_working_device() {
  if (gave_up_on_device())
    throw environment_error(fmt::format("{} is not used any more: {}", device_place(), given_up()),
                            "end the job; reset the GPU before the next one");
}

void ignore(cudaError_t) noexcept {}

}  // namespace assay::cuda
