#pragma once

#include <cstdint>

#include "tests/emulator/model/cluster.hpp"

namespace emulator {

/// Well mixed 64 bits of a key (splitmix64): the one generator of the emulator.
std::uint64_t mix(std::uint64_t key);
/// Combines two keys into one.
std::uint64_t mix(std::uint64_t a, std::uint64_t b);
/// In [0, 1), of the key alone.
double uniform(std::uint64_t key);

/// Normal around 1, cut off at 4 sigma and never below 0.1; of the key alone.
double normal_factor(double sigma, std::uint64_t key);

/// Factor of a time: normal around 1 with the cluster's sigma, cut off at 4 sigma. The same event has the same factor
/// in every run with the same seed: `event` is a number that the caller counts up, mixed with who it is.
double jitter(std::uint64_t event);
/// The same for a card, which a fault may have given a sigma of its own.
double jitter(const Gpu& gpu, std::uint64_t event);

/// Share of the NIC that a noisy neighbour takes at this virtual time [s]: 0 outside its bursts. A burst is half of its
/// period long and starts at a seeded point of it.
double neighbour_share(const Nic& nic, double virtual_seconds);

}  // namespace emulator
