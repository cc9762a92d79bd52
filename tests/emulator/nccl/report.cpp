#include "tests/emulator/nccl/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "tests/emulator/model/noise.hpp"
#include "tests/emulator/nccl/debug.hpp"

namespace emulator::nccl {
namespace {

void info(const Communicator& communicator, unsigned subsystems, const std::string& text) {
  DebugStream::get().info(subsystems, communicator.identity().device, text);
}

std::uint64_t commid(const Communicator& communicator) {
  return mix(std::hash<std::string>{}(communicator.identity().area));
}

std::string self(const Communicator& communicator) {
  const auto& me = communicator.identity();
  return fmt::format("comm 0x{:012x} rank {} nranks {} cudaDev {} nvmlDev {} busId {} commId 0x{:x}",
                     communicator.tag() & 0xffffffffffffU, me.rank, me.ranks, me.device, me.gpu->index, bus_id(*me.gpu),
                     commid(communicator));
}

/// Interface name and address of the host, for lines that show one.
std::string host_interface(const Communicator& communicator) {
  const auto& name = communicator.settings().interface_name;
  const bool plain = !name.empty() && name.find_first_of("^=,") == std::string::npos;
  return fmt::format("{}:10.0.0.{}<0>", plain ? name : "eth0", communicator.identity().gpu->node + 1);
}

void report_environment(const Communicator& communicator) {
  const auto& settings = communicator.settings();
  const std::pair<const char*, const std::string*> set[] = {{"NCCL_SOCKET_IFNAME", &settings.interface_name},
                                                            {"NCCL_IB_HCA", &settings.hca},
                                                            {"NCCL_ALGO", &settings.algorithm_text},
                                                            {"NCCL_PROTO", &settings.protocol_text}};
  for (const auto& [name, value] : set) {
    if (!value->empty()) info(communicator, subsystem_env, fmt::format("{} set by environment to {}", name, *value));
  }
  if (!settings.peer_to_peer) info(communicator, subsystem_env, "NCCL_P2P_DISABLE set by environment to 1.");
  if (!settings.shared_memory) info(communicator, subsystem_env, "NCCL_SHM_DISABLE set by environment to 1.");
  if (!settings.infiniband) info(communicator, subsystem_env, "NCCL_IB_DISABLE set by environment to 1.");
  if (!settings.nvls) info(communicator, subsystem_env, "NCCL_NVLS_ENABLE set by environment to 0.");
}

const Node& node_of(const Communicator& communicator) {
  return Cluster::current().nodes().at(static_cast<std::size_t>(communicator.identity().gpu->node));
}

void report_network(const Communicator& communicator) {
  const auto nics = usable_nics(Cluster::current(), node_of(communicator), communicator.settings());
  const bool sockets = uses_sockets(Cluster::current(), communicator.settings()) || nics.empty();
  std::string list;
  for (std::size_t i = 0; i < nics.size(); ++i) {
    list += fmt::format("[{}]{}:1/{} ", i, nics[i]->name, nics[i]->kind == Transport::roce ? "RoCE" : "IB");
  }
  const auto interface = host_interface(communicator);
  if (sockets) {
    const bool wanted = communicator.settings().infiniband;
    if (wanted) info(communicator, subsystem_init | subsystem_net, "NET/IB : No device found.");
    info(communicator, subsystem_init | subsystem_net, fmt::format("NET/Socket : Using [0]{}", interface));
  } else {
    info(communicator, subsystem_init | subsystem_net, fmt::format("NET/IB : Using {}[RO]; OOB {}", list, interface));
  }
  const char* name = sockets ? "Socket" : "IB";
  info(communicator, subsystem_init | subsystem_net, fmt::format("Initialized NET plugin {}", name));
  info(communicator, subsystem_init | subsystem_net, fmt::format("Assigned NET plugin {} to comm", name));
  info(communicator, subsystem_init | subsystem_net, fmt::format("Using network {}", name));
}

void report_gdr(const Communicator& communicator) {
  const auto nics = usable_nics(Cluster::current(), node_of(communicator), communicator.settings());
  if (uses_sockets(Cluster::current(), communicator.settings())) return;
  for (std::size_t i = 0; i < nics.size(); ++i) {
    const bool gdr = nics[i]->gdr && communicator.settings().gdr_level != Distance::never;
    info(communicator, subsystem_init | subsystem_net,
         fmt::format("NET/IB : GPU Direct RDMA {} for HCA {} '{}'", gdr ? "Enabled" : "Disabled", i, nics[i]->name));
  }
}

/// Index of a NIC among those that NCCL uses: its name in the log.
int device_number(const Communicator& communicator, int rank, int slot) {
  const auto node = static_cast<std::size_t>(communicator.places()[static_cast<std::size_t>(rank)].node);
  const auto nics = usable_nics(Cluster::current(), Cluster::current().nodes().at(node), communicator.settings());
  for (std::size_t i = 0; i < nics.size(); ++i) {
    if (nics[i]->slot == slot) return static_cast<int>(i);
  }
  return 0;
}

std::string network_way(const Communicator& communicator, const Hop& hop, int rank, bool sending) {
  const char* kind = hop.medium == Medium::socket ? "Socket" : "IB";
  const int nic = device_number(communicator, rank, sending ? hop.nic_out : hop.nic_in);
  return fmt::format("NET/{}/{}{}", kind, nic, hop.gdr ? "/GDRDMA" : "");
}

std::string local_way(Medium medium) { return medium == Medium::host ? "SHM/direct/direct" : "P2P/CUMEM"; }

/// One side of the connection from a rank to another.
void report_connection(const Communicator& communicator, int channel, int from, int to) {
  const int me = communicator.identity().rank;
  const Hop& hop = communicator.shape().hop(from, to);
  const auto gpu = [&](int rank) { return communicator.places()[static_cast<std::size_t>(rank)].gpu; };
  const auto pair = fmt::format("Channel {:02d}/0 : {}[{}] -> {}[{}]", channel, from, gpu(from), to, gpu(to));
  const bool network = hop.medium >= Medium::nic;
  if (network) {
    const bool sending = from == me;
    info(
        communicator, subsystem_init | subsystem_net,
        fmt::format("{} [{}] via {}", pair, sending ? "send" : "receive", network_way(communicator, hop, me, sending)));
  } else if (from == me) {
    const unsigned subsystem = hop.medium == Medium::host ? subsystem_shm : subsystem_p2p;
    info(communicator, subsystem_init | subsystem, fmt::format("{} via {}", pair, local_way(hop.medium)));
  }
}

/// The order of the ranks in a ring; each ring enters and leaves its nodes at another GPU.
std::vector<int> ring_order(const Shape& shape, int channel) {
  std::vector<int> order;
  for (const auto& ranks : shape.node_ranks) {
    const auto count = static_cast<int>(ranks.size());
    const int turn = shape.nodes() > 1 ? channel % count : 0;
    for (int i = 0; i < count; ++i) order.push_back(ranks[static_cast<std::size_t>((turn + i) % count)]);
  }
  return order;
}

void report_rings(const Communicator& communicator) {
  const auto& shape = communicator.shape();
  const int me = communicator.identity().rank, channels = channels_of(shape);
  for (int channel = 0; channel < channels; ++channel) {
    const auto order = ring_order(shape, channel);
    if (me == 0) {
      info(communicator, subsystem_init | subsystem_graph,
           fmt::format("Channel {:02d}/{:02d} : {}", channel, channels, fmt::join(order, " ")));
    }
  }
  for (int channel = 0; channel < channels && shape.ranks() > 1; ++channel) {
    const auto order = ring_order(shape, channel);
    const auto at = static_cast<std::size_t>(std::ranges::find(order, me) - order.begin());
    const int before = order[(at + order.size() - 1) % order.size()], after = order[(at + 1) % order.size()];
    if (shape.hop(before, me).medium >= Medium::nic) report_connection(communicator, channel, before, me);
    report_connection(communicator, channel, me, after);
  }
}

}  // namespace

std::string bus_id(const Gpu& gpu) {
  // "00000000:1B:00.0": domain, bus, device, function as one hexadecimal number without leading zeros.
  std::string digits;
  for (const char c : gpu.pci_bus_id) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) {
      digits += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  const auto first = digits.find_first_not_of('0');
  return first == std::string::npos ? "0" : digits.substr(first);
}

int channels_of(const Shape& shape) {
  if (shape.ranks() < 2) return 64;
  if (shape.nodes() > 1) return shape.nvlink_generation > 0 ? std::max(2, 2 * shape.rings()) : 2;
  return shape.nvlink_generation > 0 ? 24 : shape.hop(0, 1).medium == Medium::pcie ? 4 : 2;
}

void report_start(const Communicator& communicator) {
  auto& stream = DebugStream::get();
  const auto& me = communicator.identity();
  if (me.rank == 0 && stream.shows_version()) stream.plain("NCCL version 2.28.9+cuda13.0");
  if (!stream.informs(subsystem_all)) return;
  report_environment(communicator);
  info(communicator, subsystem_init | subsystem_bootstrap,
       fmt::format("Bootstrap: Using {}", host_interface(communicator)));
  info(communicator, subsystem_init, "cudaDriverVersion 13000");
  info(communicator, subsystem_init, "NCCL version 2.28.9+cuda13.0");
  report_network(communicator);
  info(communicator, subsystem_init, fmt::format("{} {} - Init START", me.function, self(communicator)));
  report_gdr(communicator);
}

void report_connections(const Communicator& communicator) {
  if (!DebugStream::get().informs(subsystem_all)) return;
  const auto& shape = communicator.shape();
  const auto& me = communicator.identity();
  const auto node = static_cast<std::size_t>(shape.node_of[static_cast<std::size_t>(me.rank)]);
  const auto& locals = shape.node_ranks[node];
  const auto local = std::ranges::find(locals, me.rank) - locals.begin();
  if (shape.nvls) {
    info(communicator, subsystem_init, fmt::format("NVLS multicast support is available on dev {}", me.device));
  }
  info(communicator, subsystem_init,
       fmt::format("comm 0x{:012x} rank {} nRanks {} nNodes {} localRanks {} localRank {} MNNVL 0",
                   communicator.tag() & 0xffffffffffffU, me.rank, me.ranks, shape.nodes(), locals.size(), local));
  report_rings(communicator);
  bool gdr = shape.nodes() > 1;
  for (const auto& rails : shape.rails) {
    for (const auto& rail : rails) gdr = gdr && rail.out.gdr;
  }
  info(communicator, subsystem_init, fmt::format("Connected all rings, use ring PXN 0 GDR {}", gdr ? 1 : 0));
  info(communicator, subsystem_init, "Connected all trees");
  if (shape.nvls && shape.ranks() > 1) info(communicator, subsystem_init | subsystem_nvls, "Connected NVLS tree");
  const int channels = channels_of(shape);
  const int nvls = shape.nvls ? 16 : 0;
  info(communicator, subsystem_init,
       fmt::format(
           "{0} coll channels, {1} collnet channels, {2} nvls channels, {3} p2p channels, {3} p2p channels per peer",
           channels, shape.sharp ? channels : 0, nvls, std::max(2, channels)));
  info(communicator, subsystem_init, fmt::format("{} {} - Init COMPLETE", me.function, self(communicator)));
}

void report_call(const Communicator& communicator, const Operation& operation, std::uint64_t number,
                 const void* stream) {
  auto& debug = DebugStream::get();
  const auto& call = operation.call;
  const auto& me = communicator.identity();
  if (debug.informs(subsystem_coll)) {
    info(communicator, subsystem_coll,
         fmt::format(
             "{}: opCount {:x} sendbuff {} recvbuff {} count {} datatype {} op {} root {} comm 0x{:012x} [nranks={}] "
             "stream {}",
             name_of(call.collective), number, call.send, call.receive, call.count, static_cast<int>(call.type),
             static_cast<int>(call.reduction.operation), call.root, communicator.tag() & 0xffffffffffffU, me.ranks,
             stream));
  }
  const bool messages = call.collective >= Collective::all_to_all;  // NCCL makes them of sends and receives
  if (me.rank != 0 || me.ranks < 2 || messages || !debug.informs(subsystem_tuning)) return;
  const bool nvls = operation.plan->algorithm == Algorithm::nvls || operation.plan->algorithm == Algorithm::nvls_tree;
  const int channels = nvls ? 16 : channels_of(communicator.shape());
  const auto bytes = call.count * size_of(call.type);
  const auto used = std::clamp<std::size_t>(bytes >> 16, 1, static_cast<std::size_t>(channels));
  info(communicator, subsystem_tuning,
       fmt::format("{}: {} Bytes -> Algo {} proto {} channel{{Lo..Hi}}={{0..{}}}", name_of(call.collective), bytes,
                   name_of(operation.plan->algorithm), name_of(operation.protocol), used - 1));
}

}  // namespace emulator::nccl
