#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

enum class IoOp { read, write };

/// What an engine works on. The file and the memory outlive the engine.
struct IoTarget {
  int descriptor = -1;
  std::filesystem::path path;   ///< for messages
  std::span<std::byte> memory;  ///< depth * block_bytes; slot i owns bytes [i * block_bytes, (i + 1) * block_bytes)
  std::size_t block_bytes = 0;
  int depth = 1;
};

/// Keeps several block transfers in flight on one file. One thread uses an engine. The destructor waits for what is
/// still in flight, since the system writes into the memory until then.
class IoEngine {
 public:
  virtual ~IoEngine() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Lines up the transfer of a free slot's block; it starts with the next start() or wait().
  virtual void queue(int slot, IoOp op, std::uint64_t offset) = 0;
  virtual void start() = 0;
  /// Starts what is lined up, waits until at least `minimum` transfers (or all in flight, when fewer) are complete, and
  /// returns the slots of all complete ones, valid until the next call. Short transfers are carried on with until they
  /// are whole. Throws Error(environment) when one failed or met the end of the file.
  [[nodiscard]] virtual std::span<const int> wait(int minimum) = 0;
  [[nodiscard]] virtual int in_flight() const = 0;  ///< lined up, under way, or complete and not yet returned
};

/// Engines: "io_uring" (liburing, kernel 5.6), "threads" (one thread for each slot, pread and pwrite).
/// Throws Error(environment) when this build or this host does not offer the engine.
[[nodiscard]] std::unique_ptr<IoEngine> make_io_engine(std::string_view name, const IoTarget& target);

/// The best engine that this build has and this host permits (containers often forbid io_uring).
[[nodiscard]] std::string best_io_engine();

/// Empty when io_uring works here; otherwise why not.
[[nodiscard]] std::string why_no_uring();

[[nodiscard]] std::unique_ptr<IoEngine> make_uring_engine(const IoTarget& target);
[[nodiscard]] std::unique_ptr<IoEngine> make_thread_engine(const IoTarget& target);

}  // namespace assay
