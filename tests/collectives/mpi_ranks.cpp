#include "tests/collectives/mpi_ranks.hpp"

namespace assay {

MpiSession& session() {
  static MpiSession the_session;
  return the_session;
}

Layout two_nodes() {
  const int ranks = world().size();
  Layout layout{{}, {"first", "second"}, {2, 2}};
  for (int rank = 0; rank < ranks; ++rank) layout.node_of.push_back(rank < (ranks + 1) / 2 ? 0 : 1);
  return layout;
}

}  // namespace assay
