#pragma once

#include <cstring>
#include <string_view>

#include "tests/emulator/model/cluster.hpp"
#include "tests/emulator/model/state.hpp"
#include "tests/emulator/nvml/abi.hpp"

namespace emulator::nvml {

/// nvmlInit and nvmlShutdown, counted.
void begin();
int end();
bool begun();

/// The card behind a handle; nullptr when it is none of ours.
const Gpu* card(void* device);
void* handle_of(const Gpu& gpu);
/// The node's cards, in NVML's order.
const std::vector<Gpu>& cards();

/// Runs `call(gpu)` on the card of a handle. Before nvmlInit, with a foreign handle, a null result or a card that fell
/// off the bus, the library's code for that comes back instead.
template <class Call, class... Results>
int on_card(void* device, Call call, Results*... results) {
  if (!begun()) return uninitialised;
  const Gpu* gpu = card(device);
  if (gpu == nullptr || ((results == nullptr) || ...)) return invalid_argument;
  if (lost(*gpu)) return gpu_is_lost;
  return call(*gpu);
}

/// Copies a text with its closing zero.
int copy_text(std::string_view text, char* to, Unsigned size);

}  // namespace emulator::nvml
