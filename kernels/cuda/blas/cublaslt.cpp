#include "kernels/cuda/blas/cublaslt.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/error.hpp"
#include "kernels/cuda/check.hpp"

namespace assay::cuda {

namespace {

constexpr const char* install_hint =
    "install the CUDA toolkit's libcublas, or put its folder into LD_LIBRARY_PATH; other cases work without it";

template <class Function>
void look_up(const SharedLibrary& library, const char* name, Function& function) {
  function = library.find<Function>(name);
  if (function == nullptr)
    throw environment_error(fmt::format("{} has no function {}", library.file(), name), install_hint);
}

SharedLibrary open_library() {
  // The major version of the toolkit that this was built with comes first: structures are the header's.
  const std::string built_with = fmt::format("libcublasLt.so.{}", CUBLAS_VER_MAJOR);
  return SharedLibrary::open({built_with}, cuda_library_folders());
}

}  // namespace

CublasLt::CublasLt() : library_(open_library()) {
  look_up(library_, "cublasLtCreate", table_.create);
  look_up(library_, "cublasLtDestroy", table_.destroy);
  look_up(library_, "cublasLtGetVersion", table_.get_version);
  look_up(library_, "cublasLtGetStatusString", table_.get_status_string);
  look_up(library_, "cublasLtMatmul", table_.matmul);
  look_up(library_, "cublasLtMatmulDescCreate", table_.desc_create);
  look_up(library_, "cublasLtMatmulDescDestroy", table_.desc_destroy);
  look_up(library_, "cublasLtMatmulDescSetAttribute", table_.desc_set);
  look_up(library_, "cublasLtMatrixLayoutCreate", table_.layout_create);
  look_up(library_, "cublasLtMatrixLayoutDestroy", table_.layout_destroy);
  look_up(library_, "cublasLtMatmulPreferenceCreate", table_.preference_create);
  look_up(library_, "cublasLtMatmulPreferenceDestroy", table_.preference_destroy);
  look_up(library_, "cublasLtMatmulPreferenceSetAttribute", table_.preference_set);
  look_up(library_, "cublasLtMatmulAlgoGetHeuristic", table_.get_heuristic);
  look_up(library_, "cublasLtMatmulAlgoConfigGetAttribute", table_.config_get);
}

cublasLtHandle_t CublasLt::handle() {
  if (!handle_) {
    cublasLtHandle_t handle = nullptr;
    check(table_.create(&handle), "cublasLtCreate");
    handle_ = {handle, table_.destroy};
  }
  return handle_.get();
}

std::string CublasLt::version() const {
  const std::size_t version = table_.get_version();
  return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

void CublasLt::check(cublasStatus_t status, std::string_view what, const std::source_location& where) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  // The library reports what the device suffered as "execution failed"; the runtime knows more.
  cuda::check(cudaPeekAtLastError(), what, where);
  const std::string file = std::filesystem::path(where.file_name()).filename().string();
  throw environment_error(
      fmt::format("{}: {} ({}), {}", what, table_.get_status_string(status), static_cast<int>(status), device_place()),
      fmt::format("reported to {}:{}", file, where.line()));
}

CublasLt& CublasLt::shared() {
  // Never closed: its handle belongs to a context that may be gone when statics are destroyed.
  static CublasLt* const object = std::make_unique<CublasLt>().release();
  return *object;
}

}  // namespace assay::cuda
