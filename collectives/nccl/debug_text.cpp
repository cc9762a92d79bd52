#include "collectives/nccl/debug_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

namespace assay::nccl {

namespace {

constexpr std::size_t most_warnings = 5;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

/// The text behind the first `mark`; nothing when it is not there.
std::optional<std::string_view> after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(at + mark.size());
}

/// Takes a number from the front.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Takes a word of letters, digits and underscores from the front, past blanks.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  std::size_t length = 0;
  while (length < text.size() && in_word(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

/// NCCL's names and numbers of algorithms and protocols, as it writes them in NCCL_ALGO and NCCL_PROTO.
constexpr std::array<std::string_view, 7> algorithms{"Tree",     "Ring", "CollNetDirect", "CollNetChain", "NVLS",
                                                     "NVLSTree", "PAT"};
constexpr std::array<std::string_view, 3> protocols{"LL", "LL128", "Simple"};

template <std::size_t N>
std::string spelled(const std::array<std::string_view, N>& names, std::string_view word) {
  std::string_view rest = word;
  if (const auto number = take_number(rest); number && rest.empty()) {
    const bool known = *number >= 0 && static_cast<std::size_t>(*number) < N;
    return known ? std::string(names[static_cast<std::size_t>(*number)]) : fmt::format("number {}", *number);
  }
  std::string plain(word);  // NVLS_TREE in some lines is NVLSTree
  std::erase(plain, '_');
  const auto same = [&](std::string_view name) {
    return std::ranges::equal(name, plain, [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    });
  };
  const auto* found = std::ranges::find_if(names, same);
  return std::string(found == names.end() ? word : *found);
}

/// "AllReduce: 1024 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}", from 2.25 on by words, before by numbers
/// and without function and channels: "1024 Bytes -> Algo 1 proto 2 time 39.7".
bool observe_choice(std::string_view line, Observed& observed) {
  const auto found = after(line, "Bytes -> Algo ");
  if (!found) return false;
  std::string_view rest = *found;
  Observed::Choice choice;
  choice.algorithm = spelled(algorithms, take_word(rest));
  if (take_word(rest) != "proto") return true;
  choice.protocol = spelled(protocols, take_word(rest));
  if (auto range = after(rest, "}={")) {
    const auto low = take_number(*range);
    auto high = after(*range, "..");
    if (const auto last = high ? take_number(*high) : std::nullopt; low && last && *last >= *low)
      choice.channels = *last - *low + 1;
  }
  const std::size_t colon = line.substr(0, line.find("Bytes ->")).find(':');
  const std::string function(colon == std::string_view::npos ? std::string_view{} : trimmed(line.substr(0, colon)));
  if (!choice.algorithm.empty()) observed.choices[function] = std::move(choice);
  return true;
}

/// "Best tuning, algorithm, RING, protocol, SIMPLE": later versions, in front of the operation that it is for.
bool observe_best(std::string_view line, Observed& observed) {
  const auto algorithm = after(line, "Best tuning, algorithm, ");
  if (!algorithm) return false;
  std::string_view rest = *algorithm;
  Observed::Choice choice;
  choice.algorithm = spelled(algorithms, take_word(rest));
  if (auto protocol = after(rest, "protocol, ")) choice.protocol = spelled(protocols, take_word(*protocol));
  if (!choice.algorithm.empty()) observed.choices[""] = std::move(choice);
  return true;
}

/// "AllReduce [Symmetric]: 1024 Bytes -> Kernel AllReduce_AGxLL_R nchannels 16 nthreads 512 nWorks 1"
bool observe_symmetric(std::string_view line, Observed& observed) {
  const auto kernel = after(line, "Bytes -> Kernel ");
  if (!kernel) return false;
  const std::string name(kernel->substr(0, kernel->find(' ')));
  Observed::Choice choice{"Symmetric", name, 0};
  if (auto channels = after(*kernel, "nchannels ")) choice.channels = take_number(*channels).value_or(0);
  const std::string_view function = trimmed(line.substr(0, line.find(" [Symmetric]")));
  observed.choices[std::string(function)] = std::move(choice);
  return true;
}

/// The part behind "NET/" or the whole way: "IB/3(5)/GDRDMA/Shared" -> network IB, NIC 3, GDR.
void observe_network(std::string_view way, Observed& observed) {
  const std::size_t slash = way.find('/');
  const std::string_view network = way.substr(0, slash);
  if (network.empty()) return;
  const bool gdr = way.find("/GDRDMA") != std::string_view::npos;
  observed.transports.insert(fmt::format("NET/{}{}", network, gdr ? " GDR" : ""));
  if (slash == std::string_view::npos) return;
  std::string_view rest = way.substr(slash + 1);
  if (const auto number = take_number(rest)) observed.nics_used.insert(*number);
}

/// "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read", "Ring 00 : 6 -> 2 [receive] via NET/IB/0/GDRDMA comm 0x.. nRanks
/// 02"
bool observe_connection(std::string_view line, Observed& observed) {
  if (!line.starts_with("Channel ") && !line.starts_with("Ring ") && !line.starts_with("Tree ")) return false;
  const auto via = after(line, " via ");
  if (!via) return false;
  const std::string_view way = trimmed(via->substr(0, via->find(" comm ")));
  if (way.starts_with("NET/")) {
    observe_network(way.substr(4), observed);
    return true;
  }
  if (way.starts_with("SHM") || way == "direct shared memory") {
    observed.transports.insert("SHM");
    return true;
  }
  std::string_view kind = way.substr(0, way.find_first_of(" ("));
  // P2P/CUMEM, P2P/IPC, P2P/direct pointer, P2P/indirect/3[3]; what follows the second part is how, not what.
  if (const std::size_t first = kind.find('/'); first != std::string_view::npos)
    kind = kind.substr(0, kind.find('/', first + 1));
  if (!kind.empty()) observed.transports.insert(std::string(kind));
  return true;
}

/// "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>", "NET/Socket : Using
/// [0]eth0:10.0.0.1<0>"
bool observe_nics(std::string_view line, Observed& observed) {
  if (!line.starts_with("NET/")) return false;
  auto list = after(line, ": Using [");
  if (!list) list = after(line, ":Using [");
  if (!list) return false;
  std::string_view rest = list->substr(0, list->find(';'));
  while (const auto number = take_number(rest)) {
    if (!rest.starts_with(']')) break;
    rest.remove_prefix(1);
    const std::string_view name = rest.substr(0, rest.find_first_of(" :<"));
    if (!name.empty()) observed.nics[*number] = std::string(name);
    const auto next = after(rest, "[");
    if (!next) break;
    rest = *next;
  }
  return true;
}

/// "16 coll channels, 0 collnet channels, 16 nvls channels, 32 p2p channels, 2 p2p channels per peer"
bool observe_channels(std::string_view line, Observed& observed) {
  if (line.empty() || !is_digit(line.front())) return false;
  std::string_view rest = line;
  const int collective = take_number(rest).value_or(0);
  if (!rest.starts_with(" coll channels")) return false;
  observed.collective_channels = collective;
  while (const auto comma = after(rest, ", ")) {
    rest = *comma;
    const auto number = take_number(rest);
    if (!number) continue;
    if (rest.starts_with(" nvls channels")) observed.nvls_channels = *number;
    if (rest.starts_with(" p2p channels") && !rest.starts_with(" p2p channels per peer"))
      observed.point_to_point_channels = *number;
  }
  return true;
}

bool observe_version(std::string_view line, Observed& observed) {
  const auto version = after(line, "NCCL version ");
  if (!version || version->empty() || !is_digit(version->front())) return false;
  observed.version = std::string(version->substr(0, version->find_first_of("+ ")));
  return true;
}

/// "NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'", "... for GPU 2[2] / HCA 0 (distance 3 >= 2)"
bool observe_refusal(std::string_view line, Observed& observed) {
  const auto refusal = after(line, "GPU Direct RDMA Disabled ");
  if (!refusal) return false;
  if (observed.gdr_refused.empty()) observed.gdr_refused = std::string(trimmed(*refusal));
  return true;
}

void observe_line(std::string_view line, Observed& observed) {
  if (const auto warning = after(line, "NCCL WARN ")) {
    if (observed.warnings.size() < most_warnings) observed.warnings.emplace_back(trimmed(*warning));
    return;
  }
  // Some versions print their own number without a prefix, on the first rank only.
  if (line.starts_with("NCCL version ")) (void)observe_version(line, observed);
  const auto told = after(line, "NCCL INFO ");
  if (!told) return;
  const std::string_view text = trimmed(*told);
  for (const auto part : {observe_connection, observe_choice, observe_symmetric, observe_best, observe_channels,
                          observe_nics, observe_refusal, observe_version})
    if (part(text, observed)) return;
}

}  // namespace

void observe(std::string_view text, Observed& observed) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    observe_line(text.substr(0, end), observed);
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::string summary_text(const Observed& observed, std::string_view function) {
  std::string text = fmt::format("version {}\n", observed.version);
  for (const std::string& transport : observed.transports) text += fmt::format("transport {}\n", transport);
  for (const int number : observed.nics_used) {
    const auto nic = observed.nics.find(number);
    text += fmt::format("nic {}\n", nic == observed.nics.end() ? fmt::format("number{}", number) : nic->second);
  }
  auto choice = observed.choices.find(std::string(function));
  if (choice == observed.choices.end() && !function.empty()) choice = observed.choices.find("");
  int channels = function.empty() ? observed.point_to_point_channels : observed.collective_channels;
  if (choice != observed.choices.end() && !function.empty()) {
    text += fmt::format("algorithm {}\nprotocol {}\n", choice->second.algorithm, choice->second.protocol);
    if (choice->second.channels > 0) text += fmt::format("used_channels {}\n", choice->second.channels);
  }
  if (channels > 0) text += fmt::format("channels {}\n", channels);
  if (!observed.gdr_refused.empty()) text += fmt::format("gdr_refused {}\n", observed.gdr_refused);
  return text;
}

Summary merge_summaries(const std::vector<std::string>& texts) {
  Summary summary;
  int possible = 0;
  for (const std::string& text : texts) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      const std::size_t space = line.find(' ');
      if (space == std::string_view::npos || space + 1 == line.size()) continue;
      const std::string_view key = line.substr(0, space);
      std::string_view value = line.substr(space + 1);
      if (key == "transport") summary.transports.emplace(value);
      if (key == "nic") summary.nics.emplace(value);
      if (key == "version" && summary.version.empty()) summary.version = value;
      if (key == "algorithm" && summary.algorithm.empty()) summary.algorithm = value;
      if (key == "protocol" && summary.protocol.empty()) summary.protocol = value;
      if (key == "gdr_refused" && summary.gdr_refused.empty()) summary.gdr_refused = value;
      if (key == "used_channels") summary.channels = std::max(summary.channels, take_number(value).value_or(0));
      if (key == "channels") possible = std::max(possible, take_number(value).value_or(0));
    }
  }
  if (summary.channels == 0) summary.channels = possible;
  return summary;
}

