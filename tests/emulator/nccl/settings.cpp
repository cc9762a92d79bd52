#include "tests/emulator/nccl/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "tests/emulator/model/environment.hpp"

namespace emulator::nccl {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const auto to = std::min(text.find(at, from), text.size());
    if (to > from) parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

[[noreturn]] void unknown(const std::string& word, const std::string& text) {
  throw std::invalid_argument(fmt::format("Unrecognized element token \"{}\" when parsing \"{}\"", word, text));
}

/// Nothing: an algorithm of NCCL that the emulator does not have.
std::optional<Algorithm> algorithm_of(const std::string& word, const std::string& text) {
  const auto name = lower(word);
  if (name == "ring") return Algorithm::ring;
  if (name == "tree") return Algorithm::tree;
  if (name == "nvls") return Algorithm::nvls;
  if (name == "nvlstree") return Algorithm::nvls_tree;
  if (name == "collnetdirect" || name == "collnetchain" || name == "collnet") return Algorithm::collnet;
  if (name == "pat") return std::nullopt;
  unknown(word, text);
}

std::optional<Protocol> protocol_of(const std::string& word, const std::string& text) {
  const auto name = lower(word);
  if (name == "ll") return Protocol::ll;
  if (name == "ll128") return Protocol::ll128;
  if (name == "simple") return Protocol::simple;
  unknown(word, text);
}

/// The collectives that a name before a colon means.
std::vector<Collective> collectives_of(const std::string& word, const std::string& text) {
  const auto name = lower(word);
  if (name == "allreduce") return {Collective::all_reduce};
  if (name == "allgather") return {Collective::all_gather};
  if (name == "reducescatter") return {Collective::reduce_scatter};
  if (name == "broadcast") return {Collective::broadcast};
  if (name == "reduce") return {Collective::reduce};
  unknown(word, text);
}

constexpr std::array tuned{Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                           Collective::broadcast, Collective::reduce};

template <typename T>
void restrict_to(std::vector<T>& allowed, const std::vector<T>& listed, bool excluded) {
  std::erase_if(allowed, [&](T one) { return (std::ranges::find(listed, one) != listed.end()) == excluded; });
}

/// Calls apply(choice, words, excluded) for every collective that a part of the text is about.
template <typename Apply>
void read_list(const std::string& text, std::array<Choice, 9>& choices, Apply apply) {
  for (const auto& part : split(text, ';')) {
    const auto colon = part.find(':');
    std::vector<Collective> about(tuned.begin(), tuned.end());
    if (colon != std::string::npos) about = collectives_of(part.substr(0, colon), text);
    std::string list = colon == std::string::npos ? part : part.substr(colon + 1);
    const bool excluded = list.starts_with('^');
    if (excluded) list.erase(0, 1);
    for (const auto collective : about) {
      apply(choices[static_cast<std::size_t>(collective)], split(list, ','), excluded);
    }
  }
}

/// Value of a switch such as NCCL_P2P_DISABLE.
int number(const char* name, int otherwise) {
  const auto text = environment(name);
  int value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Distance level_of(const std::string& text) {
  const auto name = lower(text);
  if (name.empty()) return Distance::pxb;
  if (name == "loc" || name == "0") return Distance::never;
  if (name == "pix" || name == "1") return Distance::pix;
  if (name == "pxb" || name == "2") return Distance::pxb;
  if (name == "phb" || name == "3") return Distance::phb;
  return Distance::sys;
}

/// The switches that real NCCL reads once in a process.
struct Switches {
  bool nvls = number("NCCL_NVLS_ENABLE", 2) != 0;
  bool peer_to_peer = number("NCCL_P2P_DISABLE", 0) == 0 && lower(environment("NCCL_P2P_LEVEL")) != "loc";
  bool shared_memory = number("NCCL_SHM_DISABLE", 0) == 0;
  bool infiniband = number("NCCL_IB_DISABLE", 0) == 0;
  bool collnet = number("NCCL_COLLNET_ENABLE", 0) != 0;
};

}  // namespace

void read_algorithms(const std::string& text, std::array<Choice, 9>& choices) {
  read_list(text, choices, [&](Choice& choice, const std::vector<std::string>& words, bool excluded) {
    std::vector<Algorithm> listed;
    for (const auto& word : words) {
      if (const auto algorithm = algorithm_of(word, text)) listed.push_back(*algorithm);
    }
    restrict_to(choice.algorithms, listed, excluded);
  });
}

void read_protocols(const std::string& text, std::array<Choice, 9>& choices) {
  read_list(text, choices, [&](Choice& choice, const std::vector<std::string>& words, bool excluded) {
    std::vector<Protocol> listed;
    for (const auto& word : words) {
      if (const auto protocol = protocol_of(word, text)) listed.push_back(*protocol);
    }
    restrict_to(choice.protocols, listed, excluded);
  });
}

bool Settings::uses(const std::string& nic) const {
  if (hca.empty()) return true;
  std::string list = hca;
  const bool excluded = list.starts_with('^');
  if (excluded) list.erase(0, 1);
  const bool whole = list.starts_with('=');
  if (whole) list.erase(0, 1);
  const auto words = split(list, ',');
  const bool listed = std::ranges::any_of(words, [&](std::string word) {
    word = word.substr(0, word.find(':'));
    return whole ? nic == word : nic.starts_with(word);
  });
  return listed != excluded;
}

Settings Settings::from_environment() {
  static const Switches switches;
  Settings settings;
  settings.nvls = switches.nvls;
  settings.peer_to_peer = switches.peer_to_peer;
  settings.shared_memory = switches.shared_memory;
  settings.infiniband = switches.infiniband;
  settings.collnet = switches.collnet;
  settings.gdr_level = level_of(environment("NCCL_NET_GDR_LEVEL"));
  settings.hca = environment("NCCL_IB_HCA");
  settings.interface_name = environment("NCCL_SOCKET_IFNAME");
  settings.algorithm_text = environment("NCCL_ALGO");
  settings.protocol_text = environment("NCCL_PROTO");
  settings.pinned_algorithm = !settings.algorithm_text.empty();
  settings.pinned_protocol = !settings.protocol_text.empty();
  read_algorithms(settings.algorithm_text, settings.choices);
  read_protocols(settings.protocol_text, settings.choices);
  return settings;
}

}  // namespace emulator::nccl
