#pragma once

#include <string>

#include "tests/emulator/model/cluster.hpp"

namespace emulator::test {

/// Path of a file below tests/emulator/.
std::string emulator_file(const std::string& name);

/// The cluster of this text, with the faults of another one. Throws ConfigError.
Cluster cluster_of(const std::string& text, const std::string& overlay = {});

/// One node of so many cards, with one fault table's lines; "" = healthy.
Cluster one_node(const std::string& product, int cards, const std::string& fault = {});

/// Makes tests/data/faulty.toml the cluster of this process, node 0. One process has one cluster.
void use_faulty_cluster();

}  // namespace emulator::test
