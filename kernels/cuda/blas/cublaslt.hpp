#pragma once

#include <cublasLt.h>

#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>

#include "inventory/shared_library.hpp"

namespace assay::cuda {

/// The functions of cuBLASLt that are used here, looked up at run time.
struct CublasLtTable {
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtGetVersion) get_version = nullptr;
  decltype(&cublasLtGetStatusString) get_status_string = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) desc_create = nullptr;
  decltype(&cublasLtMatmulDescDestroy) desc_destroy = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) get_heuristic = nullptr;
  decltype(&cublasLtMatmulAlgoConfigGetAttribute) config_get = nullptr;
};

/// cuBLASLt, opened at run time: as the loader finds it, in the toolkit's or a Python package's folder.
class CublasLt {
 public:
  /// Throws Error(environment) when it is absent, or lacks a function.
  CublasLt();

  /// One handle on the current device. Later uses of the same object share it.
  [[nodiscard]] cublasLtHandle_t handle();
  [[nodiscard]] const CublasLtTable& table() const { return table_; }
  [[nodiscard]] std::string version() const;  ///< "13.0.2"
  [[nodiscard]] std::string file() const { return library_.file(); }

  /// Throws Error(environment) with the library's words and the GPU unless `status` is success.
  void check(cublasStatus_t status, std::string_view what,
             const std::source_location& where = std::source_location::current()) const;

  /// The process's object, opened by the first call.
  [[nodiscard]] static CublasLt& shared();

 private:
  SharedLibrary library_;
  CublasLtTable table_;
  std::unique_ptr<std::remove_pointer_t<cublasLtHandle_t>, cublasStatus_t (*)(cublasLtHandle_t)> handle_{nullptr,
                                                                                                         nullptr};
};

}  // namespace assay::cuda
