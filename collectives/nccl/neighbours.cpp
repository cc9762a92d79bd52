#include "collectives/nccl/neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::nccl {

namespace {

bool concerns(const Link& link, int member) { return link.first == member || link.second == member; }
int other_end(const Link& link, int member) { return link.first == member ? link.second : link.first; }

bool answers_somebody(const std::vector<Link>& links, int member) {
  return std::ranges::any_of(links, [&](const Link& link) { return link.answers && concerns(link, member); });
}

/// Neither neighbour gets an answer, and both get one from somebody else.
bool silent(const std::vector<Link>& links, int member) {
  int neighbours = 0;
  for (const Link& link : links) {
    if (!concerns(link, member)) continue;
    ++neighbours;
    if (link.answers || !answers_somebody(links, other_end(link, member))) return false;
  }
  return neighbours > 1;
}

}  // namespace

std::vector<std::vector<std::pair<int, int>>> neighbour_rounds(int members) {
  std::vector<std::vector<std::pair<int, int>>> rounds;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::pair<int, int>> pairs;
    for (int first = round; first + 1 < members; first += 2) pairs.emplace_back(first, first + 1);
    if (!pairs.empty()) rounds.push_back(std::move(pairs));
  }
  if (members < 3) return rounds;
  if (members % 2 == 0)
    rounds[1].emplace_back(members - 1, 0);
  else
    rounds.push_back({{members - 1, 0}});
  return rounds;
}

std::string blame(const std::vector<std::string>& places, const std::vector<Link>& links) {
  const auto place = [&](int member) { return places[static_cast<std::size_t>(member)]; };
  std::vector<std::string> guilty;
  for (int member = 0; member < static_cast<int>(places.size()); ++member)
    if (silent(links, member)) guilty.push_back(place(member));
  if (!guilty.empty())
    return fmt::format("tried in pairs, {} answer{} no neighbour", fmt::join(guilty, " and "),
                       guilty.size() == 1 ? "s" : "");
  for (const Link& link : links)
    if (!link.answers) guilty.push_back(fmt::format("{} and {}", place(link.first), place(link.second)));
  if (guilty.empty()) return {};
  constexpr std::size_t most = 4;
  const std::string more = guilty.size() > most ? fmt::format(" and {} more pairs", guilty.size() - most) : "";
  guilty.resize(std::min(most, guilty.size()));
  return fmt::format("tried in pairs, no answer between {}{}", fmt::join(guilty, ", between "), more);
}

}  // namespace assay::nccl
