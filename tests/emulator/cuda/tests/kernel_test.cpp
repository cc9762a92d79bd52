#include <csignal>
#include <cstdlib>

#include "tests/emulator/cuda/tests/sample.hpp"
#include "tests/emulator/cuda/tests/support.hpp"

namespace emulated {
namespace {

TEST(Kernel, RunsItsOwnSource) {
  run(one_gpu, [] {
    const std::vector<float> a(1000, 1.5F), b(1000, 2.0F);
    float* sum = device_array<float>(a.size());
    expect_ok(sample::launch_add(to_device(a), to_device(b), sum, 1000));
    expect_ok(cudaDeviceSynchronize());
    EXPECT_EQ(to_host(sum, a.size()), std::vector<float>(1000, 3.5F));
  });
}

TEST(Kernel, LaunchesByFunction) {
  run(one_gpu, [] {
    unsigned* counter = to_device(std::vector<unsigned>{0});
    unsigned* none = nullptr;
    void* arguments[] = {&counter, &none};
    expect_ok(cudaLaunchKernel(sample::count_kernel(), dim3(2, 2), dim3(4), arguments, 0, nullptr));
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(3);
    configuration.blockDim = dim3(1, 2, 1);
    expect_ok(cudaLaunchKernelExC(&configuration, sample::count_kernel(), arguments));
    EXPECT_EQ(to_host(counter, 1)[0], 16U + 6U);
    EXPECT_EQ(cudaLaunchKernel(&configuration, dim3(1), dim3(1), arguments, 0, nullptr),
              cudaErrorInvalidDeviceFunction);
  });
}

TEST(Kernel, LimitsOfLaunches) {
  run(one_gpu, [] {
    unsigned* counter = to_device(std::vector<unsigned>{0});
    EXPECT_EQ(sample::launch_count(counter, nullptr, 1, 1025), cudaErrorInvalidConfiguration);
    EXPECT_EQ(sample::launch_count(counter, nullptr, 0, 1), cudaErrorInvalidConfiguration);
    unsigned* none = nullptr;
    void* arguments[] = {&counter, &none};
    const auto launch = [&](dim3 grid, dim3 block, std::size_t shared) {
      return cudaLaunchKernel(sample::count_kernel(), grid, block, arguments, shared, nullptr);
    };
    EXPECT_EQ(launch(dim3(1, 70000), dim3(1), 0), cudaErrorInvalidConfiguration);
    EXPECT_EQ(launch(dim3(1), dim3(32, 33), 0), cudaErrorInvalidConfiguration) << "1056 threads";
    EXPECT_EQ(launch(dim3(1), dim3(1, 1, 65), 0), cudaErrorInvalidConfiguration);
    EXPECT_EQ(launch(dim3(1), dim3(1), 100'000), cudaErrorInvalidValue);
    expect_ok(cudaFuncSetAttribute(sample::count_kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, 100'000));
    expect_ok(launch(dim3(1), dim3(1), 100'000));
    EXPECT_EQ(cudaLaunchCooperativeKernel(sample::count_kernel(), dim3(100'000), dim3(1024), arguments, 0, nullptr),
              cudaErrorCooperativeLaunchTooLarge);
    EXPECT_EQ(to_host(counter, 1)[0], 1U) << "refused launches did nothing";
  });
}

TEST(Kernel, UnknownKernelFailsByName) {
  run(one_gpu, [] {
    cudaError_t code = cudaSuccess;
    const std::string errors = errors_of([&] { code = sample::launch_unknown(); });
    EXPECT_EQ(code, cudaErrorInvalidDeviceFunction);
    EXPECT_NE(errors.find("sample_unknown"), std::string::npos) << errors;
  });
}

TEST(Kernel, OtherArchitectureHasNoImage) {
  const std::string a100 = "name = 'a100'\n[[nodes]]\ngpus = {product = 'a100-sxm4-80gb', count = 1}\n";
  run(a100, [] {
    setenv("ASSAY_EMULATOR_IMAGES", "1", 1);
    unsigned* counter = to_device(std::vector<unsigned>{0});
    EXPECT_EQ(sample::launch_count(counter, nullptr, 1, 1), cudaErrorNoKernelImageForDevice);
  });
}

TEST(Kernel, HostMemoryIsOutOfReachAndTheErrorStays) {
  run(one_gpu, [] {
    std::vector<float> pageable(16);
    float* sum = device_array<float>(16);
    expect_ok(sample::launch_add(pageable.data(), sum, sum, 16));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress) << "it cannot be cleared";
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 64), cudaErrorIllegalAddress);
  });
}

TEST(Kernel, BeyondTheEndIsIllegal) {
  run(one_gpu, [] {
    float* memory = device_array<float>(16);
    expect_ok(sample::launch_add(memory, memory, memory, 17));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  });
}

TEST(Kernel, PeerMemoryNeedsAccess) {
  const auto add = [](bool enabled) {
    float* far = to_device(std::vector<float>(64, 2.0F));
    expect_ok(cudaSetDevice(1));
    if (enabled) expect_ok(cudaDeviceEnablePeerAccess(0, 0));
    float* sum = device_array<float>(64);
    expect_ok(sample::launch_add(far, far, sum, 64));
    if (enabled) {
      EXPECT_EQ(to_host(sum, 64)[63], 4.0F);
    } else {
      EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    }
  };
  run(two_gpus, [&] { add(true); });
  run(two_gpus, [&] { add(false); });
}

TEST(Kernel, UnemulatedCallFailsByName) {
  run(one_gpu, [] {
    void* memory = nullptr;
    cudaError_t code = cudaSuccess;
    const std::string errors = errors_of([&] { code = cudaMallocManaged(&memory, 64, cudaMemAttachGlobal); });
    EXPECT_EQ(code, cudaErrorNotSupported);
    EXPECT_NE(errors.find("cudaMallocManaged"), std::string::npos) << errors;
  });
}

TEST(Fault, CrashHangAndLoss) {
  const auto launches = [] {
    unsigned* counter = device_array<unsigned>(1);
    for (int i = 0; i < 6; ++i) {
      sample::launch_count(counter, nullptr, 1, 1);
      cudaDeviceSynchronize();
    }
  };
  EXPECT_EQ(status_of(one_gpu, "[[fault]]\nkind = 'crash'\noperation = 'sample_count'\nafter = 3\n", launches),
            -SIGKILL);
  run(
      one_gpu,
      [] {
        unsigned* counter = device_array<unsigned>(1);
        for (int i = 0; i < 2; ++i) {
          expect_ok(sample::launch_count(counter, nullptr, 1, 1));
          expect_ok(cudaDeviceSynchronize());
        }
        expect_ok(sample::launch_count(counter, nullptr, 1, 1));
        for (int look = 0; look < 100; ++look) EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
      },
      "[[fault]]\nkind = 'hang'\noperation = 'sample_count'\nafter = 2\n");
  run(
      one_gpu,
      [&] {
        launches();
        EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorDevicesUnavailable);
        EXPECT_EQ(cudaGetLastError(), cudaErrorDevicesUnavailable);
      },
      "[[fault]]\nkind = 'lost_gpu'\nafter = 4\n");
}

}  // namespace
}  // namespace emulated
