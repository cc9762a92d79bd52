#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "tests/temporary_directory.hpp"

namespace assay::testing {

/// Below the working directory: the build tree is on a real disk more often than /tmp.
class DiskDirectory final : public test::TemporaryDirectory {
 public:
  DiskDirectory() : test::TemporaryDirectory(std::filesystem::current_path()) {}
};

/// An open file descriptor.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags);
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// What `body` returns in a child process: its complaint, empty when all is well. Nothing when it called
/// not_permitted().
[[nodiscard]] std::optional<std::string> complaint_of_child(const std::function<std::string()>& body);
[[noreturn]] void not_permitted();

/// In a child only: mounts a file system of this type at `where`, seen by the child alone. not_permitted() on refusal.
void mount_privately(const std::string& type, const std::filesystem::path& where, unsigned long flags,
                     const std::string& options);

/// The Error that `body` throws; nothing when it throws none.
[[nodiscard]] std::optional<Error> error_of(const std::function<void()>& body);

[[nodiscard]] std::size_t entries_in(const std::filesystem::path& directory);
[[nodiscard]] std::uintmax_t free_bytes(const std::filesystem::path& directory);
[[nodiscard]] bool contains(const std::string& text, const std::string& part);

}  // namespace assay::testing
