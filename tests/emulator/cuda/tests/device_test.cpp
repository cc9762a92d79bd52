#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/emulator/cuda/tests/sample.hpp"
#include "tests/emulator/cuda/tests/support.hpp"

namespace emulated {
namespace {

int device_count() {
  int count = -1;
  const cudaError_t code = cudaGetDeviceCount(&count);
  return code == cudaSuccess ? count : -static_cast<int>(code);
}

TEST(Device, ShowsWhatTheClusterHas) {
  run(two_gpus, [] {
    EXPECT_EQ(device_count(), 2);
    cudaDeviceProp properties{};
    expect_ok(cudaGetDeviceProperties(&properties, 1));
    EXPECT_NE(std::string(properties.name).find("H100"), std::string::npos) << properties.name;
    EXPECT_EQ(properties.major, 9);
    EXPECT_EQ(properties.multiProcessorCount, 132);
    EXPECT_NEAR(static_cast<double>(properties.totalGlobalMem), 80e9, 8e9);
    int clusters = 0;
    expect_ok(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, 0));
    EXPECT_EQ(clusters, 1);
    EXPECT_EQ(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, 2), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
    EXPECT_STREQ(cudaGetErrorString(cudaPeekAtLastError()), "invalid device ordinal");
    EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaErrorInvalidDevice");
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  });
}

TEST(Device, PciAddressLeadsBack) {
  run(two_gpus, [] {
    char text[32];
    expect_ok(cudaDeviceGetPCIBusId(text, sizeof text, 1));
    EXPECT_EQ(std::strlen(text), 12U) << text;
    int device = -1;
    expect_ok(cudaDeviceGetByPCIBusId(&device, text));
    EXPECT_EQ(device, 1);
  });
}

TEST(Device, VisibleDevicesAreHonoured) {
  const auto count = [](const char* list) {
    return status_of(two_gpus, "", [list] {
      setenv("CUDA_VISIBLE_DEVICES", list, 1);
      std::exit(device_count() & 0xff);
    });
  };
  EXPECT_EQ(count("1"), 1);
  EXPECT_EQ(count("1,0"), 2);
  EXPECT_EQ(count("0,7,1"), 1);
  EXPECT_EQ(count("GPU-emu00001"), 1);
  EXPECT_EQ(count(""), -cudaErrorNoDevice & 0xff);
  EXPECT_EQ(count("0,0"), -cudaErrorNoDevice & 0xff);
}

TEST(Device, VisibleDevicesGiveTheOrder) {
  run(two_gpus, [] {
    setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
    char first[32], second[32];
    expect_ok(cudaDeviceGetPCIBusId(first, sizeof first, 0));
    expect_ok(cudaDeviceGetPCIBusId(second, sizeof second, 1));
    EXPECT_GT(std::string(first), std::string(second));
  });
}

TEST(Device, OldDriverAndMissingGpu) {
  run(
      two_gpus,
      [] {
        int count = 42, version = 0;
        EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
        EXPECT_EQ(count, 42);
        expect_ok(cudaDriverGetVersion(&version));
        EXPECT_GT(version, 0);
        void* memory = nullptr;
        EXPECT_EQ(cudaMalloc(&memory, 64), cudaErrorInsufficientDriver);
      },
      "[[fault]]\nkind = 'driver_too_old'\n");
  run(
      two_gpus, [] { EXPECT_EQ(device_count(), 1); }, "[[fault]]\nkind = 'missing_gpu'\ngpu = 0\n");
}

TEST(Device, LesserCardsUnderTheSameName) {
  const auto memory = [](std::size_t& bytes, int& multiprocessors) {
    cudaDeviceProp properties{};
    expect_ok(cudaGetDeviceProperties(&properties, 0));
    bytes = properties.totalGlobalMem;
    multiprocessors = properties.multiProcessorCount;
    EXPECT_NE(std::string(properties.name).find("H100"), std::string::npos);
  };
  run(
      one_gpu,
      [&] {
        std::size_t bytes = 0;
        int multiprocessors = 0;
        memory(bytes, multiprocessors);
        EXPECT_LT(bytes, 44e9);
      },
      "[[fault]]\nkind = 'half_memory'\n");
  run(
      one_gpu,
      [&] {
        std::size_t bytes = 0;
        int multiprocessors = 0;
        memory(bytes, multiprocessors);
        EXPECT_EQ(multiprocessors, 108);
      },
      "[[fault]]\nkind = 'renamed'\nproduct = 'a100-sxm4-80gb'\n");
}

TEST(Device, PeerAccessHasToBeSwitchedOn) {
  run(two_gpus, [] {
    int can = 0;
    expect_ok(cudaDeviceCanAccessPeer(&can, 0, 1));
    EXPECT_EQ(can, 1);
    EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    expect_ok(cudaDeviceEnablePeerAccess(1, 0));
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    expect_ok(cudaDeviceDisablePeerAccess(1));
  });
  run(
      two_gpus,
      [] {
        int can = 1;
        expect_ok(cudaDeviceCanAccessPeer(&can, 0, 1));
        EXPECT_EQ(can, 0);
        EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported);
      },
      without_peers);
}

TEST(Device, MemoryRunsOut) {
  run(one_gpu, [] {
    std::size_t available = 0, total = 0, now = 0;
    expect_ok(cudaMemGetInfo(&available, &total));
    EXPECT_LT(available, total);
    void *most = nullptr, *more = nullptr;
    EXPECT_EQ(cudaMalloc(&more, total), cudaErrorMemoryAllocation);
    EXPECT_EQ(more, nullptr);
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
    expect_ok(cudaMalloc(&most, available - (std::size_t{64} << 20)));
    expect_ok(cudaMemGetInfo(&now, &total));
    EXPECT_LE(now, std::size_t{64} << 20);
    EXPECT_EQ(cudaMalloc(&more, std::size_t{80} << 20), cudaErrorMemoryAllocation);
    expect_ok(cudaFree(most));
    expect_ok(cudaMemGetInfo(&now, &total));
    EXPECT_EQ(now, available);
  });
  run(
      one_gpu,
      [] {
        std::size_t available = 0, total = 0;
        expect_ok(cudaMemGetInfo(&available, &total));
        EXPECT_LT(static_cast<double>(available), 0.41 * static_cast<double>(total));
      },
      "[[fault]]\nkind = 'out_of_memory'\nfraction = 0.6\n");
}

}  // namespace
}  // namespace emulated
