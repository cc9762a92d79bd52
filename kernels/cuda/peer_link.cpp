#include "kernels/cuda/peer_link.hpp"

#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "kernels/cuda/check.hpp"

namespace assay::cuda {

std::string problem_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

PeerLink::PeerLink(Group& pair, Memory own, const std::string& problem) : pair_(pair), own_(std::move(own)) {
  MemoryHandle mine{};
  std::string own_problem = problem;
  if (own_problem.empty()) own_problem = problem_of([&] { mine = share(own_); });
  std::string packed(sizeof mine, '\0');
  std::memcpy(packed.data(), &mine, sizeof mine);
  const std::vector<std::string> handles = all_gather_texts(pair, packed);
  agree(own_problem);
  MemoryHandle theirs{};
  std::memcpy(&theirs, handles[static_cast<std::size_t>(1 - pair.rank())].data(), sizeof theirs);
  agree(problem_of([&] { peer_ = PeerMemory(theirs); }));
}

void PeerLink::agree(const std::string& problem) {
  const std::vector<std::string> problems = all_gather_texts(pair_, problem);
  if (!problem.empty()) throw environment_error(problem);
  const std::string& other = problems[static_cast<std::size_t>(1 - pair_.rank())];
  if (!other.empty()) throw environment_error(fmt::format("the other GPU of the pair failed: {}", other));
}

PeerLink::~PeerLink() {
  peer_ = PeerMemory();
  try {
    pair_.quiet_barrier();
  } catch (const std::exception&) {  // the ranks part anyway
  }
}

}  // namespace assay::cuda
