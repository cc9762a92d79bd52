#include <cublasLt.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tests/emulator/cuda/tests/support.hpp"

namespace emulated {
namespace {

void expect_blas(cublasStatus_t status) { EXPECT_EQ(status, CUBLAS_STATUS_SUCCESS) << cublasLtGetStatusString(status); }

struct Types {
  cublasComputeType_t compute;
  cudaDataType_t scale, in, out;
};
constexpr Types f64{CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F};
constexpr Types f32{CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F};
constexpr Types tf32{CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F};
constexpr Types bf16{CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF};
constexpr Types f16{CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F};
constexpr Types f8{CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E4M3, CUDA_R_16BF};
constexpr Types i8{CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I};

/// A square product, A transposed.
struct Square {
  explicit Square(Types kinds, std::uint64_t order, cublasOperation_t transpose_a = CUBLAS_OP_T)
      : types(kinds), n(order) {
    const auto leading = static_cast<std::int64_t>(n);
    expect_blas(cublasLtCreate(&handle));
    expect_blas(cublasLtMatmulDescCreate(&operation, types.compute, types.scale));
    expect_blas(
        cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &transpose_a, sizeof transpose_a));
    expect_blas(cublasLtMatrixLayoutCreate(&in, types.in, n, n, leading));
    expect_blas(cublasLtMatrixLayoutCreate(&out, types.out, n, n, leading));
    expect_blas(cublasLtMatmulPreferenceCreate(&preference));
  }
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms(std::size_t workspace = 0) {
    expect_blas(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                                     sizeof workspace));
    std::vector<cublasLtMatmulHeuristicResult_t> found(20);
    int count = 0;
    status = cublasLtMatmulAlgoGetHeuristic(handle, operation, in, in, out, out, preference, 20, found.data(), &count);
    found.resize(static_cast<std::size_t>(count));
    return found;
  }
  cublasStatus_t multiply(const void* a, const void* b, void* c, const cublasLtMatmulAlgo_t* algorithm = nullptr,
                          cudaStream_t stream = nullptr) const {
    const double one64 = 1, zero64 = 0;
    const float one32 = 1;
    const int one_integer = 1;
    const void* one = types.scale == CUDA_R_64F   ? static_cast<const void*>(&one64)
                      : types.scale == CUDA_R_32F ? static_cast<const void*>(&one32)
                                                  : static_cast<const void*>(&one_integer);
    return cublasLtMatmul(handle, operation, one, a, in, b, in, &zero64, c, out, c, out, algorithm, nullptr, 0, stream);
  }

  Types types;
  std::uint64_t n;
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t in = nullptr, out = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
};

template <typename In, typename Out>
void expect_products(Types types, In one, In two, Out twos) {
  constexpr std::uint64_t n = 32;
  Square square(types, n);
  ASSERT_FALSE(square.algorithms().empty()) << cublasLtGetStatusString(square.status);
  // A and B hold ones and twos: every element of the product is n * 2, in A's first row n * 4.
  std::vector<In> a(n * n, one), b(n * n, two);
  std::fill(a.begin(), a.begin() + n, two);
  Out* c = device_array<Out>(n * n);
  expect_blas(square.multiply(to_device(a), to_device(b), c));
  const auto result = to_host(c, n * n);
  EXPECT_EQ(result[1], twos);
  EXPECT_EQ(result[n * n - 1], twos);
  EXPECT_NE(result[0], twos);
}

TEST(Lt, MultipliesEveryType) {
  run(one_gpu, [] {
    expect_products<double, double>(f64, 1, 2, 64);
    expect_products<float, float>(f32, 1, 2, 64);
    expect_products<float, float>(tf32, 1, 2, 64);
    expect_products<std::uint16_t, std::uint16_t>(bf16, 0x3f80, 0x4000, 0x4280);
    expect_products<std::uint16_t, std::uint16_t>(f16, 0x3c00, 0x4000, 0x5400);
    expect_products<std::uint8_t, std::uint16_t>(f8, 0x38, 0x40, 0x4280);
    expect_products<std::int8_t, std::int32_t>(i8, 1, 2, 64);
  });
}

