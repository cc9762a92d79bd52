#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <utility>

namespace emulator {

/// Thrown below the API: the call returns this code.
class ApiError : public std::exception {
 public:
  explicit ApiError(cudaError_t code) : code_(code) {}
  [[nodiscard]] cudaError_t code() const { return code_; }
  [[nodiscard]] const char* what() const noexcept override { return "error of an emulated CUDA call"; }

 private:
  cudaError_t code_;
};

/// Throws ApiError(code) unless the condition holds.
inline void require(bool condition, cudaError_t code = cudaErrorInvalidValue) {
  if (!condition) throw ApiError(code);
}

/// What a call needs before it does anything: nothing, a driver with at least one GPU, or a current device without a
/// sticky error.
enum class Needs { nothing, driver, device };

/// Throws what stands in the way.
void check(Needs needs);
/// Stores the code as the thread's last error (unless it is success) and returns it.
cudaError_t remember(cudaError_t code);
/// Code for whatever is being thrown.
cudaError_t code_of_current_exception();

/// Host time of calls [s], roughly what the calls take on a current server.
namespace host_cost {
inline constexpr double trivial = 0.05e-6, query = 0.4e-6, record = 0.7e-6, launch = 2.0e-6, copy = 2.2e-6;
inline constexpr double synchronize = 3.0e-6, create = 4e-6, allocate = 30e-6, graph_launch = 4.5e-6;
}  // namespace host_cost

/// Advances the virtual host time of this process.
void spend(double host_seconds);

/// The frame of every API call: checks, host cost, exceptions to codes, last error. `body` returns nothing or a code.
template <typename Body>
cudaError_t api(Needs needs, double cost, Body&& body) noexcept {
  try {
    check(needs);
    spend(cost);
    if constexpr (std::is_void_v<decltype(body())>) {
      std::forward<Body>(body)();
      return cudaSuccess;
    } else {
      return remember(std::forward<Body>(body)());
    }
  } catch (...) {
    return remember(code_of_current_exception());
  }
}

}  // namespace emulator
