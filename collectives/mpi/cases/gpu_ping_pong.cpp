// Round trips of blocking MPI_Send and MPI_Recv between buffers in GPU memory of one pair: 8 B gives the latency one
// way, larger messages the bandwidth one way, bytes / (t / 2), as mpi.pairs counts it.

#include "collectives/mpi/device_memory.hpp"
#include "collectives/mpi/mpi_group.hpp"
#include "core/registry.hpp"

namespace assay::mpi {

namespace {

constexpr int tag = 0;
constexpr std::uint64_t latency_bytes = 8;

class GpuPingPong final : public Case {
 public:
  GpuPingPong(Context& context, std::size_t bytes)
      : rank_(context.group.rank()),
        seed_(context.seed),
        count_(bytes),
        send_(*context.device, bytes),
        receive_(*context.device, bytes),
        communicator_(communicator(context.group)) {}

  void begin() override {
    ++batch_;
    send_.fill(held(rank_));
    receive_.poison();
  }

  void run() override {
    if (rank_ == 0) send();
    check(
        MPI_Recv(receive_.data(), static_cast<int>(count_), MPI_BYTE, 1 - rank_, tag, communicator_, MPI_STATUS_IGNORE),
        "MPI_Recv on GPU memory");
    if (rank_ != 0) send();
  }

  Check verify() override {
    Check found;
    receive_.compare(held(1 - rank_), "message", 0, found);
    return found;
  }

  bool corrupt() override { return receive_.damage(); }

  [[nodiscard]] Work work() const override {
    if (count_ == latency_bytes) return {WorkKind::latency, 2, Direction::one_way, 1};
    return {WorkKind::bytes, 2 * static_cast<double>(count_), Direction::one_way, 1};
  }

 private:
  [[nodiscard]] Tile<std::uint8_t> held(int source) const { return {{seed_, batch_, source, 0}, count_}; }
  void send() const {
    check(MPI_Send(send_.data(), static_cast<int>(count_), MPI_BYTE, 1 - rank_, tag, communicator_),
          "MPI_Send on GPU memory");
  }

  int rank_;
  std::uint64_t seed_;
  std::uint64_t batch_ = 0;
  std::size_t count_;
  DeviceBlock<std::uint8_t> send_;
  DeviceBlock<std::uint8_t> receive_;
  MPI_Comm communicator_;
};

/// The first two GPU ranks of a node, or the first ones of the first two nodes with GPUs.
RankSets pair_of(const Layout& layout, const std::string& between) {
  const RankSets nodes = gpu_ranks_each_node(layout);
  if (between == "nodes" && nodes.size() >= 2) return {{nodes[0][0], nodes[1][0]}};
  for (const auto& ranks : nodes)
    if (between == "node" && ranks.size() >= 2) return {{ranks[0], ranks[1]}};
  return {};
}

const Register registered({
    .name = "mpi.gpu_ping_pong",
    .summary = "MPI_Send/MPI_Recv round trips between GPU memory of one pair",
    .needs = {.ranks = 2, .gpus = 2, .mpi_on_device = true},
    .axes =
        [](const Layout& layout) {
          Axis between{"between", {}};
          for (const char* name : {"node", "nodes"})
            if (!pair_of(layout, name).empty()) between.values.push_back({name});
          return std::vector<Axis>{device_bytes_axis(), between};
        },
    .sets = [](const Layout& layout, const Point& point) { return pair_of(layout, point.get("between")); },
    .make = [](Context& context, const Point& point) -> std::unique_ptr<Case> {
      return std::make_unique<GpuPingPong>(context, point.integer("bytes"));
    },
});

}  // namespace

}  // namespace assay::mpi
