#include "launcher/launch/network.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace assay {

namespace {

std::string dotted(std::uint32_t address) {
  const in_addr network{htonl(address)};
  std::array<char, INET_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET, &network, text.data(), text.size());
}

/// Its address in the subnet; nothing when it has none.
std::optional<std::uint32_t> address_in(const Interfaces& host, const Subnet& subnet) {
  const auto found =
      std::find_if(host.begin(), host.end(), [&](const Interface& interface) { return interface.subnet() == subnet; });
  return found == host.end() ? std::nullopt : std::optional(found->address);
}

bool connects(const Subnet& subnet, const std::vector<Interfaces>& hosts) {
  std::set<std::uint32_t> addresses;
  return std::all_of(hosts.begin(), hosts.end(), [&](const Interfaces& host) {
    const auto address = address_in(host, subnet);
    return address && addresses.insert(*address).second;
  });
}

}  // namespace

Subnet Interface::subnet() const {
  const std::uint32_t mask = prefix == 0 ? 0 : ~std::uint32_t{0} << (32 - prefix);
  return {address & mask, prefix};
}

std::optional<Interface> parse_interface(std::string_view name, std::string_view address) {
  const std::size_t slash = address.find('/');
  if (name.empty() || slash == std::string_view::npos) return std::nullopt;
  const std::string_view digits = address.substr(slash + 1);
  in_addr network{};
  int prefix = -1;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
  if (code != std::errc{} || end != digits.data() + digits.size() || prefix < 0 || prefix > 32) return std::nullopt;
  if (inet_pton(AF_INET, std::string(address.substr(0, slash)).c_str(), &network) != 1) return std::nullopt;
  return Interface{std::string(name), ntohl(network.s_addr), prefix};
}

std::string to_string(const Subnet& subnet) { return fmt::format("{}/{}", dotted(subnet.address), subnet.prefix); }

std::string to_string(const Interface& interface) {
  return fmt::format("{} {}/{}", interface.name, dotted(interface.address), interface.prefix);
}

std::vector<Subnet> common_subnets(const std::vector<Interfaces>& hosts) {
  std::vector<Subnet> common;
  if (hosts.empty()) return common;
  for (const Interface& interface : hosts.front()) {
    const Subnet subnet = interface.subnet();
    if (std::find(common.begin(), common.end(), subnet) == common.end() && connects(subnet, hosts))
      common.push_back(subnet);
  }
  return common;
}

bool names_subnet(std::string_view wanted, const Subnet& subnet, const Interfaces& host) {
  return wanted == to_string(subnet) || std::any_of(host.begin(), host.end(), [&](const Interface& interface) {
           return interface.name == wanted && interface.subnet() == subnet;
         });
}

}  // namespace assay
