#include "core/group_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/random.hpp"

namespace assay {
namespace {

constexpr std::size_t smallest_split = 4;  ///< smaller groups have a half that is too small to work alone
constexpr int tries_for_a_verdict = 2;

std::pair<std::vector<int>, std::vector<int>> halves(const std::vector<int>& group) {
  const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
  return {{group.begin(), middle}, {middle, group.end()}};
}

std::vector<int> joined(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

}  // namespace

GroupSearch::GroupSearch(int members, std::uint64_t seed) : cleared_(static_cast<std::size_t>(std::max(0, members))) {
  std::vector<int> all(cleared_.size());
  std::iota(all.begin(), all.end(), 0);
  Random random(mix(seed, 3));
  random.shuffle(all);
  suspect(std::move(all));
}

void GroupSearch::suspect(std::vector<int> group) {
  Task task;
  task.kind = group.size() < smallest_split ? Task::Kind::partner : Task::Kind::split;
  task.failures.assign(group.size(), 0);
  task.tries.assign(group.size(), 0);
  task.last_partner.assign(group.size(), -1);
  task.first = std::move(group);
  tasks_.push_back(std::move(task));
}

void GroupSearch::cross(std::vector<int> first, std::vector<int> second) {
  if (first.size() == 1 && second.size() == 1) {
    findings_.pairs.emplace_back(std::min(first[0], second[0]), std::max(first[0], second[0]));
    return;
  }
  tasks_.push_back({.kind = Task::Kind::cross, .first = std::move(first), .second = std::move(second)});
}

void GroupSearch::ask(Task& task, std::vector<int>& partners) {
  task.asked.clear();
  if (task.kind == Task::Kind::split) {
    auto [a, b] = halves(task.first);
    task.asked = {std::move(a), std::move(b)};
  } else if (task.kind == Task::Kind::trio) {
    task.asked = {{task.first[static_cast<std::size_t>(task.turn)], task.first[(task.turn + 1U) % task.first.size()]}};
  } else if (task.kind == Task::Kind::cross) {
    const auto [a1, a2] = halves(task.first);
    const auto [b1, b2] = halves(task.second);
    const auto& c1 = task.turn == 0 ? b1 : b2;
    const auto& c2 = task.turn == 0 ? b2 : b1;
    // With an empty half the group would be one that passed already.
    if (!a1.empty() && !c1.empty()) task.asked.push_back(joined(a1, c1));
    if (!a2.empty() && !c2.empty()) task.asked.push_back(joined(a2, c2));
  } else {
    for (std::size_t i = 0; i < task.first.size(); ++i) {
      if (task.tries[i] >= tries_for_a_verdict) continue;
      const auto partner = std::find_if(partners.rbegin(), partners.rend(),
                                        [&](int candidate) { return candidate != task.last_partner[i]; });
      if (partner == partners.rend()) continue;
      task.last_partner[i] = *partner;
      task.asked.push_back({task.first[i], *partner});
      partners.erase(std::next(partner).base());
    }
  }
}

std::vector<int> GroupSearch::free_partners() const {
  std::vector<bool> busy(cleared_.size());
  for (const Task& task : tasks_) {
    for (const int member : task.first) busy[static_cast<std::size_t>(member)] = true;
    for (const int member : task.second) busy[static_cast<std::size_t>(member)] = true;
  }
  std::vector<int> partners;
  for (std::size_t member = 0; member < cleared_.size(); ++member) {
    if (cleared_[member] && !busy[member]) partners.push_back(static_cast<int>(member));
  }
  return partners;
}

RankSets GroupSearch::next() {
  std::vector<int> partners = free_partners();
  RankSets groups;
  for (Task& task : tasks_) {
    ask(task, partners);
    groups.insert(groups.end(), task.asked.begin(), task.asked.end());
  }
  if (groups.empty()) {
    for (const Task& task : tasks_) findings_.undecided.push_back(joined(task.first, task.second));
    tasks_.clear();
  }
  return groups;
}

void GroupSearch::report(const std::vector<bool>& passed) {
  std::size_t asked = 0;
  for (const Task& task : tasks_) asked += task.asked.size();
  if (asked != passed.size()) throw environment_error("group search: an answer for each group of the round is needed");
  ++rounds_;
  const std::vector<Task> tasks = std::exchange(tasks_, {});
  auto at = passed.begin();
  for (const Task& task : tasks) {
    const std::vector<bool> mine(at, at + static_cast<std::ptrdiff_t>(task.asked.size()));
    at += static_cast<std::ptrdiff_t>(task.asked.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (!mine[i] || task.kind == Task::Kind::partner || task.kind == Task::Kind::trio) continue;
      for (const int member : task.asked[i]) cleared_[static_cast<std::size_t>(member)] = true;
    }
    answer(task, mine);
  }
}

void GroupSearch::answer(const Task& task, const std::vector<bool>& passed) {
  if (task.kind == Task::Kind::split) answer_split(task, passed);
  if (task.kind == Task::Kind::cross) answer_cross(task, passed);
  if (task.kind == Task::Kind::partner) answer_partner(task, passed);
  if (task.kind == Task::Kind::trio) answer_trio(task, passed.at(0));
}

void GroupSearch::answer_split(const Task& task, const std::vector<bool>& passed) {
  if (passed[0] && passed[1]) {
    cross(task.asked[0], task.asked[1]);
    return;
  }
  for (std::size_t half = 0; half < 2; ++half) {
    if (!passed[half]) suspect(task.asked[half]);
  }
}

void GroupSearch::answer_cross(const Task& task, const std::vector<bool>& passed) {
  bool found = false;
  for (std::size_t i = 0; i < passed.size(); ++i) {
    if (passed[i]) continue;
    found = true;
    std::vector<int> first, second;
    for (const int member : task.asked[i]) {
      const bool of_first = std::count(task.first.begin(), task.first.end(), member) > 0;
      (of_first ? first : second).push_back(member);
    }
    cross(std::move(first), std::move(second));
  }
  if (found) return;
  if (task.turn == 0) {
    Task other = task;
    other.turn = 1;
    tasks_.push_back(std::move(other));
  } else {
    findings_.undecided.push_back(joined(task.first, task.second));
  }
}

void GroupSearch::answer_partner(Task task, const std::vector<bool>& passed) {
  for (std::size_t i = 0; i < passed.size(); ++i) {
    const auto at = std::find(task.first.begin(), task.first.end(), task.asked[i][0]) - task.first.begin();
    const auto suspect = static_cast<std::size_t>(at);
    ++task.tries[suspect];
    // One pass with a partner that works is enough: the member can communicate.
    if (passed[i]) task.tries[suspect] = tries_for_a_verdict;
    if (!passed[i]) ++task.failures[suspect];
  }
  const bool all_tried =
      std::all_of(task.tries.begin(), task.tries.end(), [](int tries) { return tries >= tries_for_a_verdict; });
  if (all_tried) {
    settle(task);
  } else {
    tasks_.push_back(std::move(task));
  }
}

void GroupSearch::settle(const Task& task) {
  std::vector<int> good;
  for (std::size_t i = 0; i < task.first.size(); ++i) {
    const bool bad = task.failures[i] >= tries_for_a_verdict;
    if (bad) findings_.members.push_back(task.first[i]);
    if (!bad) good.push_back(task.first[i]);
    if (!bad) cleared_[static_cast<std::size_t>(task.first[i])] = true;
  }
  if (good.size() < task.first.size()) return;  // the bad members explain why the group failed
  if (good.size() == 2) {
    cross({good[0]}, {good[1]});
  } else {
    tasks_.push_back({.kind = Task::Kind::trio, .first = good, .failures = {0}});
  }
}

void GroupSearch::answer_trio(Task task, bool passed) {
  if (!passed) {
    task.failures[0] = 1;
    cross({task.asked[0][0]}, {task.asked[0][1]});
  }
  if (++task.turn < 3) {
    tasks_.push_back(std::move(task));
  } else if (task.failures[0] == 0) {
    findings_.undecided.push_back(task.first);
  }
}

GroupSearch::Findings GroupSearch::findings() const {
  Findings sorted = findings_;
  std::sort(sorted.members.begin(), sorted.members.end());
  std::sort(sorted.pairs.begin(), sorted.pairs.end());
  for (auto& group : sorted.undecided) std::sort(group.begin(), group.end());
  std::sort(sorted.undecided.begin(), sorted.undecided.end());
  return sorted;
}

}  // namespace assay
