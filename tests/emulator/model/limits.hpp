#pragma once

/// Largest sizes of an emulated cluster: they size the tables in shared memory.
namespace emulator::limit {
inline constexpr int nodes = 64;
inline constexpr int gpus = 16;  ///< Of a node.
inline constexpr int nics = 32;  ///< Of a node.
inline constexpr int sockets = 8;
}  // namespace emulator::limit
