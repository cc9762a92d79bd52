#include "collectives/nccl/exchanges.hpp"

namespace assay::nccl {

namespace {

constexpr int root = 0;

/// Block `block` of the send buffer or the receive buffer.
const void* outgoing(const Operands& o, int block) {
  return static_cast<const std::byte*>(o.send) + static_cast<std::size_t>(block) * o.block_bytes;
}
void* incoming(const Operands& o, int block) {
  return static_cast<std::byte*>(o.receive) + static_cast<std::size_t>(block) * o.block_bytes;
}

/// Collects sends and receives, keeps the first error, and always ends the group that it has begun.
class Bundle {
 public:
  Bundle(const Library& library, const Operands& operands)
      : library_(library), o_(operands), result_(library.group_start()) {}
  void send(const void* from, int to) {
    if (result_ == ncclSuccess) result_ = library_.send(from, o_.count, o_.type, to, o_.communicator, o_.stream);
  }
  void receive(void* to, int from) {
    if (result_ == ncclSuccess) result_ = library_.receive(to, o_.count, o_.type, from, o_.communicator, o_.stream);
  }
  [[nodiscard]] ncclResult_t run() {
    const ncclResult_t ended = library_.group_end();
    return result_ == ncclSuccess ? ended : result_;
  }

 private:
  const Library& library_;
  const Operands& o_;
  ncclResult_t result_;
};

}  // namespace

ncclResult_t all_to_all(const Library& library, const Operands& o) {
  if (library.all_to_all != nullptr)
    return library.all_to_all(o.send, o.receive, o.count, o.type, o.communicator, o.stream);
  Bundle bundle(library, o);
  for (int peer = 0; peer < o.ranks; ++peer) {
    bundle.send(outgoing(o, peer), peer);
    bundle.receive(incoming(o, peer), peer);
  }
  return bundle.run();
}

ncclResult_t gather(const Library& library, const Operands& o) {
  if (library.gather != nullptr)
    return library.gather(o.send, o.receive, o.count, o.type, root, o.communicator, o.stream);
  Bundle bundle(library, o);
  bundle.send(o.send, root);
  for (int peer = 0; o.rank == root && peer < o.ranks; ++peer) bundle.receive(incoming(o, peer), peer);
  return bundle.run();
}

ncclResult_t scatter(const Library& library, const Operands& o) {
  if (library.scatter != nullptr)
    return library.scatter(o.send, o.receive, o.count, o.type, root, o.communicator, o.stream);
  Bundle bundle(library, o);
  for (int peer = 0; o.rank == root && peer < o.ranks; ++peer) bundle.send(outgoing(o, peer), peer);
  bundle.receive(o.receive, root);
  return bundle.run();
}

ncclResult_t exchange(const Library& library, const Operands& o) {
  Bundle bundle(library, o);
  bundle.send(o.send, o.to);
  bundle.receive(o.receive, o.from);
  return bundle.run();
}

}  // namespace assay::nccl
