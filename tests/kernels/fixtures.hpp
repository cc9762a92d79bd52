#pragma once

#include <gtest/gtest.h>
#include <sched.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/registry.hpp"

namespace assay::testing {

/// CPUs that this thread may run on.
inline std::vector<int> allowed_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof(mask), &mask);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
  }
  return cpus;
}

/// A case at a point of its own, on `group`.
class CaseUnderTest {
 public:
  CaseUnderTest(const std::string& name, const std::string& point, Group& group, std::vector<int> cpus,
                std::map<std::string, std::string> settings = {})
      : context_{group, buffers_, 7, Deadline(clock_, Seconds(60)), std::move(cpus), {}, std::move(settings)} {
    const CaseInfo* info = builtin_cases().find(name);
    if (info == nullptr) throw std::runtime_error("no case " + name);
    case_ = info->make(context_, Point::parse(point).value());
  }

  void iterate(int count) {
    case_->begin();
    for (int i = 0; i < count; ++i) case_->run();
    case_->end();
  }
  Case* operator->() { return case_.get(); }

 private:
  MonotonicClock clock_;
  BufferPool buffers_;
  Context context_;
  std::unique_ptr<Case> case_;
};

}  // namespace assay::testing
