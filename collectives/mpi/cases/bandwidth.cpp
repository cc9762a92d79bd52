// Point-to-point bandwidth of one pair while all other ranks sleep. One iteration: a window of messages by MPI_Isend
// and MPI_Irecv, one MPI_Waitall, then an acknowledgement of 4 bytes once all have arrived. The scheme is that of OSU
// osu_bw (one_way) and osu_bibw (both_ways), and so is the window of 64. Different here: every message of a window
// has a buffer of its own (OSU sends one buffer 64 times, from cache when it fits) and is verified; so that buffers
// stay at 64 MiB a side, messages above 1 MiB travel in smaller windows: 64 MiB / bytes, 2 at least.
// Bytes = window x bytes (one_way), twice that (both_ways, the sum of the two directions).

#include <algorithm>

#include "collectives/mpi/axes.hpp"
#include "collectives/mpi/point_to_point.hpp"
#include "core/registry.hpp"

namespace assay::mpi {

namespace {

constexpr std::uint64_t largest_bytes = std::uint64_t{1} << 26;
constexpr std::size_t buffered_bytes = std::size_t{1} << 26;
constexpr int tag = 0;
constexpr int ack_tag = 1;

std::size_t window_of(std::size_t bytes) { return std::clamp<std::size_t>(buffered_bytes / bytes, 2, 64); }

class Bandwidth final : public Case {
 public:
  Bandwidth(Context& context, std::size_t bytes, bool both_ways)
      : bytes_(bytes),
        window_(window_of(bytes)),
        sends_(both_ways || context.group.rank() == 0),
        receives_(both_ways || context.group.rank() == 1),
        peer_(1 - context.group.rank()),
        payload_(context, bytes, window_, sends_, receives_),
        requests_((sends_ ? window_ : 0) + (receives_ ? window_ : 0), MPI_REQUEST_NULL),
        communicator_(communicator(context.group)) {}

  void begin() override { payload_.prepare(); }

  void run() override {
    MPI_Request* request = requests_.data();
    const int count = static_cast<int>(bytes_);
    for (std::size_t slot = 0; receives_ && slot < window_; ++slot)
      check(MPI_Irecv(payload_.incoming(slot), count, MPI_BYTE, peer_, tag, communicator_, request++), "MPI_Irecv");
    for (std::size_t slot = 0; sends_ && slot < window_; ++slot)
      check(MPI_Isend(payload_.outgoing(slot), count, MPI_BYTE, peer_, tag, communicator_, request++), "MPI_Isend");
    check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    acknowledge();
  }

  Check verify() override { return payload_.verify(); }
  bool corrupt() override { return payload_.corrupt(); }

  [[nodiscard]] Work work() const override {
    const bool both_ways = sends_ && receives_;
    const auto one_way = static_cast<double>(window_ * bytes_);
    return both_ways ? Work{WorkKind::bytes, 2 * one_way, Direction::both_ways, 1}
                     : Work{WorkKind::bytes, one_way, Direction::one_way, 1};
  }

 private:
  void acknowledge() {
    int out = 0;
    int in = 0;
    // Ranks that both send and receive exchange; otherwise the receiver tells the sender.
    const int to = receives_ ? peer_ : MPI_PROC_NULL;
    const int from = sends_ ? peer_ : MPI_PROC_NULL;
    check(MPI_Sendrecv(&out, 1, MPI_INT, to, ack_tag, &in, 1, MPI_INT, from, ack_tag, communicator_, MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
  }

  std::size_t bytes_;
  std::size_t window_;
  bool sends_;
  bool receives_;
  int peer_;
  Payload payload_;
  std::vector<MPI_Request> requests_;
  MPI_Comm communicator_;
};

CaseInfo bandwidth() {
  CaseInfo info;
  info.name = "mpi.bandwidth";
  info.summary = "windows of MPI_Isend/MPI_Irecv between one pair, one way and both ways";
  info.needs.ranks = 2;
  info.axes = [](const Layout& layout) {
    return std::vector<Axis>{bytes_axis(largest_bytes), {"way", {{"one_way"}, {"both_ways"}}}, between_axis(layout)};
  };
  info.sets = between_sets;
  info.make = [](Context& context, const Point& point) {
    return std::make_unique<Bandwidth>(context, point.integer("bytes"), point.get("way") == "both_ways");
  };
  return info;
}

const Register registered(bandwidth());

}  // namespace

}  // namespace assay::mpi
