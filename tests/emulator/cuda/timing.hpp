#pragma once

#include <cstddef>

#include "tests/emulator/cuda/kernels.hpp"
#include "tests/emulator/cuda/stream.hpp"
#include "tests/emulator/model/cluster.hpp"
#include "tests/emulator/model/routes.hpp"
#include "tests/emulator/model/state.hpp"

namespace emulator {

/// Times of operations [s], with start-up, noise and sharing; counted as work of the card. 0 on a zero-time cluster.

/// Within the memory of one card.
double card_copy_seconds(Stream& stream, const Gpu& gpu, std::size_t bytes);
double fill_seconds(Stream& stream, std::size_t bytes);
/// Over a route, by a copy engine.
double transfer_seconds(Stream& stream, const Route& route, double bytes);
double host_copy_seconds(std::size_t bytes);
/// A kernel of this cost, launched by the stream's device.
double kernel_seconds(Stream& stream, const Cost& cost);

/// The emulated NUMA node of host memory. What the machine really has decides where it has more than one node;
/// otherwise all host memory is near the card.
int numa_node_of(const void* address, const Gpu& gpu);

/// Factor of the next time of this stream: the card's noise.
double noise(Stream& stream);

}  // namespace emulator
