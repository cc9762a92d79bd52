#include "launcher/watch/beat_channel.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace assay {

namespace {

int milliseconds(Seconds duration) { return static_cast<int>(std::max(0.0, duration.value * 1e3)); }

std::vector<std::string> own_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return addresses;
  for (const ifaddrs* item = list; item != nullptr; item = item->ifa_next) {
    if (item->ifa_addr == nullptr || item->ifa_addr->sa_family != AF_INET) continue;
    sockaddr_in address{};
    std::memcpy(&address, item->ifa_addr, sizeof address);
    char text[INET_ADDRSTRLEN] = {};
    if (ntohl(address.sin_addr.s_addr) >> 24 == 127) continue;
    if (inet_ntop(AF_INET, &address.sin_addr, text, sizeof text) != nullptr) addresses.emplace_back(text);
  }
  freeifaddrs(list);
  return addresses;
}

// Takes whole messages with the right token out of `pending`.
void extract(std::vector<char>& pending, std::uint64_t token, std::vector<Beat>& beats) {
  std::size_t used = 0;
  for (; pending.size() - used >= sizeof(Beat); used += sizeof(Beat)) {
    Beat beat;
    std::memcpy(&beat, pending.data() + used, sizeof beat);
    beat.host[sizeof beat.host - 1] = '\0';
    beat.what[sizeof beat.what - 1] = '\0';
    if (beat.token == token) beats.push_back(beat);
  }
  pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(used));
}

// False when the other end is gone.
bool read_available(int socket, std::vector<char>& pending) {
  char buffer[16 * sizeof(Beat)];
  const ssize_t length = recv(socket, buffer, sizeof buffer, MSG_DONTWAIT);
  if (length > 0) pending.insert(pending.end(), buffer, buffer + length);
  return length > 0 || (length < 0 && (errno == EAGAIN || errno == EINTR));
}

bool write_beat(int socket, const Beat& beat) {
  const ssize_t length = ::send(socket, &beat, sizeof beat, MSG_NOSIGNAL | MSG_DONTWAIT);
  // A full buffer means that the reader is stuck, not gone: this beat is dropped, the next one says as much. Half a
  // message would put the stream out of step for good.
  return length == static_cast<ssize_t>(sizeof beat) || (length < 0 && (errno == EAGAIN || errno == EINTR));
}

Socket connect_to(const std::string& host, std::uint16_t port, Seconds timeout) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) return {};
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.open()) return {};
  sockaddr generic{};
  std::memcpy(&generic, &address, sizeof generic);
  if (connect(socket.get(), &generic, sizeof address) != 0) {
    if (errno != EINPROGRESS) return {};
    pollfd waiting{socket.get(), POLLOUT, 0};
    int failure = 0;
    socklen_t length = sizeof failure;
    if (poll(&waiting, 1, milliseconds(timeout)) != 1 ||
        getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failure, &length) != 0 || failure != 0)
      return {};
  }
  return socket;
}

}  // namespace

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string BeatAddress::text() const {
  std::string text = fmt::format("{} {}", token, port);
  for (const std::string& host : hosts) text += " " + host;
  return text;
}

BeatAddress BeatAddress::parse(const std::string& text) {
  BeatAddress address;
  std::istringstream words(text);
  words >> address.token >> address.port;
  for (std::string host; words >> host;) address.hosts.push_back(host);
  return address;
}

BeatServer::BeatServer(std::uint64_t token) {
  address_.token = token;
  address_.hosts = own_addresses();
  listener_ = Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_ANY);
  sockaddr generic{};
  std::memcpy(&generic, &any, sizeof generic);
  socklen_t length = sizeof generic;
  if (!listener_.open() || bind(listener_.get(), &generic, sizeof generic) != 0 ||
      listen(listener_.get(), SOMAXCONN) != 0 || getsockname(listener_.get(), &generic, &length) != 0)
    throw system_error(ExitCode::environment, "cannot listen for the other ranks", "watchdog", errno,
                       "check the limits on open files and sockets on rank 0's host");
  std::memcpy(&any, &generic, sizeof any);
  address_.port = ntohs(any.sin_port);
}

void BeatServer::accept_peers() {
  for (;;) {
    Socket socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.open()) return;
    peers_.push_back({std::move(socket), {}});
  }
}

bool BeatServer::read_beats(Peer& peer, std::vector<Beat>& beats) {
  if (!read_available(peer.socket.get(), peer.pending)) return false;
  std::vector<Beat> received;
  extract(peer.pending, address_.token, received);
  Beat answer;
  answer.token = address_.token;
  answer.kind = Beat::Kind::answer;
  for (const Beat& beat : received) {
    beats.push_back(beat);
    if (!write_beat(peer.socket.get(), answer)) return false;
  }
  return true;
}

std::vector<Beat> BeatServer::receive(Seconds timeout) {
  std::vector<pollfd> waiting{{listener_.get(), POLLIN, 0}};
  for (const Peer& peer : peers_) waiting.push_back({peer.socket.get(), POLLIN, 0});
  std::vector<Beat> beats;
  if (poll(waiting.data(), waiting.size(), milliseconds(timeout)) <= 0) return beats;
  std::vector<Peer> alive;
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    const bool readable = (waiting[i + 1].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
    if (!readable || read_beats(peers_[i], beats)) alive.push_back(std::move(peers_[i]));
  }
  peers_ = std::move(alive);
  if (waiting[0].revents != 0) accept_peers();
  return beats;
}

void BeatServer::tell_all_to_end() {
  Beat beat;
  beat.token = address_.token;
  beat.kind = Beat::Kind::end_now;
  for (const Peer& peer : peers_) write_beat(peer.socket.get(), beat);
}

BeatClient::BeatClient(const BeatAddress& address, bool same_host, Seconds timeout) : token_(address.token) {
  std::vector<std::string> hosts = address.hosts;
  if (same_host) hosts.insert(hosts.begin(), "127.0.0.1");
  const MonotonicClock clock;
  const Deadline deadline(clock, timeout);
  std::string tried;
  for (const std::string& host : hosts) {
    const double share = deadline.remaining().value / static_cast<double>(hosts.size());
    socket_ = connect_to(host, address.port, Seconds(std::max(share, 0.1)));
    if (socket_.open()) return;
    tried += fmt::format(" {}:{}", host, address.port);
  }
  throw environment_error("cannot reach rank 0's watchdog at" + tried,
                          "open TCP between the hosts of the job, or check its routes");
}

bool BeatClient::send(Beat beat) {
  beat.token = token_;
  return write_beat(socket_.get(), beat);
}

bool BeatClient::receive(Seconds timeout, std::vector<Beat>& beats) {
  pollfd waiting{socket_.get(), POLLIN, 0};
  if (poll(&waiting, 1, milliseconds(timeout)) <= 0) return true;
  if (!read_available(socket_.get(), pending_)) return false;
  extract(pending_, token_, beats);
  return true;
}

}  // namespace assay
