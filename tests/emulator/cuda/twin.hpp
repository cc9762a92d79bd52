#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tests/emulator/model/product.hpp"

namespace emulator {

/// Memory that a kernel moves, as the application addresses it.
struct Access {
  const void* address = nullptr;
  std::size_t bytes = 0;  ///< Moved from or to there in all.
  bool writes = false;
  std::size_t span = 0;  ///< Bytes from the address on that are touched; 0 = `bytes`.
};

/// Loads of which each waits for the one before.
struct Chase {
  const void* address = nullptr;
  std::size_t working_set = 0;
  double hops = 0;
};

/// What a launch takes: the longest of moving and computing, then the chase and the fixed time.
struct Cost {
  std::vector<Access> accesses;
  double operations = 0;
  Type type = Type::fp32;
  Chase chase;
  double seconds = 0;
  /// Of a kernel that waits for the host (and sleeps meanwhile): true while it would wait.
  std::function<bool()> blocked;
};

struct Shape {
  dim3 grid, block;
  std::size_t shared_memory = 0;
};

/// CPU address of what a kernel's argument points to; null stays null.
using Translate = std::function<void*(const void*)>;

/// One launch of a kernel, ready to be run (many times, in a graph).
struct PreparedLaunch {
  Cost cost;
  std::function<void()> body;
};

/// The stand-in of a kernel: its own source compiled for the CPU, and what it costs.
struct Twin {
  std::string name;
  std::function<PreparedLaunch(void** arguments, const Shape&, const Translate&)> prepare;
};

/// Adds a twin; the name is the kernel's as the linker sees it. A later one replaces an earlier one.
__attribute__((visibility("default"))) void add_twin(Twin twin);

/// How the body is called: once (grid-stride loops over the ranges of the emulator's grid.cuh), or for every thread of
/// the grid with its own blockIdx and threadIdx.
enum class Threads { one, every };
void run_as(Threads threads, const Shape& shape, const std::function<void()>& body);

namespace twin_detail {

template <typename T>
T translated(T value, const Translate& translate) {
  if constexpr (std::is_pointer_v<T>) {
    return static_cast<T>(const_cast<std::remove_cv_t<std::remove_pointer_t<T>>*>(
        static_cast<const std::remove_cv_t<std::remove_pointer_t<T>>*>(translate(value))));
  } else {
    return value;
  }
}

template <typename... Parameters, std::size_t... Index>
std::tuple<std::remove_cv_t<Parameters>...> values(void** arguments, std::index_sequence<Index...>) {
  return {*static_cast<std::remove_cv_t<Parameters>*>(arguments[Index])...};
}

}  // namespace twin_detail

/// The twin of a kernel whose source was compiled for the CPU. `cost(arguments...)` gets the application's addresses
/// and returns a Cost. With `blocked(arguments...)`, which gets CPU addresses, the kernel may wait for the host.
template <typename... Parameters, typename CostOf, typename Blocked = std::nullptr_t>
Twin twin(std::string name, void (*kernel)(Parameters...), CostOf cost, Threads threads = Threads::one,
          Blocked blocked = nullptr) {
  auto prepare = [=](void** arguments, const Shape& shape, const Translate& translate) {
    const auto given = twin_detail::values<Parameters...>(arguments, std::index_sequence_for<Parameters...>{});
    const auto aliased = std::apply(
        [&](const auto&... value) { return std::make_tuple(twin_detail::translated(value, translate)...); }, given);
    PreparedLaunch launch;
    launch.cost = std::apply(cost, given);
    launch.body = [=] { run_as(threads, shape, [&] { std::apply(kernel, aliased); }); };
    if constexpr (!std::is_same_v<Blocked, std::nullptr_t>) {
      launch.cost.blocked = [=] { return std::apply(blocked, aliased); };
    }
    return launch;
  };
  return {std::move(name), std::move(prepare)};
}

}  // namespace emulator
