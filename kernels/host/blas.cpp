#include "kernels/host/blas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <strings.h>

#include <cstdlib>
#include <optional>

#include "core/error.hpp"

namespace assay {
namespace {

constexpr int column_major = 102;  // CblasColMajor
constexpr int no_transpose = 111;  // CblasNoTrans
constexpr const char* install_hint =
    "Install OpenBLAS (Debian, Ubuntu: libopenblas0-pthread; RHEL: openblas; SUSE: libopenblas_pthreads0), or add the "
    "directory of libopenblas.so.0 to LD_LIBRARY_PATH.";

/// Sets (or removes) an environment variable and puts the old value back.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    assign(value);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() { assign(before_ ? before_->c_str() : nullptr); }

 private:
  void assign(const char* value) {
    if (value == nullptr) {
      unsetenv(name_);
    } else {
      setenv(name_, value, 1);
    }
  }
  const char* name_;
  std::optional<std::string> before_;
};

/// A process that has OpenBLAS already finds it with RTLD_NOLOAD, and the environment is left alone.
void* open_any(const std::vector<std::string>& names, int flags, std::string* why) {
  for (const std::string& name : names) {
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | flags)) return library;
    if (const char* text = dlerror(); text != nullptr && why != nullptr && why->empty()) *why = text;
  }
  return nullptr;
}

void* load(const std::string& kernel, const std::vector<std::string>& names) {
  if (void* library = open_any(names, RTLD_NOLOAD, nullptr)) return library;
  const ScopedVariable coretype("OPENBLAS_CORETYPE", kernel.empty() ? nullptr : kernel.c_str());
  const ScopedVariable l2_size("OPENBLAS_L2_SIZE", nullptr);
  const ScopedVariable threads("OPENBLAS_NUM_THREADS", "1");  // or it starts a thread per CPU while loading
  std::string why;
  if (void* library = open_any(names, 0, &why)) return library;
  throw environment_error(fmt::format("OpenBLAS cannot be opened ({}): {}", fmt::join(names, ", "), why), install_hint);
}

template <class Function>
void look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    throw environment_error(fmt::format("the OpenBLAS library has no function {}", name), install_hint);
  }
}

template <class T>
void call(BlasTable::Gemm<T> gemm, int n, const T* a, const T* b, T* c) {
  gemm(column_major, no_transpose, no_transpose, n, n, n, T{1}, a, n, b, n, T{0}, c, n);
}

}  // namespace

void Blas::Close::operator()(void* library) const noexcept { dlclose(library); }

Blas::Blas(const std::string& kernel, const std::vector<std::string>& libraries) : library_(load(kernel, libraries)) {
  look_up(library_.get(), "cblas_dgemm", table_.dgemm);
  look_up(library_.get(), "cblas_sgemm", table_.sgemm);
  look_up(library_.get(), "openblas_set_num_threads", table_.set_num_threads);
  look_up(library_.get(), "openblas_get_corename", table_.get_corename);
  look_up(library_.get(), "openblas_get_config", table_.get_config);
  table_.set_num_threads(1);
  if (!kernel.empty() && strcasecmp(kernel.c_str(), table_.get_corename()) != 0) {
    throw environment_error(
        fmt::format("OpenBLAS runs its {} kernels, not {}", table_.get_corename(), kernel),
        "Either this build of the library lacks them or it was loaded before with another setting.");
  }
}

void Blas::multiply(int n, const double* a, const double* b, double* c) const { call(table_.dgemm, n, a, b, c); }
void Blas::multiply(int n, const float* a, const float* b, float* c) const { call(table_.sgemm, n, a, b, c); }

}  // namespace assay
