#pragma once

#include <functional>
#include <string>

// Tests of the emulated CUDA run each in a process of their own, since sticky errors, the virtual clock and the cluster
// belong to a process.
namespace emulated {

/// Two GPUs joined by NVLink; further text is laid over it as faults.
extern const std::string two_gpus;
extern const std::string one_gpu;
extern const std::string zero_time;
extern const std::string without_peers;

/// How a child ended: its exit code, or minus the signal that ended it.
int status_of(const std::string& cluster, const std::string& faults, const std::function<void()>& body);
/// Runs the body in a child and passes when no expectation in it failed.
void run(const std::string& cluster, const std::function<void()>& body, const std::string& faults = "");

/// What the body writes to stderr.
std::string errors_of(const std::function<void()>& body);

}  // namespace emulated
