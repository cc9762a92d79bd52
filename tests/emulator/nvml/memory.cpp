// Memory, its errors, and who holds it.
#include <algorithm>

#include "tests/emulator/nvml/handles.hpp"

namespace {

using namespace emulator;        // NOLINT: every name here is of the emulator
using namespace emulator::nvml;  // NOLINT

/// What driver and firmware keep for themselves.
constexpr Wide reserved_bytes = Wide{512} << 20;
constexpr Unsigned foreign_pid = 4000000;

/// Of the board: a slice has only a part of it.
Wide board_bytes(const Gpu& gpu) {
  const auto* slice = gpu.fault(FaultKind::mig_slice);
  return slice == nullptr ? gpu.memory_bytes
                          : static_cast<Wide>(static_cast<double>(gpu.memory_bytes) / slice->fraction);
}

Wide used_bytes(const Gpu& gpu) {
  return std::min<Wide>(board_bytes(gpu) - reserved_bytes, memory_held(gpu) + gpu.foreign_bytes);
}

template <class Entry>
int list_processes(void* device, Unsigned* count, void* entries) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        const Unsigned room = *count;
        *count = gpu.foreign_bytes > 0 ? 1 : 0;
        if (*count == 0) return success;
        if (room == 0) return insufficient_size;
        if (entries == nullptr) return invalid_argument;
        Entry entry{};
        entry.pid = foreign_pid;
        entry.used_memory = gpu.foreign_bytes;
        if constexpr (sizeof(Entry) > sizeof(ProcessV1)) entry.gpu_instance = entry.compute_instance = ~0U;
        std::memcpy(entries, &entry, sizeof entry);
        return success;
      },
      count);
}

int no_processes(void* device, Unsigned* count) {
  return on_card(
      device,
      [&](const Gpu&) {
        *count = 0;
        return success;
      },
      count);
}

bool has_ecc(const Gpu& gpu) { return !gpu.product->consumer; }

int errors_of(void* device, Unsigned kind, Unsigned span, Wide* count) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        if (!has_ecc(gpu)) return not_supported;
        if (kind > 1 || span > 1) return invalid_argument;
        const auto now = live_state(gpu);
        *count = kind == 0 ? now.ecc_corrected : now.ecc_uncorrected;
        return success;
      },
      count);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        const Wide total = board_bytes(gpu);
        const Wide used = used_bytes(gpu) + reserved_bytes;
        *memory = {total, total - used, used};
        return success;
      },
      memory);
}
int nvmlDeviceGetMemoryInfo_v2(void* device, MemoryV2* memory) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        if (memory->version != versioned(sizeof(MemoryV2), 2)) return version_mismatch;
        const Wide total = board_bytes(gpu);
        const Wide used = used_bytes(gpu);
        *memory = {memory->version, total, reserved_bytes, total - used - reserved_bytes, used};
        return success;
      },
      memory);
}
int nvmlDeviceGetBAR1MemoryInfo(void* device, Memory* memory) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        Wide total = Wide{256} << 20;
        while (gpu.product->memory_mhz < 5000 && total < board_bytes(gpu)) total *= 2;
        *memory = {total, total - (Wide{1} << 20), Wide{1} << 20};
        return success;
      },
      memory);
}

int nvmlDeviceGetComputeRunningProcesses_v3(void* device, Unsigned* count, void* entries) {
  return list_processes<Process>(device, count, entries);
}
int nvmlDeviceGetComputeRunningProcesses_v2(void* device, Unsigned* count, void* entries) {
  return list_processes<Process>(device, count, entries);
}
int nvmlDeviceGetComputeRunningProcesses(void* device, Unsigned* count, void* entries) {
  return list_processes<ProcessV1>(device, count, entries);
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void* device, Unsigned* count, void*) {
  return no_processes(device, count);
}
int nvmlDeviceGetGraphicsRunningProcesses(void* device, Unsigned* count, void*) { return no_processes(device, count); }

int nvmlDeviceGetEccMode(void* device, Unsigned* now, Unsigned* pending) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        if (!has_ecc(gpu)) return not_supported;
        *now = *pending = 1;
        return success;
      },
      now, pending);
}
int nvmlDeviceGetTotalEccErrors(void* device, Unsigned kind, Unsigned span, Wide* count) {
  return errors_of(device, kind, span, count);
}
int nvmlDeviceGetMemoryErrorCounter(void* device, Unsigned kind, Unsigned span, Unsigned place, Wide* count) {
  constexpr Unsigned device_memory = 2;
  const int code = errors_of(device, kind, span, count);
  if (code == success && place != device_memory) *count = 0;
  return code;
}
int nvmlDeviceGetRemappedRows(void* device, Unsigned* corrected, Unsigned* uncorrected, Unsigned* pending,
                              Unsigned* failed) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        if (!has_ecc(gpu) || gpu.product->compute_major < 8) return not_supported;
        *corrected = *failed = 0;
        *uncorrected = *pending = live_state(gpu).ecc_uncorrected > 0 ? 1 : 0;
        return success;
      },
      corrected, uncorrected, pending, failed);
}
int nvmlDeviceGetRetiredPages(void* device, Unsigned, Unsigned* count, Wide*) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        // Since Ampere rows are remapped instead.
        if (!has_ecc(gpu) || gpu.product->compute_major >= 8) return not_supported;
        *count = 0;
        return success;
      },
      count);
}
int nvmlDeviceGetRetiredPagesPendingStatus(void* device, Unsigned* pending) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        if (!has_ecc(gpu) || gpu.product->compute_major >= 8) return not_supported;
        *pending = 0;
        return success;
      },
      pending);
}

}  // extern "C"
#pragma GCC visibility pop
