#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tests/emulator/nccl/shape.hpp"

/// Times of collectives, by algorithm. Every algorithm loads segments of the machine with so many bytes for each byte
/// of the size; the segment that needs longest for its load gives the seconds per byte, the chain of hops gives the
/// latency of an empty operation, and the curve (curve.hpp) joins the two. Shares of the size S that cross, one way,
/// with n ranks on k nodes of g, R rings between nodes (design: metrics of the field, nccl-tests doc/PERFORMANCE.md):
///   ring        each hop of the chain f, each NIC f / R; f = 2(n-1)/n all-reduce, (n-1)/n all-gather and
///               reduce-scatter, 1 broadcast and reduce. Bus bandwidth <= sum of a node's NICs.
///   tree        chain in the node, 1 up and 1 down over each of its hops; NICs 2(k-1)/k / R: each edge of the two
///   trees
///               carries half of S both ways
///   NVLS        each GPU's NVLink 1 + 1/g
///   NVLS tree   the same, and NICs 2(k-1)/k / R
///   CollNet     chain like tree (NVLS where there is one), NICs 1 / R
///   all-to-all  every ordered pair 1/n over its own way; gather and scatter: every pair with the root 1/n
namespace emulator::nccl {

enum class Collective {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  all_to_all,
  gather,
  scatter,
  send_recv
};
enum class Algorithm { ring, tree, nvls, nvls_tree, collnet };
enum class Protocol { ll, ll128, simple };

/// As NCCL writes them: "RING", "SIMPLE".
std::string_view name_of(Algorithm);
std::string_view name_of(Protocol);

/// What the user allows; by default everything.
struct Choice {
  std::vector<Algorithm> algorithms{Algorithm::ring, Algorithm::tree, Algorithm::nvls, Algorithm::nvls_tree,
                                    Algorithm::collnet};
  std::vector<Protocol> protocols{Protocol::ll, Protocol::ll128, Protocol::simple};
};

struct Estimate {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  double latency = 0;           ///< [s]
  double seconds_per_byte = 0;  ///< of the size S that nccl-tests counts
  double seconds = 0;
};

/// The algorithm exists for this collective on this machine.
bool possible(Collective, Algorithm, const Shape&);

/// Seconds that each segment is busy for each byte of S, protocols included. `root` counts for gather and scatter.
std::vector<double> loads(Collective, Algorithm, const Shape&, int root = 0);

/// Time from the start to the end of an empty operation [s].
double latency(Collective, Algorithm, const Shape&);

/// Seconds per byte of the busiest segment, and of the spine.
double seconds_per_byte(Collective, Algorithm, const Shape&, const std::vector<double>& loads);

/// Time [s] of an operation of `bytes`, with its protocol, from latency and seconds per byte.
double transfer_seconds(Collective, Protocol, double latency, double seconds_per_byte, double bytes);

/// The fastest of what is allowed; nothing when nothing allowed is possible.
std::optional<Estimate> estimate(Collective, const Shape&, double bytes, const Choice& choice = {}, int root = 0);

/// One message between two ranks that has its way to itself [s].
double message_latency(const Hop&);
/// Seconds per byte that a message loads each segment of its way with: 1 / (rate * efficiency).
double message_load(const Hop&, const Segment&);

}  // namespace emulator::nccl
