#include "kernels/cuda/numa.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <filesystem>
#include <fstream>

namespace assay::cuda {

namespace {

constexpr int most_nodes = 1024;
constexpr int bits_per_word = static_cast<int>(sizeof(unsigned long) * CHAR_BIT);

}  // namespace

int numa_nodes() {
  int nodes = 0;
  while (nodes < most_nodes) {
    std::error_code ignored;
    if (!std::filesystem::exists("/sys/devices/system/node/node" + std::to_string(nodes), ignored)) break;
    ++nodes;
  }
  return nodes == 0 ? 1 : nodes;
}

std::optional<int> numa_node_of(const std::string& pci_bus_id) {
  std::ifstream file("/sys/bus/pci/devices/" + pci_bus_id + "/numa_node");
  int node = -1;
  if (!(file >> node) || node < 0) return std::nullopt;
  return node;
}

NumaPreference::NumaPreference(std::optional<int> node) {
  if (!node || *node < 0 || *node >= most_nodes) return;
  std::array<unsigned long, most_nodes / bits_per_word> mask{};
  mask[static_cast<std::size_t>(*node / bits_per_word)] = 1UL << (*node % bits_per_word);
  set_ = syscall(SYS_set_mempolicy, MPOL_PREFERRED, mask.data(), static_cast<unsigned long>(most_nodes)) == 0;
}

NumaPreference::~NumaPreference() {
  if (set_) (void)syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0UL);
}

}  // namespace assay::cuda
