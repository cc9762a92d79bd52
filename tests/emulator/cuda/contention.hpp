#pragma once

#include <vector>

#include "tests/emulator/cuda/stream.hpp"
#include "tests/emulator/model/cluster.hpp"

namespace emulator {

/// The streams of all processes of the job announce what they will occupy when they enqueue it. A user of a resource
/// counts as a sharer of mine while it has something pending there, or when it was done after I announced my current
/// batch: whoever was there at the same time shares, in whatever order the emulator comes to run them.
void announce(const Stream& stream, const std::vector<int>& resources);
void retract(const Stream& stream, const std::vector<int>& resources);

/// Users of the resource that share it with the stream, itself included.
int sharers(const Stream& stream, int resource);
/// What the stream gets of a rate [B/s] over these resources: of each no more than its share of the capacity.
double shared_rate(const Stream& stream, double bytes_per_second, const std::vector<int>& resources);

/// The multiprocessors of a card: a resource beyond those of the model.
int multiprocessors(const Gpu& gpu);

}  // namespace emulator
