#pragma once

#include <filesystem>

#include "tests/emulator/model/cluster.hpp"

namespace emulator {

/// Writes what the kernel of an emulated host would show of its GPUs and NICs below `root`: sys/devices/pci*, and the
/// links to it in sys/bus/pci, sys/class/infiniband and sys/class/net; proc/modules with or without nvidia_peermem.
/// Counters stand still. Throws std::filesystem::filesystem_error.
void write_host(const Node& node, const std::filesystem::path& root);

}  // namespace emulator
