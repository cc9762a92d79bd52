#include "inventory/shared_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "core/error.hpp"

namespace assay {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> subfolders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code none;
  for (fs::directory_iterator entry(folder, none), end; !none && entry != end; entry.increment(none)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// PREFIX/lib/python3*/{site,dist}-packages/nvidia/*/lib
void add_python_folders(const fs::path& prefix, std::vector<fs::path>& folders) {
  for (const fs::path& python : subfolders(prefix / "lib")) {
    if (python.filename().string().rfind("python3", 0) != 0) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      for (const fs::path& part : subfolders(python / packages / "nvidia")) folders.push_back(part / "lib");
    }
  }
}

}  // namespace

void SharedLibrary::Close::operator()(void* handle) const { dlclose(handle); }

SharedLibrary SharedLibrary::open(const std::vector<std::string>& names, const std::vector<fs::path>& folders) {
  std::string reason;
  for (const std::string& name : names) {
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return SharedLibrary(handle);
    const char* words = dlerror();
    if (reason.empty() && words != nullptr) reason = words;
  }
  for (const fs::path& folder : folders) {
    for (const std::string& name : names) {
      std::error_code ignored;
      if (!fs::exists(folder / name, ignored)) continue;
      if (void* handle = dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL)) return SharedLibrary(handle);
      const char* words = dlerror();
      if (words != nullptr) reason = words;
    }
  }
  throw environment_error(reason.empty() ? "no library name was given" : reason,
                          "put its folder into LD_LIBRARY_PATH, or install it");
}

void* SharedLibrary::find(const char* symbol) const { return dlsym(handle_.get(), symbol); }

std::string SharedLibrary::file() const {
  link_map* map = nullptr;
  if (dlinfo(handle_.get(), RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return {};
  return map->l_name;
}

std::vector<fs::path> cuda_library_folders() {
  std::vector<fs::path> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* value = std::getenv(variable)) folders.push_back(fs::path(value) / "lib64");
  }
  folders.emplace_back("/usr/local/cuda/lib64");
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const char* value = std::getenv(variable)) add_python_folders(value, folders);
  }
  if (const char* home = std::getenv("HOME")) add_python_folders(fs::path(home) / ".local", folders);
  add_python_folders("/usr/local", folders);
  add_python_folders("/usr", folders);
  std::error_code ignored;
  std::erase_if(folders, [&](const fs::path& folder) { return !fs::is_directory(folder, ignored); });
  return folders;
}

}  // namespace assay
