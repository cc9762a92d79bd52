#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "inventory/fact.hpp"

namespace assay {

/// Where facts about the machine are read from: "/" in production, a made-up tree in tests. All paths are absolute and
/// as they are on that machine. Nothing here throws for what is missing or unreadable: the Fact says why.
class SystemRoot {
 public:
  struct Space {
    std::int64_t total = 0;  ///< bytes
    std::int64_t free = 0;   ///< bytes for users without privileges
  };

  /// `overlay`: a tree whose files stand before those of `root`, directories merged; empty = none. Throws
  /// Error(bad_input) when one of the two is no directory.
  explicit SystemRoot(const std::filesystem::path& root = "/", const std::filesystem::path& overlay = {});
  virtual ~SystemRoot() = default;

  [[nodiscard]] const std::filesystem::path& path() const { return root_; }
  /// Whether facts come from a tree that is not the machine's own.
  [[nodiscard]] bool overlaid() const { return !overlay_.empty(); }
  /// Where a path of the machine lies on this one.
  [[nodiscard]] std::filesystem::path at(std::string_view path) const;

  /// The whole file without trailing white space.
  [[nodiscard]] Fact<std::string> read(std::string_view path) const;
  [[nodiscard]] Fact<std::int64_t> read_integer(std::string_view path) const;
  [[nodiscard]] bool exists(std::string_view path) const;
  /// Names in a directory, sorted; empty when it cannot be read.
  [[nodiscard]] std::vector<std::string> list(std::string_view path) const;
  /// The path with all symbolic links followed.
  [[nodiscard]] Fact<std::string> resolve(std::string_view path) const;

  /// Size of the file system that holds `path`.
  [[nodiscard]] virtual Fact<Space> space(std::string_view path) const;
  /// The name that a hypervisor shows to its guests (x86 CPUID leaf 0x40000000), such as "KVMKVMKVM".
  [[nodiscard]] virtual Fact<std::string> hypervisor_signature() const;

 private:
  std::filesystem::path root_;
  std::filesystem::path overlay_;
};

/// The tree of this host in a directory of overlays, DIRECTORY/HOST; "/" alone for an empty directory. Throws
/// Error(bad_input) when the host has none.
[[nodiscard]] SystemRoot machine_with_overlay(const std::filesystem::path& directory);

/// The last component of a path.
[[nodiscard]] std::string base_name(std::string_view path);

}  // namespace assay
