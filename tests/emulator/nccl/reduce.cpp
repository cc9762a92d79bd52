#include "tests/emulator/nccl/reduce.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tests/emulator/nccl/small_floats.hpp"

namespace emulator::nccl {
namespace {

/// Elements are worked on in pieces that fit the nearest cache.
constexpr std::size_t piece = 2048;

template <typename T>
struct Plain {
  using stored = T;
  using computed = T;
  static T load(T value) { return value; }
  static T round(T value) { return value; }
  static T store(T value) { return value; }
};

template <typename Format>
struct Small {
  using stored = typename Format::bits;
  using computed = float;
  static float load(stored value) { return Format::table()[value]; }
  static float round(float value) { return Format::table()[Format::encode(value)]; }
  static stored store(float value) { return Format::encode(value); }
};

template <typename T>
T add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}

template <typename T>
T multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  } else {
    return a * b;
  }
}

template <typename T>
T combine(ncclRedOp_t operation, T a, T b) {
  switch (operation) {
    case ncclProd:
      return multiply(a, b);
    case ncclMax:
      return std::max(a, b);
    case ncclMin:
      return std::min(a, b);
    default:
      return add(a, b);
  }
}

template <typename Type>
class Reducer {
  using Stored = typename Type::stored;
  using Computed = typename Type::computed;

 public:
  Reducer(const Reduction& reduction, std::size_t ranks) : reduction_(reduction), ranks_(ranks) {
    const bool average = reduction.operation == ncclAvg && !std::is_integral_v<Computed>;
    scaled_ = reduction.scaled || average;
    scalar_ = Type::round(static_cast<Computed>(average ? 1.0 / static_cast<double>(ranks) : reduction.scalar));
  }

  void run(const std::vector<const std::byte*>& sources, std::byte* result, std::size_t count) const {
    std::array<Computed, piece> sum{};
    std::array<Stored, piece> input{};
    for (std::size_t from = 0; from < count; from += piece) {
      const std::size_t part = std::min(piece, count - from);
      for (std::size_t source = 0; source < sources.size(); ++source) {
        std::memcpy(input.data(), sources[source] + from * sizeof(Stored), part * sizeof(Stored));
        source == 0 ? take(input, sum, part) : merge(input, sum, part);
      }
      for (std::size_t i = 0; i < part; ++i) input[i] = Type::store(finished(sum[i]));
      std::memcpy(result + from * sizeof(Stored), input.data(), part * sizeof(Stored));
    }
  }

 private:
  Computed value(Stored stored) const {
    const Computed loaded = Type::load(stored);
    return scaled_ ? Type::round(multiply(loaded, scalar_)) : loaded;
  }
  void take(const std::array<Stored, piece>& input, std::array<Computed, piece>& sum, std::size_t part) const {
    for (std::size_t i = 0; i < part; ++i) sum[i] = value(input[i]);
  }
  void merge(const std::array<Stored, piece>& input, std::array<Computed, piece>& sum, std::size_t part) const {
    for (std::size_t i = 0; i < part; ++i) {
      sum[i] = Type::round(combine(reduction_.operation, sum[i], value(input[i])));
    }
  }
  Computed finished(Computed sum) const {
    if constexpr (std::is_integral_v<Computed>) {
      if (reduction_.operation == ncclAvg) return static_cast<Computed>(sum / static_cast<Computed>(ranks_));
    }
    return sum;
  }

  Reduction reduction_;
  std::size_t ranks_;
  bool scaled_ = false;
  Computed scalar_{};
};

template <typename Type>
void reduce_as(const Reduction& reduction, const std::vector<const std::byte*>& sources, std::byte* result,
               std::size_t count) {
  Reducer<Type>(reduction, sources.size()).run(sources, result, count);
}

}  // namespace

std::size_t size_of(ncclDataType_t type) {
  constexpr std::array<std::size_t, ncclNumTypes> sizes{1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return type >= 0 && type < ncclNumTypes ? sizes[static_cast<std::size_t>(type)] : 0;
}

const char* name_of(ncclDataType_t type) {
  constexpr std::array<const char*, ncclNumTypes> names{
      "ncclInt8",    "ncclUint8",   "ncclInt32",   "ncclUint32",   "ncclInt64",      "ncclUint64",
      "ncclFloat16", "ncclFloat32", "ncclFloat64", "ncclBfloat16", "ncclFloat8e4m3", "ncclFloat8e5m2"};
  return type >= 0 && type < ncclNumTypes ? names[static_cast<std::size_t>(type)] : "Unknown";
}

double value_of(ncclDataType_t type, const void* element) {
  const auto as = [&]<typename Type>(Type) {
    typename Type::stored stored{};
    std::memcpy(&stored, element, sizeof(stored));
    return static_cast<double>(Type::load(stored));
  };
  switch (type) {
    case ncclInt8:
      return as(Plain<std::int8_t>{});
    case ncclUint8:
      return as(Plain<std::uint8_t>{});
    case ncclInt32:
      return as(Plain<std::int32_t>{});
    case ncclUint32:
      return as(Plain<std::uint32_t>{});
    case ncclInt64:
      return as(Plain<std::int64_t>{});
    case ncclUint64:
      return as(Plain<std::uint64_t>{});
    case ncclFloat16:
      return as(Small<Half>{});
    case ncclFloat32:
      return as(Plain<float>{});
    case ncclFloat64:
      return as(Plain<double>{});
    case ncclBfloat16:
      return as(Small<Bfloat16>{});
    case ncclFloat8e4m3:
      return as(Small<E4m3>{});
    case ncclFloat8e5m2:
      return as(Small<E5m2>{});
    case ncclNumTypes:
      break;
  }
  return 0;
}

void reduce(ncclDataType_t type, const Reduction& reduction, const std::vector<const std::byte*>& sources,
            std::byte* result, std::size_t count) {
  switch (type) {
    case ncclInt8:
      return reduce_as<Plain<std::int8_t>>(reduction, sources, result, count);
    case ncclUint8:
      return reduce_as<Plain<std::uint8_t>>(reduction, sources, result, count);
    case ncclInt32:
      return reduce_as<Plain<std::int32_t>>(reduction, sources, result, count);
    case ncclUint32:
      return reduce_as<Plain<std::uint32_t>>(reduction, sources, result, count);
    case ncclInt64:
      return reduce_as<Plain<std::int64_t>>(reduction, sources, result, count);
    case ncclUint64:
      return reduce_as<Plain<std::uint64_t>>(reduction, sources, result, count);
    case ncclFloat16:
      return reduce_as<Small<Half>>(reduction, sources, result, count);
    case ncclFloat32:
      return reduce_as<Plain<float>>(reduction, sources, result, count);
    case ncclFloat64:
      return reduce_as<Plain<double>>(reduction, sources, result, count);
    case ncclBfloat16:
      return reduce_as<Small<Bfloat16>>(reduction, sources, result, count);
    case ncclFloat8e4m3:
      return reduce_as<Small<E4m3>>(reduction, sources, result, count);
    case ncclFloat8e5m2:
      return reduce_as<Small<E5m2>>(reduction, sources, result, count);
    case ncclNumTypes:
      break;
  }
}

}  // namespace emulator::nccl
