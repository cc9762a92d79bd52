#pragma once

#include <filesystem>
#include <string>

namespace assay::results {

/// Private to results/: a file that is written under a name of its own beside `target` and takes the target's name when
/// it is ready. Removed when that never happens.
class NewFile {
 public:
  /// Creates it, empty. Throws Error(bad_input) when the directory cannot be written.
  NewFile(std::filesystem::path target, const std::string& unique);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Takes the place of the target, if there is one.
  void replace_target();
  /// Throws Error(bad_input) when the target exists.
  void become_target();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
};

/// Throws Error(bad_input) when `target` cannot become a result file: it exists (without `overwrite`) or is something
/// else than a regular file.
void check_target(const std::filesystem::path& target, bool overwrite);

/// Waits until the file is on the disk. Throws Error(environment).
void synchronize(const std::filesystem::path& path);

}  // namespace assay::results
