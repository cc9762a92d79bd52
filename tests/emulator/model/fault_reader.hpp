#pragma once

#include "tests/emulator/model/cluster.hpp"
#include "tests/emulator/model/toml_reader.hpp"

namespace emulator {

/// Reads one [[fault]] table and holds it against the healthy cluster. Throws ConfigError.
Fault read_fault(TomlTable table, const std::vector<Node>& nodes);

/// Puts the faults into the nodes and the fabric: cards and NICs that are gone, slower or of another kind.
void apply_faults(const std::vector<Fault>& faults, std::vector<Node>& nodes, Fabric& fabric);

}  // namespace emulator
