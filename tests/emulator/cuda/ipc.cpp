#include "tests/emulator/cuda/ipc.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>

#include "tests/emulator/cuda/errors.hpp"
#include "tests/emulator/cuda/handles.hpp"
#include "tests/emulator/cuda/process.hpp"
#include "tests/emulator/model/routes.hpp"

// A handle names the owner's process and file descriptor; /proc gives access to it, so that nothing is left behind when
// a process dies.
namespace emulator {
namespace {

/// Between two looks at an event of another process.
constexpr std::chrono::microseconds look_again{200};

struct EventWords {
  std::atomic<std::uint64_t> recorded, done;
  std::atomic<double> time;
};

constexpr std::size_t page = 4096;

/// What stands in a handle.
struct Ticket {
  std::uint32_t magic = 0;
  std::int32_t process = 0, file = 0, node = 0, slot = 0;
  std::uint32_t flags = 0;
  std::uint64_t offset = 0, bytes = 0;
};
constexpr std::uint32_t memory_magic = 0x454d5530, event_magic = 0x454d5531;
static_assert(sizeof(Ticket) <= sizeof(cudaIpcMemHandle_t) && sizeof(Ticket) <= sizeof(cudaIpcEventHandle_t));

template <typename Handle>
Ticket ticket_in(const Handle& handle, std::uint32_t magic) {
  Ticket ticket;
  std::memcpy(&ticket, handle.reserved, sizeof ticket);
  require(ticket.magic == magic && ticket.node == Cluster::current().this_node().index);
  return ticket;
}

Descriptor open_file(const Ticket& ticket) {
  const std::string path = "/proc/" + std::to_string(ticket.process) + "/fd/" + std::to_string(ticket.file);
  Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  require(file.get() >= 0);
  return file;
}

/// A block of another process, mapped here; `references` counts how often it was opened.
struct Import {
  TwinMapping mapping;
  Ticket ticket;
  int references = 1;
};

std::map<void*, Import>& imports() {
  static auto* const made = std::make_unique<std::map<void*, Import>>().release();
  return *made;
}

std::mutex& imports_mutex() {
  static std::mutex mutex;
  return mutex;
}

const Gpu& card_in_slot(int slot) {
  for (const Gpu& gpu : Cluster::current().this_node().gpus) {
    if (gpu.slot == slot) return gpu;
  }
  throw ApiError(cudaErrorInvalidValue);
}

bool same(const Ticket& a, const Ticket& b) {
  return a.process == b.process && a.file == b.file && a.offset == b.offset;
}

void* open_memory(const Ticket& ticket, Device& device) {
  require(ticket.process != getpid(), cudaErrorDeviceUninitialized);
  const Gpu& owner = card_in_slot(ticket.slot);
  require(&owner == device.gpu || peer_possible(*device.gpu, owner), cudaErrorPeerAccessUnsupported);
  const std::lock_guard lock(imports_mutex());
  for (auto& [address, import] : imports()) {
    if (!same(import.ticket, ticket)) continue;
    ++import.references;
    return address;
  }
  const Descriptor file = open_file(ticket);
  // A mapping starts at a page; small allocations need not.
  const std::uint64_t lead = ticket.offset % page;
  TwinMapping mapping(file.get(), ticket.offset - lead, (lead + ticket.bytes + page - 1) / page * page);
  std::byte* const base = mapping.application() + lead;
  process().memory().insert({.place = Place::device,
                             .device = device.ordinal,
                             .gpu = &owner,
                             .base = base,
                             .bytes = ticket.bytes,
                             .alias = mapping.alias() + lead,
                             .imported = true});
  imports().emplace(base, Import{std::move(mapping), ticket});
  return base;
}

void close_memory(void* address) {
  const std::lock_guard lock(imports_mutex());
  const auto found = imports().find(address);
  require(found != imports().end());
  if (--found->second.references > 0) return;
  for (Device& device : process().devices()) process().scheduler().finish(device);
  process().memory().remove(address, Place::device);
  imports().erase(found);
}

}  // namespace

struct IpcEvent {
  explicit IpcEvent(Descriptor descriptor) : file(std::move(descriptor)) {
    void* memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    require(memory != MAP_FAILED, cudaErrorMemoryAllocation);
    words = static_cast<EventWords*>(memory);
  }
  ~IpcEvent() { munmap(words, page); }
  IpcEvent(const IpcEvent&) = delete;
  IpcEvent& operator=(const IpcEvent&) = delete;

