// emulator_sysfs DIR writes DIR/<host>/... for each host, and prints one line for each: its name, the GPUs it was sold
// with, and the GPUs that are there.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "tests/emulator/model/environment.hpp"
#include "tests/emulator/sysfs/tree.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print(stderr, "usage: emulator_sysfs DIR, with the cluster in ASSAY_EMULATOR_CLUSTER\n");
    return 2;
  }
  try {
    for (const auto& node : emulator::Cluster::current().nodes()) {
      emulator::write_host(node, std::filesystem::path(arguments[1]) / node.host);
      fmt::print("{} {} {}\n", node.host, node.gpu_slots, node.gpus.size());
    }
  } catch (const std::exception& error) {
    emulator::give_up(error.what());
  }
  return 0;
}
