#pragma once

namespace emulator::nccl {

/// Fraction of the asymptotic rate that a collective reaches, as a function of x = size * seconds per byte / latency:
/// how often the floor of the latency fits into the bare transfer. Without any switching of protocols it would be x /
/// (1 + x). What machines show is lower in the middle; the curve is the all-reduce of 8 x A100 SXM (mean of 729 nodes,
/// microsoft/superbench-results v0.4.0, Azure NDmv4: 64 KiB to 8 GiB), interpolated in the logarithms of both axes.
/// Other machines have the same curve with their own latency and rate. Never above x or 1: no time is below either
/// bound.
double efficiency(double x);

/// Time [s] of a collective: latency [s] of an empty one, seconds per byte of an endless one. Rises with bytes.
double curve_seconds(double latency, double seconds_per_byte, double bytes);

/// The floor of the machine of the curve [s], and the bus bandwidth of its largest size [B/s].
inline constexpr double reference_latency = 35.0e-6;
inline constexpr double reference_bus_rate = 235.7e9;

}  // namespace emulator::nccl
