#include "tests/emulator/cuda/tests/child.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace emulated {
namespace {

/// A file that is removed with it.
class TextFile {
 public:
  TextFile(const char* name, const std::string& text)
      : path_(std::filesystem::temp_directory_path() / (name + std::to_string(getpid()) + ".toml")) {
    std::ofstream(path_) << text;
  }
  ~TextFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

[[noreturn]] void be_child(const TextFile& cluster, const TextFile& faults, bool with_faults,
                           const std::function<void()>& body) {
  setenv("ASSAY_EMULATOR_CLUSTER", cluster.path().c_str(), 1);
  setenv("ASSAY_EMULATOR_TWINS", SAMPLE_TWINS, 1);
  if (with_faults) setenv("ASSAY_EMULATOR_FAULTS", faults.path().c_str(), 1);
  if (dlsym(RTLD_DEFAULT, "assay_emulated") == nullptr) {
    std::cerr << "the emulated libcudart was not loaded: LD_LIBRARY_PATH\n";
    std::exit(98);
  }
  body();
  std::cout.flush();
  std::exit(testing::Test::HasFailure() ? 1 : 0);
}

}  // namespace

const std::string two_gpus = "name = 'two'\n[[nodes]]\ngpus = {product = 'h100-sxm5-80gb', count = 2}\n";
const std::string one_gpu = "name = 'one'\n[[nodes]]\ngpus = {product = 'h100-sxm5-80gb', count = 1}\n";
const std::string zero_time =
    "name = 'zero'\ndevice = 'zero'\n[[nodes]]\ngpus = {product = 'h100-sxm5-80gb', count = 2}\n";
const std::string without_peers = "[[fault]]\nkind = 'p2p_off'\n";

int status_of(const std::string& cluster, const std::string& faults, const std::function<void()>& body) {
  const TextFile cluster_file("cluster", cluster), fault_file("faults", faults);
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) be_child(cluster_file, fault_file, !faults.empty(), body);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void run(const std::string& cluster, const std::function<void()>& body, const std::string& faults) {
  EXPECT_EQ(status_of(cluster, faults, body), 0);
}

std::string errors_of(const std::function<void()>& body) {
  testing::internal::CaptureStderr();
  body();
  return testing::internal::GetCapturedStderr();
}

}  // namespace emulated