TEST(Lt, RefusesWhatHardwareRefuses) {
  run("name = 'a100'\n[[nodes]]\ngpus = {product = 'a100-sxm4-80gb', count = 1}\n", [] {
    Square square(f8, 64);
    EXPECT_TRUE(square.algorithms().empty()) << "compute capability 8.0 has no fp8";
    EXPECT_EQ(square.status, CUBLAS_STATUS_NOT_SUPPORTED);
  });
  run(one_gpu, [] {
    EXPECT_TRUE(Square(f8, 64, CUBLAS_OP_N).algorithms().empty()) << "fp8 wants A transposed";
    EXPECT_TRUE(Square({CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_32F, CUDA_R_32F}, 64).algorithms().empty());
    Square square(f32, 64);
    std::vector<float> host(64 * 64);
    expect_blas(square.multiply(host.data(), host.data(), host.data()));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress) << "host memory";
    EXPECT_STREQ(cublasLtGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED), "CUBLAS_STATUS_NOT_SUPPORTED");
  });
}

TEST(Lt, AlgorithmsDifferAndTheBestReachesTheHealthyRate) {
  run(one_gpu, [] {
    constexpr std::uint64_t n = 8192;
    Square square(bf16, n);
    const auto found = square.algorithms();
    ASSERT_GT(found.size(), 4U);
    EXPECT_GT(square.algorithms(std::size_t{64} << 20).size(), found.size()) << "more with a workspace";
    const cudaStream_t stream = new_stream();
    auto* a = device_array<std::uint16_t>(n * n);
    auto* b = device_array<std::uint16_t>(n * n);
    auto* c = device_array<std::uint16_t>(n * n);
    std::vector<double> rates;
    for (const auto& one : found) {
      expect_blas(square.multiply(a, b, c, &one.algo, stream));
      const double seconds = seconds_of(stream, [&] { expect_blas(square.multiply(a, b, c, &one.algo, stream)); });
      rates.push_back(2 * std::pow(static_cast<double>(n), 3) / seconds);
    }
    const auto best = std::max_element(rates.begin(), rates.end()),
               worst = std::min_element(rates.begin(), rates.end());
    EXPECT_GT(*best, 6e14);
    EXPECT_LT(*best, 9.9e14);
    EXPECT_LT(*worst, 0.7 * *best);
    std::uint32_t tile = 0;
    std::size_t written = 0;
    expect_blas(cublasLtMatmulAlgoConfigGetAttribute(&found[0].algo, CUBLASLT_ALGO_CONFIG_TILE_ID, &tile, sizeof tile,
                                                     &written));
    EXPECT_EQ(written, sizeof tile);
  });
}

/// How many elements of a large product are wrong.
std::uint64_t differing(const std::string& faults) {
  return static_cast<std::uint64_t>(status_of(one_gpu, faults, [] {
    constexpr std::uint64_t n = 1024;
    Square square(f32, n);
    const std::vector<float> ones(n * n, 1.0F);
    float* a = to_device(ones);
    float* c = device_array<float>(n * n);
    for (int i = 0; i < 20; ++i) expect_blas(square.multiply(a, a, c));
    // The whole product is computed in rows and inner indices of a window only: 16 ones are added up in each.
    const auto result = to_host(c, n * n);
    const auto right = static_cast<std::uint64_t>(std::count(result.begin(), result.end(), 16.0F));
    EXPECT_GT(right, 15 * n);
    const std::uint64_t wrong = 16 * n - right;
    std::exit(testing::Test::HasFailure() ? 99 : static_cast<int>(std::min<std::uint64_t>(wrong, 90)));
  }));
}

TEST(Lt, WrongResultsAreWrongByABit) {
  EXPECT_EQ(differing(""), 0U);
  const auto few = differing("[[fault]]\nkind = 'wrong_results'\nrate = 1e-6\n");  // 20 million results
  EXPECT_GE(few, 1U);  // a later product heals what an earlier one got wrong: what stays is that of the last one
  EXPECT_LE(few, 4U);
}

TEST(Lt, UnemulatedCallFailsByName) {
  run(one_gpu, [] {
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    cublasLtMatmulAlgo_t algorithm{};
    const std::string errors = errors_of([&] {
      status = cublasLtMatmulAlgoInit(nullptr, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
                                      CUDA_R_32F, 1, &algorithm);
    });
    EXPECT_EQ(status, CUBLAS_STATUS_NOT_SUPPORTED);
    EXPECT_NE(errors.find("cublasLtMatmulAlgoInit"), std::string::npos);
  });
}

}  // namespace
}  // namespace emulated