  Descriptor file;
  EventWords* words = nullptr;
};

std::shared_ptr<IpcEvent> make_ipc_event() {
  Descriptor file(memfd_create("emulated event", MFD_CLOEXEC));
  require(file.get() >= 0 && ftruncate(file.get(), page) == 0, cudaErrorMemoryAllocation);
  return std::make_shared<IpcEvent>(std::move(file));
}

std::function<double(Execution&)> recording(const std::shared_ptr<IpcEvent>& event) {
  const std::uint64_t number = ++event->words->recorded;
  return [event, number](Execution& execution) {
    event->words->time = execution.start;
    event->words->done = number;
    return execution.start;
  };
}

std::function<double(Execution&)> waiting(const std::shared_ptr<IpcEvent>& event) {
  const std::uint64_t number = event->words->recorded;
  return [event, number](Execution& execution) {
    while (event->words->done < number) std::this_thread::sleep_for(look_again);
    return std::max(execution.start, event->words->time.load());
  };
}

cudaError_t wait_for(IpcEvent& event) {
  const std::uint64_t number = event.words->recorded;
  while (event.words->done < number) std::this_thread::sleep_for(look_again);
  process().raise(event.words->time);
  return cudaSuccess;
}

cudaError_t query(IpcEvent& event) {
  if (event.words->done >= event.words->recorded) return cudaSuccess;
  std::this_thread::sleep_for(look_again);
  return cudaErrorNotReady;
}

}  // namespace emulator

using namespace emulator;

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
  return api(Needs::device, host_cost::create, [&] {
    require(handle != nullptr);
    const auto block = process().memory().find(pointer);
    require(block && block->place == Place::device && !block->imported);
    Device& owner = process().device(block->device);
    const Ticket ticket{.magic = memory_magic,
                        .process = getpid(),
                        .file = owner.arena->file(),
                        .node = owner.gpu->node,
                        .slot = owner.gpu->slot,
                        .flags = 0,
                        .offset = owner.arena->offset(block->base),
                        .bytes = block->bytes};
    *handle = {};
    std::memcpy(handle->reserved, &ticket, sizeof ticket);
  });
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned flags) {
  return api(Needs::device, host_cost::allocate, [&] {
    require(pointer != nullptr && flags == cudaIpcMemLazyEnablePeerAccess);
    *pointer = open_memory(ticket_in(handle, memory_magic), process().current());
  });
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  return api(Needs::device, host_cost::allocate, [&] { close_memory(pointer); });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return api(Needs::device, host_cost::create, [&] {
    const CUevent_st& owner = event_of(event);
    require(handle != nullptr && owner.shared != nullptr);
    const Ticket ticket{.magic = event_magic,
                        .process = getpid(),
                        .file = owner.shared->file.get(),
                        .node = Cluster::current().this_node().index,
                        .slot = 0,
                        .flags = owner.flags,
                        .offset = 0,
                        .bytes = 0};
    *handle = {};
    std::memcpy(handle->reserved, &ticket, sizeof ticket);
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  return api(Needs::device, host_cost::create, [&] {
    require(event != nullptr);
    const Ticket ticket = ticket_in(handle, event_magic);
    require(ticket.process != getpid(), cudaErrorDeviceUninitialized);
    auto opened = std::make_unique<CUevent_st>();
    opened->flags = ticket.flags;
    opened->shared = std::make_shared<IpcEvent>(open_file(ticket));
    *event = adopt_event(std::move(opened));
  });
}
}
