#include "tests/emulator/cuda/process.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "tests/emulator/cuda/engine.hpp"
#include "tests/emulator/cuda/errors.hpp"
#include "tests/emulator/model/environment.hpp"
#include "tests/emulator/model/state.hpp"

extern "C" int assay_emulated;
int assay_emulated = 1;

namespace emulator {
namespace {

constexpr int driver_of_now = CUDART_VERSION, driver_too_old = 12020;

thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

/// Place in `gpus` of what one entry of CUDA_VISIBLE_DEVICES names: a number or the beginning of a UUID; -1 = nothing.
int named(const std::vector<Gpu>& gpus, const std::string& entry) {
  if (!entry.empty() && entry.find_first_not_of("0123456789") == std::string::npos) {
    const long number = std::strtol(entry.c_str(), nullptr, 10);
    return number < static_cast<long>(gpus.size()) ? static_cast<int>(number) : -1;
  }
  int found = -1;
  for (std::size_t index = 0; index < gpus.size() && entry.size() > 4; ++index) {
    if (gpus[index].uuid.rfind(entry, 0) != 0) continue;
    if (found >= 0) return -1;  // ambiguous
    found = static_cast<int>(index);
  }
  return found;
}

/// CUDA's rule: entries count up to the first one that names nothing; a card named twice makes the whole list empty.
std::vector<int> visible(const std::vector<Gpu>& gpus) {
  std::vector<int> order;
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (list == nullptr) {
    for (std::size_t index = 0; index < gpus.size(); ++index) order.push_back(static_cast<int>(index));
    return order;
  }
  std::istringstream entries(list);
  for (std::string entry; std::getline(entries, entry, ',');) {
    entry.erase(0, entry.find_first_not_of(' '));
    entry.erase(entry.find_last_not_of(' ') + 1);
    const int index = named(gpus, entry);
    if (index < 0) break;
    if (std::find(order.begin(), order.end(), index) != order.end()) return {};
    order.push_back(index);
  }
  return order;
}

}  // namespace

Process& Process::get() {
  static Process* const made = std::unique_ptr<Process>(new Process).release();
  return *made;
}

Process::Process() {
  const Cluster& cluster = Cluster::current();
  const Node& node = cluster.this_node();
  zero_time_ = cluster.zero_time();
  strict_ = environment("ASSAY_EMULATOR_STRICT") == "1";
  checks_images_ = environment("ASSAY_EMULATOR_IMAGES") == "1";
  const bool old = node.fault(FaultKind::driver_too_old) != nullptr;
  driver_version_ = old ? driver_too_old : driver_of_now;
  if (old) {
    start_error_ = cudaErrorInsufficientDriver;
    return;
  }
  for (const int index : visible(node.gpus)) {
    Device& device = devices_.emplace_back();
    device.ordinal = static_cast<int>(devices_.size()) - 1;
    device.gpu = &node.gpus[static_cast<std::size_t>(index)];
  }
  if (devices_.empty()) start_error_ = cudaErrorNoDevice;
  for (const Device& device : devices_) memory_held(*device.gpu);  // the shared table now: it must outlive the handler
  // What this process holds on its cards is given back at its end, as a driver does.
  std::atexit([] {
    for (Device& device : Process::get().devices()) {
      if (device.arena) device.arena->disown();
    }
  });
}

Device& Process::device(int ordinal) {
  require(ordinal >= 0 && static_cast<std::size_t>(ordinal) < devices_.size(), cudaErrorInvalidDevice);
  return devices_[static_cast<std::size_t>(ordinal)];
}

Device& Process::current() { return device(current_device); }
int Process::current_ordinal() { return current_device; }
void Process::set_current(int ordinal) { current_device = ordinal; }

void Process::advance(double seconds) {
  if (zero_time_) return;
  double before = clock();
  while (!clock_.compare_exchange_weak(before, before + seconds, std::memory_order_relaxed)) {
  }
}

void Process::raise(double seconds) {
  double before = clock();
  while (before < seconds && !clock_.compare_exchange_weak(before, seconds, std::memory_order_relaxed)) {
  }
}

std::byte* Process::allocate(Device& device, std::size_t bytes) {
  const std::lock_guard lock(device.arena_mutex);
  if (!device.arena) device.arena = std::make_unique<Arena>(*device.gpu);
  std::byte* base = device.arena->allocate(bytes);
  memory_.insert({.place = Place::device,
                  .device = device.ordinal,
                  .gpu = device.gpu,
                  .base = base,
                  .bytes = bytes,
                  .alias = device.arena->alias(base)});
  return base;
}

void Process::free_device_memory(const Block& block) {
  Device& owner = device(block.device);
  const std::lock_guard lock(owner.arena_mutex);
  owner.arena->free(block.base, block.bytes);
}

void check(Needs needs) {
  if (needs == Needs::nothing) return;
  Process& process = Process::get();
  require(process.start_error() == cudaSuccess, process.start_error());
  if (needs == Needs::driver) return;
  const int fault = process.current().fault;
  require(fault == cudaSuccess, static_cast<cudaError_t>(fault));
}

cudaError_t sticky() {
  Process& process = Process::get();
  if (process.start_error() != cudaSuccess) return cudaSuccess;
  return static_cast<cudaError_t>(process.current().fault.load());
}

cudaError_t remember(cudaError_t code) {
  if (code != cudaSuccess) last_error = code;
  return code;
}

cudaError_t code_of_current_exception() {
  try {
    throw;
  } catch (const ApiError& error) {
    return error.code();
  } catch (const StreamFault& fault) {
    return fault.error();
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  } catch (...) {
    return cudaErrorUnknown;
  }
}

void spend(double host_seconds) { process().advance(host_seconds); }

double host_clock() { return process().clock(); }
void advance_host(double seconds) { process().advance(seconds); }
void raise_host(double seconds) { process().raise(seconds); }

}  // namespace emulator

extern "C" {

// A sticky error cannot be cleared.
cudaError_t cudaGetLastError() {
  const cudaError_t last = std::exchange(emulator::last_error, emulator::sticky());
  return last != cudaSuccess ? last : emulator::last_error;
}

cudaError_t cudaPeekAtLastError() {
  return emulator::last_error != cudaSuccess ? emulator::last_error : emulator::sticky();
}
}
