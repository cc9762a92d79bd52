// Scenarios that look at the data, and at the time that moving it takes.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "tests/emulator/model/cluster.hpp"
#include "tests/emulator/model/windows.hpp"
#include "tests/emulator/nccl/reduce.hpp"
#include "tests/emulator/nccl/small_floats.hpp"
#include "tests/emulator/nccl/tests/rank.hpp"

namespace emulator::nccl::tests {
namespace {

using std::size_t;

/// A small whole number for element `i` of rank `r`: sums of 8 of them fit every type exactly.
int value(int r, size_t i) { return static_cast<int>((i + 2 * static_cast<size_t>(r)) % 3); }

/// Elements of one type, seen by the host.
struct Type {
  ncclDataType_t type;
  std::function<void(void*, int)> store;
};

template <typename T>
Type plain(ncclDataType_t type) {
  return {type, [](void* at, int number) {
            const auto stored = static_cast<T>(number);
            std::memcpy(at, &stored, sizeof(stored));
          }};
}
template <typename Format>
Type small(ncclDataType_t type) {
  return {type, [](void* at, int number) {
            const auto stored = Format::encode(static_cast<float>(number));
            std::memcpy(at, &stored, sizeof(stored));
          }};
}

std::vector<Type> types() {
  return {plain<float>(ncclFloat32),      plain<double>(ncclFloat64),       plain<std::int8_t>(ncclInt8),
          plain<std::uint8_t>(ncclUint8), plain<std::int32_t>(ncclInt32),   plain<std::uint32_t>(ncclUint32),
          plain<std::int64_t>(ncclInt64), plain<std::uint64_t>(ncclUint64), small<Half>(ncclFloat16),
          small<Bfloat16>(ncclBfloat16),  small<E4m3>(ncclFloat8e4m3),      small<E5m2>(ncclFloat8e5m2)};
}

/// A buffer of blocks: one for each of `blocks`, each of `count` elements; only the windows of a block are written and
/// compared.
class Blocks {
 public:
  Blocks(const Type& type, size_t count, int blocks)
      : type_(&type),
        count_(count),
        element_(size_of(type.type)),
        buffer_(std::max<size_t>(1, count * element_ * static_cast<size_t>(blocks))),
        windows_(windows(count * element_, Cluster::current().seed())) {
    buffer_.clear();
  }
  [[nodiscard]] char* data() const { return buffer_.data(); }
  [[nodiscard]] char* block(int index) const { return data() + static_cast<size_t>(index) * count_ * element_; }

  void fill(int index, const std::function<int(size_t)>& numbers) const { visit(index, numbers, true); }
  /// Elements that are not as expected.
  [[nodiscard]] size_t wrong(int index, const std::function<int(size_t)>& numbers) const {
    return visit(index, numbers, false);
  }

 private:
  size_t visit(int index, const std::function<int(size_t)>& numbers, bool write) const {
    size_t wrong = 0;
    for (const auto& window : windows_) {
      std::vector<char> expected(window.bytes), found(window.bytes);
      for (size_t at = 0; at < window.bytes; at += element_) {
        type_->store(expected.data() + at, numbers((window.offset + at) / element_));
      }
      const size_t offset = static_cast<size_t>(index) * count_ * element_ + window.offset;
      if (write) {
        buffer_.write(offset, expected.data(), window.bytes);
        continue;
      }
      buffer_.read(offset, found.data(), window.bytes);
      for (size_t at = 0; at < window.bytes; at += element_) {
        wrong += std::memcmp(expected.data() + at, found.data() + at, element_) != 0 ? 1 : 0;
      }
    }
    return wrong;
  }

