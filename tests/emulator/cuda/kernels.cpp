#include "tests/emulator/cuda/kernels.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <sstream>
#include <unordered_map>

#include "tests/emulator/cuda/errors.hpp"
#include "tests/emulator/cuda/shim/builtins.hpp"
#include "tests/emulator/model/environment.hpp"

namespace emulator {
namespace {

constexpr std::uint32_t wrapper_magic = 0x466243b1, image_magic = 0xba55ed50;

struct Wrapper {
  std::uint32_t magic, version;
  const std::byte* data;
  const void* linked;
};

struct FileHeader {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;
};

/// The beginning of each image in a fat binary.
struct ImageHeader {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;
  std::uint32_t compressed_bytes, options_offset;
  std::uint16_t minor, major;
  std::uint32_t architecture;
};
constexpr std::uint16_t kind_ptx = 1, kind_machine_code = 2;

struct Registry {
  std::mutex mutex;
  std::unordered_map<std::string, Twin> twins;
  std::unordered_map<const void*, Kernel> kernels;
  std::vector<std::unique_ptr<Module>> modules;
  bool extra_twins_loaded = false;
};

Registry& registry() {
  static auto* const made = std::make_unique<Registry>().release();
  return *made;
}

/// Libraries with further twins, which add themselves when they are loaded.
void load_extra_twins() {
  std::istringstream paths(environment("ASSAY_EMULATOR_TWINS"));
  for (std::string path; std::getline(paths, path, ':');) {
    if (!path.empty() && dlopen(path.c_str(), RTLD_NOW) == nullptr)
      give_up(std::string("ASSAY_EMULATOR_TWINS: ") + dlerror());
  }
}

const Twin* find_twin(const std::string& name) {
  Registry& all = registry();
  {
    const std::unique_lock lock(all.mutex);
    if (!std::exchange(all.extra_twins_loaded, true)) {
      all.mutex.unlock();
      load_extra_twins();
      all.mutex.lock();
    }
  }
  const std::lock_guard lock(all.mutex);
  const auto found = all.twins.find(name);
  return found == all.twins.end() ? nullptr : &found->second;
}

}  // namespace

Module::Module(const void* pointer) {
  const auto* wrapper = static_cast<const Wrapper*>(pointer);
  if (wrapper == nullptr || wrapper->magic != wrapper_magic || wrapper->data == nullptr) return;
  FileHeader file{};
  std::memcpy(&file, wrapper->data, sizeof file);
  if (file.magic != image_magic) return;
  const std::byte* at = wrapper->data + file.header_bytes;
  const std::byte* const end = at + file.bytes;
  while (at + sizeof(ImageHeader) <= end) {
    ImageHeader image{};
    std::memcpy(&image, at, sizeof image);
    if (image.header_bytes < sizeof image) return;
    if (image.kind == kind_ptx || image.kind == kind_machine_code) {
      images_.push_back({image.kind == kind_ptx, image.architecture});
    }
    at += image.header_bytes + image.bytes;
  }
}

bool Module::runs_on(const Gpu& gpu) const {
  const auto major = static_cast<std::uint32_t>(gpu.product->compute_major);
  const auto architecture = 10 * major + static_cast<std::uint32_t>(gpu.product->compute_minor);
  for (const Image& image : images_) {
    if (image.architecture > architecture) continue;
    if (image.portable || image.architecture / 10 == major) return true;
  }
  return images_.empty();
}

void add_twin(Twin twin) {
  const std::lock_guard lock(registry().mutex);
  std::string name = twin.name;
  registry().twins.insert_or_assign(std::move(name), std::move(twin));
}

Kernel& kernel_at(const void* function) {
  Kernel* kernel = nullptr;
  {
    const std::lock_guard lock(registry().mutex);
    const auto found = registry().kernels.find(function);
    if (found != registry().kernels.end()) {
      kernel = &found->second;
    } else {
      for (auto& [address, candidate] : registry().kernels) {
        if (&candidate == function) kernel = &candidate;
      }
    }
  }
  require(kernel != nullptr, cudaErrorInvalidDeviceFunction);
  if (kernel->twin == nullptr) kernel->twin = find_twin(kernel->name);
  return *kernel;
}

void run_as(Threads threads, const Shape& shape, const std::function<void()>& body) {
  device_code::gridDim = threads == Threads::one ? dim3(1) : shape.grid;
  device_code::blockDim = threads == Threads::one ? dim3(1) : shape.block;
  const dim3 grid = device_code::gridDim, block = device_code::blockDim;
  const auto each = [](dim3 limit, uint3& index, const auto& work) {
    for (index.z = 0; index.z < limit.z; ++index.z) {
      for (index.y = 0; index.y < limit.y; ++index.y) {
        for (index.x = 0; index.x < limit.x; ++index.x) work();
      }
    }
  };
  each(grid, device_code::blockIdx, [&] { each(block, device_code::threadIdx, body); });
}

}  // namespace emulator

using namespace emulator;

// What the code that nvcc generates calls when it is loaded.
extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  const std::lock_guard lock(registry().mutex);
  registry().modules.push_back(std::make_unique<Module>(wrapper));
  return reinterpret_cast<void**>(registry().modules.back().get());
}

void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void** module, const char* host_function, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  const std::lock_guard lock(registry().mutex);
  registry().kernels[host_function] = {.name = name, .module = reinterpret_cast<const Module*>(module)};
}

void __cudaRegisterVar(void**, char*, char*, const char* name, int, std::size_t, int, int) {
  std::fprintf(stderr, "emulated CUDA: device variable %s is not emulated\n", name);
}

void __cudaRegisterManagedVar(void**, void**, char*, const char* name, int, std::size_t, int, int) {
  std::fprintf(stderr, "emulated CUDA: managed variable %s is not emulated\n", name);
}

void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}
}
