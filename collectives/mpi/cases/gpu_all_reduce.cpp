// MPI_Allreduce between buffers in GPU memory, where the MPI library says that it takes such pointers. Timed and
// counted as mpi.all_reduce: one blocking call, ranks aligned by a barrier before it.

#include "collectives/mpi/collective.hpp"
#include "collectives/mpi/device_memory.hpp"
#include "core/registry.hpp"

namespace assay::mpi {

namespace {

class GpuAllReduce final : public Case {
 public:
  GpuAllReduce(Context& context, std::size_t bytes)
      : rank_(context.group.rank()),
        size_(context.group.size()),
        seed_(context.seed),
        count_(block_elements(bytes, 1, sizeof(float))),
        send_(*context.device, count_),
        receive_(*context.device, count_),
        communicator_(communicator(context.group)) {}

  void begin() override {
    ++batch_;
    send_.fill(held(rank_));
    receive_.poison();
  }

  void run() override {
    check(MPI_Allreduce(send_.data(), receive_.data(), static_cast<int>(count_), MPI_FLOAT, MPI_SUM, communicator_),
          "MPI_Allreduce on GPU memory");
  }

  Check verify() override {
    Tile<float> sum = held(0);
    for (int source = 1; source < size_; ++source) sum += held(source);
    Check found;
    receive_.compare(sum, "block", 0, found);
    return found;
  }

  bool corrupt() override { return receive_.damage(); }

  [[nodiscard]] Work work() const override {
    return {WorkKind::bytes, static_cast<double>(count_ * sizeof(float)), Direction::none, factor_all_reduce(size_)};
  }

 private:
  [[nodiscard]] Tile<float> held(int source) const { return {{seed_, batch_, source, 0}, count_}; }

  int rank_;
  int size_;
  std::uint64_t seed_;
  std::uint64_t batch_ = 0;
  std::size_t count_;
  DeviceBlock<float> send_;
  DeviceBlock<float> receive_;
  MPI_Comm communicator_;
};

const Register registered({
    .name = "mpi.gpu_all_reduce",
    .summary = "MPI_Allreduce (sum) between buffers in GPU memory",
    .needs = {.ranks = 2, .gpus = 2, .mpi_on_device = true},
    .barrier_before_each = true,
    .axes = [](const Layout&) { return std::vector<Axis>{device_bytes_axis()}; },
    .sets = [](const Layout& layout, const Point&) { return gpu_ranks(layout); },
    .make = [](Context& context, const Point& point) -> std::unique_ptr<Case> {
      return std::make_unique<GpuAllReduce>(context, point.integer("bytes"));
    },
});

}  // namespace

}  // namespace assay::mpi
