#include "tests/emulator/tests/support.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace emulator::test {
namespace {

/// A file that is gone with its owner.
class TextFile {
 public:
  explicit TextFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / fmt::format("cluster-{}-{}.toml", ::getpid(), counter()++)) {
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  static int& counter() {
    static int number = 0;
    return number;
  }
  std::filesystem::path path_;
};

}  // namespace

std::string emulator_file(const std::string& name) { return std::string(EMULATOR_DIR) + "/" + name; }

Cluster cluster_of(const std::string& text, const std::string& overlay) {
  const TextFile file(text);
  if (overlay.empty()) return Cluster::read(file.path());
  const TextFile second(overlay);
  return Cluster::read(file.path(), second.path());
}

Cluster one_node(const std::string& product, int cards, const std::string& fault) {
  return cluster_of(
      fmt::format("[[nodes]]\ngpus = {{ product = \"{}\", count = {} }}\nnics = {{ count = 8, rate_gbit = 400 }}\n",
                  product, cards) +
      (fault.empty() ? "" : "[[fault]]\n" + fault + "\n"));
}

void use_faulty_cluster() {
  ::setenv("ASSAY_EMULATOR_CLUSTER", emulator_file("tests/data/faulty.toml").c_str(), 1);
  ::setenv("ASSAY_EMULATOR_NODE", "0", 1);
  for (const char* name : {"ASSAY_EMULATOR_FAULTS", "ASSAY_EMULATOR_SEED", "ASSAY_EMULATOR_STATE"}) ::unsetenv(name);
}

}  // namespace emulator::test
