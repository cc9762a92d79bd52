#include "tests/emulator/nvml/handles.hpp"

#include <algorithm>
#include <atomic>

namespace emulator::nvml {
namespace {

std::atomic<int>& users() {
  static std::atomic<int> count{0};
  return count;
}

}  // namespace

void begin() { users().fetch_add(1); }

int end() {
  if (users().load() <= 0) return uninitialised;
  users().fetch_sub(1);
  return success;
}

bool begun() { return users().load() > 0; }

const std::vector<Gpu>& cards() { return Cluster::current().this_node().gpus; }

const Gpu* card(void* device) {
  const auto at = std::find_if(cards().begin(), cards().end(), [device](const Gpu& gpu) { return &gpu == device; });
  return at == cards().end() ? nullptr : &*at;
}

void* handle_of(const Gpu& gpu) { return const_cast<Gpu*>(&gpu); }

int copy_text(std::string_view text, char* to, Unsigned size) {
  if (to == nullptr) return invalid_argument;
  if (size <= text.size()) return insufficient_size;
  std::memcpy(to, text.data(), text.size());
  to[text.size()] = '\0';
  return success;
}

}  // namespace emulator::nvml
