#include "tests/emulator/nccl/reduce.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/emulator/nccl/small_floats.hpp"

namespace emulator::nccl {
namespace {

/// Floats of all kinds: random bits, halfway points, edges.
std::vector<float> samples() {
  std::mt19937 random(7);
  std::vector<float> values{0.0F,
                            -0.0F,
                            1.0F,
                            65504.0F,
                            65519.9F,
                            65520.0F,
                            448.0F,
                            464.0F,
                            480.0F,
                            57344.0F,
                            1e-8F,
                            1e38F,
                            3.4e38F,
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()};
  for (int i = 0; i < 300000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(value)) values.push_back(value);
    values.push_back(std::ldexp(static_cast<float>(random() % 8192), static_cast<int>(random() % 40) - 30));
  }
  return values;
}

template <typename Mine, typename Theirs>
void expect_same(Theirs theirs) {
  for (const float value : samples()) {
    ASSERT_EQ(Mine::encode(value), theirs(value)) << value;
  }
}

// The toolkit's own conversions of the host are the reference.
TEST(SmallFloats, RoundAsTheToolkitDoes) {
  expect_same<Half>([](float value) { return __half_as_ushort(__float2half_rn(value)); });
  expect_same<Bfloat16>([](float value) { return __bfloat16_as_ushort(__float2bfloat16_rn(value)); });
  expect_same<E4m3>([](float value) { return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3); });
  expect_same<E5m2>([](float value) { return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E5M2); });
}

TEST(SmallFloats, DecodeWhatTheyEncode) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float value = Half::decode(static_cast<std::uint16_t>(bits));
    if (!std::isnan(value)) {
      ASSERT_EQ(Half::encode(value), bits);
    }
    const float brain = Bfloat16::decode(static_cast<std::uint16_t>(bits));
    if (!std::isnan(brain)) {
      ASSERT_EQ(Bfloat16::encode(brain), bits);
    }
  }
  for (unsigned bits = 0; bits < 256; ++bits) {
    const float value = E4m3::decode(static_cast<std::uint8_t>(bits));
    if (!std::isnan(value)) {
      ASSERT_EQ(E4m3::encode(value), bits);
    }
  }
  EXPECT_TRUE(std::isnan(E4m3::decode(0x7f)));
  EXPECT_EQ(E4m3::decode(0x7e), 448.0F);
}

template <typename T>
T reduced(ncclDataType_t type, Reduction reduction, const std::vector<T>& values) {
  std::vector<const std::byte*> sources;
  for (const T& value : values) sources.push_back(reinterpret_cast<const std::byte*>(&value));
  T result{};
  reduce(type, reduction, sources, reinterpret_cast<std::byte*>(&result), 1);
  return result;
}

TEST(Reduce, EveryOperation) {
  const std::vector<std::int32_t> values{7, -3, 5, 2};
  EXPECT_EQ(reduced(ncclInt32, {ncclSum}, values), 11);
  EXPECT_EQ(reduced(ncclInt32, {ncclProd}, values), -210);
  EXPECT_EQ(reduced(ncclInt32, {ncclMax}, values), 7);
  EXPECT_EQ(reduced(ncclInt32, {ncclMin}, values), -3);
  EXPECT_EQ(reduced(ncclInt32, {ncclAvg}, values), 2);
  EXPECT_EQ(reduced<float>(ncclFloat32, {ncclAvg}, {1, 2, 3, 4}), 2.5F);
  EXPECT_EQ(reduced<double>(ncclFloat64, {.operation = ncclSum, .scaled = true, .scalar = 0.5}, {1, 2, 3, 4}), 5.0);
  EXPECT_EQ(reduced<std::int8_t>(ncclInt8, {ncclSum}, {100, 100}), -56) << "wraps as the hardware does";
}

TEST(Reduce, RoundsEachStepToTheType) {
  const auto half = [](float value) { return Half::encode(value); };
  // 2048 + 1 is halfway to 2050: to even, twice. In one sum it would be 2050.
  EXPECT_EQ(Half::decode(reduced<std::uint16_t>(ncclFloat16, {ncclSum}, {half(2048), half(1), half(1)})), 2048);
  const auto e4m3 = [](float value) { return E4m3::encode(value); };
  EXPECT_EQ(E4m3::decode(reduced<std::uint8_t>(ncclFloat8e4m3, {ncclSum}, {e4m3(448), e4m3(448)})), 448);
  EXPECT_EQ(E4m3::decode(reduced<std::uint8_t>(ncclFloat8e4m3, {ncclSum}, {e4m3(3), e4m3(5)})), 8);
}

TEST(Reduce, LongRangesPieceByPiece) {
  std::vector<float> a(10001), b(10001), c(10001);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i);
    b[i] = static_cast<float>(2 * i + 1);
  }
  const auto bytes = [](std::vector<float>& v) { return reinterpret_cast<std::byte*>(v.data()); };
  reduce(ncclFloat32, {ncclSum}, {bytes(a), bytes(b)}, bytes(c), c.size());
  for (std::size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i], static_cast<float>(3 * i + 1));
}

}  // namespace
}  // namespace emulator::nccl
