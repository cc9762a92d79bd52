#pragma once

#include <cstddef>
#include <vector>

namespace assay::bench {

/// A plain OpenMP triad, one thread bound to each CPU; the caller is the first of them.
class BareTriad {
 public:
  BareTriad(const std::vector<int>& cpus, std::size_t doubles_per_cpu);
  BareTriad(const BareTriad&) = delete;
  BareTriad& operator=(const BareTriad&) = delete;
  ~BareTriad();
  [[nodiscard]] double timed();

 private:
  int threads_;
  std::ptrdiff_t count_;
  double* a_;
  double* b_;
  double* c_;
};

}  // namespace assay::bench
