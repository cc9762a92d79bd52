#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace assay {

/// A library opened at run time; closed on destruction unless kept.
class SharedLibrary {
 public:
  /// The first of `names` that opens: as the loader finds it (LD_LIBRARY_PATH, run path, cache), then in `folders`.
  /// Throws Error(environment) with the loader's own words for the first name.
  [[nodiscard]] static SharedLibrary open(const std::vector<std::string>& names,
                                          const std::vector<std::filesystem::path>& folders = {});

  /// nullptr when the library has no such symbol.
  [[nodiscard]] void* find(const char* symbol) const;
  /// Typed: `library.find<int (*)(int)>("name")`.
  template <class Function>
  [[nodiscard]] Function find(const char* symbol) const {
    return reinterpret_cast<Function>(find(symbol));
  }
  /// File that it was opened from.
  [[nodiscard]] std::string file() const;
  /// The library stays in the process for good: code or objects of it outlive this handle.
  void keep() { (void)handle_.release(); }

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  explicit SharedLibrary(void* handle) : handle_(handle) {}
  std::unique_ptr<void, Close> handle_;
};

/// Folders beside the loader's own where CUDA libraries are found: the toolkit's (CUDA_HOME, /usr/local/cuda) and those
/// of Python packages (site-packages/nvidia/*/lib of VIRTUAL_ENV, CONDA_PREFIX, HOME and the system). Existing ones
/// only.
[[nodiscard]] std::vector<std::filesystem::path> cuda_library_folders();

}  // namespace assay
