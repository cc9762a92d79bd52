#include "launcher/watch/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace assay {

namespace {

auto place(const RankState& state) { return std::tuple(state.phase.series, state.phase.kind); }

std::vector<RankState> silent_ranks(const std::vector<RankState>& states) {
  std::vector<RankState> silent;
  for (const RankState& state : states)
    if (state.silent_for > silence_limit) silent.push_back(state);
  return silent;
}

std::vector<RankState> behind_in_phase(const std::vector<RankState>& states) {
  const auto furthest = std::max_element(states.begin(), states.end(),
                                         [](const RankState& a, const RankState& b) { return place(a) < place(b); });
  std::vector<RankState> behind;
  for (const RankState& state : states)
    if (place(state) < place(*furthest)) behind.push_back(state);
  return behind;
}

// Waiting ranks are always ahead of working ones; only among the working ones is somebody late.
std::vector<RankState> working_ranks(const std::vector<RankState>& states) {
  std::vector<RankState> working;
  for (const RankState& state : states)
    if (state.phase.set >= 0 && state.phase.kind != PhaseKind::wait) working.push_back(state);
  return working;
}

std::vector<RankState> behind_in_iterations(const std::vector<RankState>& states) {
  std::map<std::int32_t, std::uint64_t> furthest;
  for (const RankState& state : states)
    furthest[state.phase.set] = std::max(furthest[state.phase.set], state.phase.iteration);
  std::vector<RankState> behind;
  for (const RankState& state : states)
    if (state.phase.iteration < furthest[state.phase.set]) behind.push_back(state);
  return behind;
}

std::string describe_rank(const RankState& state) {
  std::string text = fmt::format("rank {} on {}: ", state.rank, state.host);
  if (state.silent_for > silence_limit) text += fmt::format("silent for {:.1f} s, last seen ", state.silent_for.value);
  text += to_string(state.phase.kind);
  if (state.phase.kind == PhaseKind::measure) text += fmt::format(", iteration {}", state.phase.iteration);
  if (!state.phase.what.empty()) text += " (" + state.phase.what + ")";
  return text;
}

}  // namespace

bool deadline_passed(const std::vector<RankState>& states, Seconds deadline) {
  return std::any_of(states.begin(), states.end(),
                     [&](const RankState& state) { return state.remaining.value <= 0 || state.silent_for > deadline; });
}

std::vector<RankState> not_arrived(const std::vector<RankState>& states) {
  if (states.empty()) return {};
  if (std::vector<RankState> silent = silent_ranks(states); !silent.empty()) return silent;
  const std::vector<RankState> working = working_ranks(states);
  if (std::vector<RankState> behind = behind_in_phase(working.empty() ? states : working); !behind.empty())
    return behind;
  return behind_in_iterations(working);
}

std::string describe_stall(const std::vector<RankState>& states, Seconds deadline) {
  const auto stalled = std::min_element(
      states.begin(), states.end(), [](const RankState& a, const RankState& b) { return a.remaining < b.remaining; });
  std::string text = fmt::format("no progress for {:.0f} s", deadline.value);
  if (stalled != states.end())
    text += fmt::format(" in {} ({})", stalled->phase.what.empty() ? "start-up" : stalled->phase.what,
                        to_string(stalled->phase.kind));
  const std::vector<RankState> missing = not_arrived(states);
  if (missing.empty()) {
    text += "; every rank answers and is at the same place: the network, the MPI library or the file system is stuck";
    return text;
  }
  constexpr std::size_t most = 8;
  text += "; did not arrive: ";
  for (std::size_t i = 0; i < std::min(missing.size(), most); ++i) {
    if (i > 0) text += "; ";
    text += describe_rank(missing[i]);
  }
  if (missing.size() > most) text += fmt::format("; and {} more", missing.size() - most);
  return text;
}

}  // namespace assay
