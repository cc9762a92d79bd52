#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "launcher/watch/phase_board.hpp"

namespace assay {

/// One message of the watchdog channel; the same binary runs on all hosts, so it travels as it lies in memory.
struct Beat {
  enum class Kind : std::uint32_t { state, answer, end_now };

  std::uint64_t token = 0;  ///< of the run: strangers are not listened to
  Kind kind = Kind::state;
  std::int32_t rank = 0;
  std::uint64_t series = 0;
  std::uint64_t iteration = 0;
  double remaining = 0;  ///< seconds until the sender's own deadline
  std::uint32_t phase = 0;
  std::int32_t set = -1;
  char host[64] = {};
  char what[224] = {};
};

/// Owned socket.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  [[nodiscard]] int get() const noexcept { return descriptor_; }
  [[nodiscard]] bool open() const noexcept { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

/// Where rank 0 listens: every IPv4 address of its host, since it cannot know which one the others reach.
struct BeatAddress {
  std::uint64_t token = 0;
  std::uint16_t port = 0;
  std::vector<std::string> hosts;

  [[nodiscard]] std::string text() const;  ///< "token port host host ..."
  [[nodiscard]] static BeatAddress parse(const std::string& text);
};

/// Rank 0's end: accepts the others and keeps their last beats. For one thread.
class BeatServer {
 public:
  /// Throws Error(environment) when no port can be had.
  explicit BeatServer(std::uint64_t token);

  [[nodiscard]] const BeatAddress& address() const { return address_; }
  /// Waits up to `timeout` for messages, answers each, and returns those received.
  [[nodiscard]] std::vector<Beat> receive(Seconds timeout);
  void tell_all_to_end();

 private:
  struct Peer {
    Socket socket;
    std::vector<char> pending;
  };
  void accept_peers();
  [[nodiscard]] bool read_beats(Peer& peer, std::vector<Beat>& beats);

  BeatAddress address_;
  Socket listener_;
  std::vector<Peer> peers_;
};

/// Every other rank's end. For one thread.
class BeatClient {
 public:
  /// Tries the addresses in order, loopback first; throws Error(environment) naming them when none answers in time.
  BeatClient(const BeatAddress& address, bool same_host, Seconds timeout);

  /// False when rank 0 is gone.
  [[nodiscard]] bool send(Beat beat);
  /// Messages that came within `timeout`; false when rank 0 is gone.
  [[nodiscard]] bool receive(Seconds timeout, std::vector<Beat>& beats);

 private:
  std::uint64_t token_;
  Socket socket_;
  std::vector<char> pending_;
};

}  // namespace assay
