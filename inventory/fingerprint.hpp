#pragma once

#include "core/units.hpp"

namespace assay {

/// Seconds that a cache line takes from one CPU to another: the fingerprint of where the hypervisor has put the CPUs
/// and of who else uses them. Two threads, one on each CPU, hand one word to and fro for about `duration`; half a round
/// trip, the median over chunks of 32 round trips. The calling thread is one of the two and gets its affinity back.
///
/// NaN when it cannot be measured: one CPU only, a CPU that is not ours to use, or a partner that got no CPU time.
/// Waiting ends at twice the duration, plus what the scheduler needs to end a partner that is not running.
[[nodiscard]] Seconds cache_line_latency(int first_cpu, int second_cpu, Seconds duration = Seconds(0.005));

/// One clock_gettime(CLOCK_MONOTONIC), the median over batches; takes about 1 ms.
[[nodiscard]] Seconds clock_cost();

}  // namespace assay
