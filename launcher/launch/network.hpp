#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// An IPv4 subnet, as Open MPI's *_if_include options take it: "10.77.0.0/24".
struct Subnet {
  std::uint32_t address = 0;  ///< host bits are 0
  int prefix = 0;

  auto operator<=>(const Subnet&) const = default;
};

/// An interface that is up, with one of its IPv4 addresses.
struct Interface {
  std::string name;
  std::uint32_t address = 0;
  int prefix = 0;

  [[nodiscard]] Subnet subnet() const;
  bool operator==(const Interface&) const = default;
};

/// "10.77.0.11/24" on an interface called `name`; nothing when malformed.
[[nodiscard]] std::optional<Interface> parse_interface(std::string_view name, std::string_view address);
[[nodiscard]] std::string to_string(const Subnet& subnet);
[[nodiscard]] std::string to_string(const Interface& interface);  ///< "eth0 10.77.0.11/24"

/// The interfaces of one host.
using Interfaces = std::vector<Interface>;

/// Subnets in which every host has an address and no two hosts have the same one, in the order of the first host.
/// Bridges for containers and loopback look alike on every host and carry the same address: they are no common network.
[[nodiscard]] std::vector<Subnet> common_subnets(const std::vector<Interfaces>& hosts);

/// Does `wanted`, an interface name or a subnet as text, name this subnet on this host?
[[nodiscard]] bool names_subnet(std::string_view wanted, const Subnet& subnet, const Interfaces& host);

}  // namespace assay