std::string format_names(const std::set<std::string>& names) {
  std::map<std::string, std::set<int>> numbered;
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    const std::size_t end = name.find_last_not_of("0123456789") + 1;
    std::string_view digits = std::string_view(name).substr(end);
    if (const auto number = take_number(digits))
      numbered[name.substr(0, end)].insert(*number);
    else
      parts.push_back(name);
  }
  for (const auto& [stem, numbers] : numbered) {
    for (auto first = numbers.begin(); first != numbers.end();) {
      auto next = std::next(first);
      int last = *first;
      for (; next != numbers.end() && *next == last + 1; ++next) last = *next;
      parts.push_back(last == *first ? fmt::format("{}{}", stem, last) : fmt::format("{}{}-{}", stem, *first, last));
      first = next;
    }
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

std::string method_text(const Summary& summary, bool collective) {
  std::string text;
  if (collective) {
    text = summary.algorithm.empty() ? "algorithm not told by this version" : summary.algorithm;
    if (!summary.protocol.empty()) text += '/' + summary.protocol;
    text += ", ";
  }
  if (summary.channels > 0) text += fmt::format("{} channel{}, ", summary.channels, summary.channels == 1 ? "" : "s");
  std::vector<std::string> transports(summary.transports.begin(), summary.transports.end());
  // Networks last, beside the names of their NICs.
  std::ranges::stable_partition(transports, [](const std::string& name) { return !name.starts_with("NET/"); });
  text += transports.empty() ? "transports not told" : fmt::format("{}", fmt::join(transports, " + "));
  if (!summary.nics.empty()) text += ' ' + format_names(summary.nics);
  if (!summary.gdr_refused.empty()) text += fmt::format(" (GPUDirect RDMA disabled {})", summary.gdr_refused);
  if (!summary.version.empty()) text += ", NCCL " + summary.version;
  return text;
}

}  // namespace assay::nccl
