#pragma once

#include <memory>
#include <string>
#include <vector>

namespace assay {

/// The functions of OpenBLAS that are used here, with CBLAS's enumerations as int.
struct BlasTable {
  template <class T>
  using Gemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, T alpha, const T* a, int lda,
                        const T* b, int ldb, T beta, T* c, int ldc);

  Gemm<double> dgemm = nullptr;
  Gemm<float> sgemm = nullptr;
  void (*set_num_threads)(int) = nullptr;
  char* (*get_corename)() = nullptr;
  char* (*get_config)() = nullptr;
};

/// OpenBLAS, opened at run time and told to use one thread. A process has one copy with one set of kernels, which the
/// library picks when it is first loaded; further objects share it.
class Blas {
 public:
  /// `kernel`: a value of OPENBLAS_CORETYPE such as "SKYLAKEX", or "" for the library's own choice. What the
  /// environment says about it is ignored. Not to be called while other threads read the environment, unless it was
  /// loaded before. Throws Error(environment) when the library is absent or incomplete, or runs other kernels than
  /// asked for.
  explicit Blas(const std::string& kernel,
                const std::vector<std::string>& libraries = {"libopenblas.so.0", "libopenblas.so"});

  /// c = a * b for square column-major matrices of order n, on the calling thread. Safe on several threads at once.
  void multiply(int n, const double* a, const double* b, double* c) const;
  void multiply(int n, const float* a, const float* b, float* c) const;

  [[nodiscard]] std::string corename() const { return table_.get_corename(); }  ///< kernels in use: "SkylakeX"
  [[nodiscard]] std::string config() const { return table_.get_config(); }      ///< "OpenBLAS 0.3.21 DYNAMIC_ARCH ..."
  [[nodiscard]] const BlasTable& table() const { return table_; }

 private:
  struct Close {
    void operator()(void* library) const noexcept;
  };
  std::unique_ptr<void, Close> library_;
  BlasTable table_;
};

}  // namespace assay
