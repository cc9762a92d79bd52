// What a case costs over a bare MPI loop. In one process, by turns: blocks of the case, run as the harness runs it, and
// blocks of a loop such as one writes in thirty lines of C. Prints the ratio of the medians over blocks, interval
// included. Two ranks.

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <span>
#include <vector>

#include "collectives/mpi/mpi_group.hpp"
#include "collectives/mpi/mpi_session.hpp"
#include "core/registry.hpp"
#include "core/statistics.hpp"

namespace {

using assay::Group;

constexpr int blocks = 60;
constexpr int window = 64;

struct Pair {
  std::vector<double> ratios;  ///< case / bare, one per pair of neighbouring blocks
  std::vector<double> of_case;
  std::vector<double> of_bare;
};

/// Seconds of each of `count` runs of `operation`, ranks aligned before each when `align`.
template <class Operation>
std::vector<double> timed(Group& group, bool align, int count, Operation operation) {
  std::vector<double> seconds;
  seconds.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    if (align) group.barrier();
    const double start = assay::monotonic_seconds();
    operation();
    const double end = assay::monotonic_seconds();
    seconds.push_back(end - start);
  }
  return seconds;
}

/// The bare loop: an 8-byte round trip, timed one by one by MPI_Wtime.
std::vector<double> bare_ping_pong(int rank, int count, std::span<char> out, std::span<char> in) {
  std::vector<double> seconds(static_cast<std::size_t>(count));
  const int peer = 1 - rank;
  for (double& elapsed : seconds) {
    const double start = MPI_Wtime();
    if (rank == 0) {
      MPI_Send(out.data(), 8, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
      MPI_Recv(in.data(), 8, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in.data(), 8, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out.data(), 8, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    }
    elapsed = MPI_Wtime() - start;
  }
  return seconds;
}

/// The bare loop: 64 messages in flight, then an acknowledgement. Every message has its place in `buffer`.
std::vector<double> bare_bandwidth(int rank, int count, int bytes, std::span<char> buffer) {
  std::vector<double> seconds(static_cast<std::size_t>(count));
  std::vector<MPI_Request> requests(window);
  for (double& elapsed : seconds) {
    int ack = 0;
    const double start = MPI_Wtime();
    for (int i = 0; i < window; ++i) {
      char* place = buffer.data() + static_cast<std::ptrdiff_t>(i) * bytes;
      MPI_Request* request = &requests[static_cast<std::size_t>(i)];
      if (rank == 0) MPI_Isend(place, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, request);
      if (rank == 1) MPI_Irecv(place, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, request);
    }
    MPI_Waitall(window, requests.data(), MPI_STATUSES_IGNORE);
    if (rank == 0) MPI_Recv(&ack, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&ack, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    elapsed = MPI_Wtime() - start;
  }
  return seconds;
}

/// The bare loop: barrier, then a sum of floats.
std::vector<double> bare_all_reduce(int count, int elements, std::span<float> out, std::span<float> in) {
  std::vector<double> seconds(static_cast<std::size_t>(count));
  for (double& elapsed : seconds) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Allreduce(out.data(), in.data(), elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    elapsed = MPI_Wtime() - start;
  }
  return seconds;
}

/// Median over the iterations of the slowest rank's time.
double block_median(Group& group, std::vector<double> seconds) {
  group.max_in_place(seconds);
  return assay::median(seconds);
}

void compare(Group& group, const char* name, const char* bar, const char* case_name, const char* point, int count,
             const std::function<std::vector<double>()>& bare) {
  const assay::CaseInfo& info = *assay::builtin_cases().find(case_name);
  assay::BufferPool pool;
  const assay::MonotonicClock clock;
  assay::Context context{group, pool, 1, assay::Deadline(clock, assay::Seconds(60)), {0}, {}, {}};
  const auto made = info.make(context, assay::Point::parse(point).value());
  assay::Case& benchmark = *made;
  const auto run_case = [&] { return timed(group, info.barrier_before_each, count, [&] { benchmark.run(); }); };
  benchmark.begin();
  static_cast<void>(run_case());
  static_cast<void>(bare());
  Pair pair;
  for (int block = 0; block < blocks; ++block) {
    // Each comes first every other time.
    if (block % 2 == 0) pair.of_case.push_back(block_median(group, run_case()));
    pair.of_bare.push_back(block_median(group, bare()));
    if (block % 2 == 1) pair.of_case.push_back(block_median(group, run_case()));
    pair.ratios.push_back(pair.of_case.back() / pair.of_bare.back());
  }
  benchmark.end();
  const double wrong = assay::sum_over(group, static_cast<double>(benchmark.verify().wrong));
  if (group.rank() != 0) return;
  const assay::Interval interval = assay::median_interval(pair.ratios);
  fmt::print("{:<22} {:>12.3f} {:>12.3f} {:>8.3f}  [{:.3f} .. {:.3f}]  {}{}\n", name, 1e6 * assay::median(pair.of_case),
             1e6 * assay::median(pair.of_bare), assay::median(pair.ratios), interval.low, interval.high, bar,
             wrong > 0 ? "  WRONG DATA" : "");
}

void run(Group& world) {
  const int rank = world.rank();
  if (rank == 0)
    fmt::print("{:<22} {:>12} {:>12} {:>8}  {}\n", "", "case us", "bare us", "ratio", "95 % of the median");
  // The bare loops get the same kind of memory: on pages of 4 KiB they are up to 2x slower, which is no cost of a case.
  assay::BufferPool pool;
  const assay::BufferPool::Block out_block = pool.take(std::size_t{64} << 20);
  const assay::BufferPool::Block in_block = pool.take(std::size_t{64} << 20);
  const std::span<char> out = out_block.as<char>();
  const std::span<char> in = in_block.as<char>();
  const std::span<float> terms = out_block.as<float>();
  const std::span<float> sums = in_block.as<float>();
  std::ranges::fill(terms, 1.0F);
  compare(world, "ping-pong 8 B", "<= 1.03", "mpi.ping_pong", "bytes:8", 5000,
          [&] { return bare_ping_pong(rank, 5000, out, in); });
  compare(world, "bandwidth 1 MiB", "<= 1/0.98", "mpi.bandwidth", "bytes:1048576/way:one_way", 4,
          [&] { return bare_bandwidth(rank, 4, 1 << 20, rank == 0 ? out : in); });
  compare(world, "all_reduce 8 B", "0.97 .. 1.03", "mpi.all_reduce", "bytes:8/dtype:f32", 5000,
          [&] { return bare_all_reduce(5000, 2, terms, sums); });
  compare(world, "all_reduce 4 MiB", "0.97 .. 1.03", "mpi.all_reduce", "bytes:4194304/dtype:f32", 20,
          [&] { return bare_all_reduce(20, 1 << 20, terms, sums); });
}

}  // namespace

int main() {
  try {
    assay::MpiSession session;
    if (session.world().size() != 2) throw assay::bad_input("two ranks, please", "mpirun -np 2 mpi_bare_loops");
    run(session.world());
  } catch (const assay::Error& error) {
    fmt::print(stderr, "{} ({})\n", error.what(), error.hint());
    return static_cast<int>(error.code());
  }
  return 0;
}