  const Type* type_;
  size_t count_, element_;
  Buffer buffer_;
  std::vector<Window> windows_;
};

struct Job {
  Rank& rank;
  ncclComm_t comm;
  const Type& type;
  size_t count;
};

int sum(const Job& job, size_t i) {
  int total = 0;
  for (int r = 0; r < job.rank.ranks(); ++r) total += value(r, i);
  return total;
}

void none_wrong(const Job& job, const std::string& what, const Blocks& blocks, int block,
                const std::function<int(size_t)>& numbers) {
  const auto wrong = blocks.wrong(block, numbers);
  expect(wrong == 0, fmt::format("rank {}, {} of {} x {}: {} elements wrong in block {}", job.rank.rank(), what,
                                 job.count, name_of(job.type.type), wrong, block));
}

void test_reductions(const Job& job) {
  const int me = job.rank.rank(), root = job.rank.ranks() - 1;
  const Blocks send(job.type, job.count, 1), receive(job.type, job.count, 1);
  const auto mine = [&](size_t i) { return value(me, i); };
  const auto total = [&](size_t i) { return sum(job, i); };
  send.fill(0, mine);
  check(ncclAllReduce(send.data(), receive.data(), job.count, job.type.type, ncclSum, job.comm, job.rank.stream()),
        "AllReduce");
  job.rank.synchronize();
  none_wrong(job, "AllReduce", receive, 0, total);
  check(ncclReduce(send.data(), send.data(), job.count, job.type.type, ncclMax, root, job.comm, job.rank.stream()),
        "Reduce");
  job.rank.synchronize();
  const bool all_values = job.rank.ranks() >= 3;
  none_wrong(job, "Reduce in place", send, 0, [&](size_t i) {
    return me != root ? value(me, i) : all_values ? 2 : std::max(value(0, i), value(root, i));
  });
  send.fill(0, mine);
  check(ncclAllReduce(send.data(), send.data(), job.count, job.type.type, ncclSum, job.comm, job.rank.stream()),
        "AllReduce");
  job.rank.synchronize();
  none_wrong(job, "AllReduce in place", send, 0, total);
  send.fill(0, mine);
  check(ncclBroadcast(send.data(), receive.data(), job.count, job.type.type, root, job.comm, job.rank.stream()),
        "Broadcast");
  job.rank.synchronize();
  none_wrong(job, "Broadcast", receive, 0, [&](size_t i) { return value(root, i); });
}

void test_scattering(const Job& job) {
  const int me = job.rank.rank(), n = job.rank.ranks(), root = n - 1;
  const auto stream = job.rank.stream();
  const Blocks send(job.type, job.count, n), receive(job.type, job.count, 1);
  for (int b = 0; b < n; ++b) send.fill(b, [&](size_t i) { return value(me, i + static_cast<size_t>(b)); });
  check(ncclReduceScatter(send.data(), receive.data(), job.count, job.type.type, ncclSum, job.comm, stream),
        "ReduceScatter");
  job.rank.synchronize();
  none_wrong(job, "ReduceScatter", receive, 0, [&](size_t i) { return sum(job, i + static_cast<size_t>(me)); });
  check(ncclScatter(send.data(), receive.data(), job.count, job.type.type, root, job.comm, stream), "Scatter");
  job.rank.synchronize();
  none_wrong(job, "Scatter", receive, 0, [&](size_t i) { return value(root, i + static_cast<size_t>(me)); });
  check(ncclReduceScatter(send.data(), send.block(me), job.count, job.type.type, ncclSum, job.comm, stream),
        "ReduceScatter");
  job.rank.synchronize();
  none_wrong(job, "ReduceScatter in place", send, me, [&](size_t i) { return sum(job, i + static_cast<size_t>(me)); });
}

void test_gathering(const Job& job) {
  const int me = job.rank.rank(), n = job.rank.ranks(), root = 0;
  const auto stream = job.rank.stream();
  const Blocks send(job.type, job.count, n), all(job.type, job.count, n);
  for (int b = 0; b < n; ++b) send.fill(b, [&](size_t i) { return value(me, i + static_cast<size_t>(b)); });
  check(ncclAllGather(send.data(), all.data(), job.count, job.type.type, job.comm, stream), "AllGather");
  job.rank.synchronize();
  for (int b = 0; b < n; ++b) none_wrong(job, "AllGather", all, b, [&](size_t i) { return value(b, i); });
  check(ncclAlltoAll(send.data(), all.data(), job.count, job.type.type, job.comm, stream), "AlltoAll");
  job.rank.synchronize();
  for (int b = 0; b < n; ++b) {
    none_wrong(job, "AlltoAll", all, b, [&](size_t i) { return value(b, i + static_cast<size_t>(me)); });
  }
  check(ncclGather(send.data(), all.data(), job.count, job.type.type, root, job.comm, stream), "Gather");
  job.rank.synchronize();
  for (int b = 0; b < n && me == root; ++b) none_wrong(job, "Gather", all, b, [&](size_t i) { return value(b, i); });
  all.fill(me, [&](size_t i) { return value(me, i); });
  check(ncclAllGather(all.block(me), all.data(), job.count, job.type.type, job.comm, stream), "AllGather");
  job.rank.synchronize();
  for (int b = 0; b < n; ++b) none_wrong(job, "AllGather in place", all, b, [&](size_t i) { return value(b, i); });
}

void test_messages(const Job& job) {
  const int me = job.rank.rank(), n = job.rank.ranks();
  const auto stream = job.rank.stream();
  const Blocks send(job.type, job.count, n), all(job.type, job.count, n);
  for (int b = 0; b < n; ++b) send.fill(b, [&](size_t i) { return value(me, i + static_cast<size_t>(b)); });
  check(ncclGroupStart(), "GroupStart");
  for (int b = 0; b < n; ++b) {
    check(ncclSend(send.block(b), job.count, job.type.type, b, job.comm, stream), "Send");
    check(ncclRecv(all.block(b), job.count, job.type.type, b, job.comm, stream), "Recv");
  }
  check(ncclGroupEnd(), "GroupEnd");
  job.rank.synchronize();
  for (int b = 0; b < n; ++b) {
    none_wrong(job, "Send and Recv with everyone", all, b,
               [&](size_t i) { return value(b, i + static_cast<size_t>(me)); });
  }
}

/// Every collective, every type for small counts; a few for those that move in pieces or by windows.
void data(Rank& rank) {
  const auto comm = rank.communicator();
  const auto all = types();
  for (const auto& type : all) {
    for (const size_t count : {size_t{1}, size_t{1000}}) {
      const Job job{rank, comm, type, count};
      test_reductions(job);
      test_scattering(job);
    }
  }
  for (const size_t count : {size_t{0}, size_t{5}, size_t{70001}, size_t{300001}, (size_t{12} << 20) + 4}) {
    for (const auto* type : {&all[0], &all[9]}) {
      const Job job{rank, comm, *type, count};
      test_reductions(job);
      if (count < 100000 || type == &all[0]) {
        test_scattering(job);
        test_gathering(job);
        test_messages(job);
      }
    }
  }
  check(ncclCommDestroy(comm), "ncclCommDestroy");
}

/// Bus bandwidth of an all-reduce over the sizes [KiB] in the words.
void curve(Rank& rank) {
  const auto comm = rank.communicator();
  for (const auto& word : rank.words()) {
    const size_t bytes = static_cast<size_t>(std::stoull(word)) * 1024;
    const Buffer buffer(bytes);
    const auto once = [&] {
      check(ncclAllReduce(buffer.data(), buffer.data(), bytes / 4, ncclFloat32, ncclSum, comm, rank.stream()),
            "AllReduce");
    };
    once();
    constexpr int rounds = 4;
    const double seconds = rank.timed([&] {
      for (int i = 0; i < rounds; ++i) once();
    });
    rank.say(word, static_cast<double>(bytes) * 2 * (rank.ranks() - 1) / rank.ranks() / (seconds / rounds));
  }
  check(ncclCommDestroy(comm), "ncclCommDestroy");
}

/// Rate of messages in a ring, each rank to the next.
void ring(Rank& rank) {
  const auto comm = rank.communicator();
  const size_t bytes = size_t{1} << 30;
  const Buffer send(bytes), receive(bytes);
  const int next = (rank.rank() + 1) % rank.ranks(), before = (rank.rank() + rank.ranks() - 1) % rank.ranks();
  const double seconds = rank.timed([&] {
    check(ncclGroupStart(), "GroupStart");
    check(ncclSend(send.data(), bytes, ncclInt8, next, comm, rank.stream()), "Send");
    check(ncclRecv(receive.data(), bytes, ncclInt8, before, comm, rank.stream()), "Recv");
    check(ncclGroupEnd(), "GroupEnd");
  });
  rank.say("rate", static_cast<double>(bytes) / seconds);
  check(ncclCommDestroy(comm), "ncclCommDestroy");
}

}  // namespace

std::map<std::string, Scenario> data_scenarios() { return {{"data", data}, {"curve", curve}, {"ring", ring}}; }

}  // namespace emulator::nccl::tests
