#include "tests/launcher/case_trial.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/error.hpp"

namespace assay::testing {
namespace {

constexpr double patience_seconds = 120;
constexpr std::size_t longest_summary = 100;
constexpr std::size_t iterations = 3;

// One case under test on this rank; problems are collected, since every rank has to reach the same collective calls.
class Trial {
 public:
  Trial(Group& set, const std::vector<int>& members, const TrialGround& ground)
      : set_(set),
        context_{set,
                 ground.buffers,
                 42,
                 Deadline(clock_, Seconds(patience_seconds)),
                 {ground.cpus.front()},
                 ground.path,
                 {},
                 ground.device,
                 &ground.layout,
                 members} {}

  std::string run(const CaseInfo& info, const Point& point) {
    try {
      const std::unique_ptr<Case> subject = info.make(context_, point);
      const Work work = subject->work();
      if (!(work.amount > 0) || !(work.bus_factor > 0)) return "work() is not positive";
      iterate(info, *subject);
      const auto [checked, wrong] = totals(subject->verify());
      if (checked == 0) return "verify() checked nothing";
      if (wrong > 0) return fmt::format("{} of {} elements wrong in a healthy run", wrong, checked);
      const bool mine = set_.rank() == set_.size() - 1 && subject->corrupt();
      const bool last_can = sum_over(set_, mine ? 1 : 0) > 0;
      const bool anyone = last_can || sum_over(set_, set_.rank() == 0 && subject->corrupt() ? 1 : 0) > 0;
      if (!anyone) return "corrupt() damages nothing, neither on the first nor on the last rank";
      if (totals(subject->verify()).second == 0) return "verify() does not notice planted corruption";
      return timing_problem_;
    } catch (const Error& error) {
      return error.what();
    }
  }

 private:
  void iterate(const CaseInfo& info, Case& subject) {
    subject.begin();
    for (std::size_t i = 0; i < iterations; ++i) {
      if (info.barrier_before_each) set_.barrier();
      subject.run();
    }
    subject.end();
    if (info.timing != Timing::device) return;
    std::vector<double> seconds(iterations, -1);
    subject.device_seconds(seconds);
    for (const double one : seconds)
      if (!std::isfinite(one) || one <= 0) timing_problem_ = fmt::format("device_seconds() says {}", one);
  }

  std::pair<std::uint64_t, std::uint64_t> totals(const Check& check) {
    return {static_cast<std::uint64_t>(sum_over(set_, static_cast<double>(check.checked))),
            static_cast<std::uint64_t>(sum_over(set_, static_cast<double>(check.wrong)))};
  }

  Group& set_;
  MonotonicClock clock_;
  Context context_;
  std::string timing_problem_;
};

bool described(const CaseInfo& info) { return !info.summary.empty() && info.summary.size() <= longest_summary; }

bool served(const CaseInfo& info, const Layout& layout) {
  const Needs& needs = info.needs;
  const auto gpus = static_cast<std::size_t>(needs.gpus);
  const RankSets with_gpu = gpu_ranks(layout);
  const std::size_t gpus_there = with_gpu.empty() ? 0 : with_gpu.front().size();
  return layout.ranks() >= needs.ranks && layout.nodes() >= needs.nodes && gpus_there >= gpus &&
         gpus_on_fullest_node(layout) >= needs.gpus_on_node && (!needs.nccl || layout.gpu.nccl) &&
         static_cast<int>(gpu_ranks_each_node(layout).size()) >= needs.gpu_nodes;
}

// "" on every rank when the point conforms, else the first rank's complaint.
std::string check_point(const TrialGround& ground, const CaseInfo& info, const Point& point, const RankSets& sets) {
  int own = -1;
  for (std::size_t i = 0; i < sets.size(); ++i)
    if (std::find(sets[i].begin(), sets[i].end(), ground.world.rank()) != sets[i].end()) own = static_cast<int>(i);
  const std::unique_ptr<Group> set = ground.world.split(own);
  std::string problem;
  if (set) problem = Trial(*set, sets[static_cast<std::size_t>(own)], ground).run(info, point);
  ground.world.quiet_barrier();
  for (const std::string& text : all_gather_texts(ground.world, problem))
    if (!text.empty()) return text;
  return {};
}

}  // namespace

std::vector<int> usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

int check_all_cases(const TrialGround& ground, const Registry& registry, Suite suite) {
  const bool first = ground.world.rank() == 0;
  int points = 0;
  int failures = 0;
  for (const CaseInfo& info : registry.cases()) {
    if (!described(info)) {
      ++failures;
      if (first) fmt::print("{}: the summary is empty or longer than {} characters\n", info.name, longest_summary);
    }
    if (!served(info, ground.layout)) continue;
    for (const Point& point : points_of(info, suite, ground.layout)) {
      const RankSets sets = info.sets(ground.layout, point);
      if (sets.empty()) continue;
      ++points;
      const std::string problem = check_point(ground, info, point, sets);
      if (problem.empty()) continue;
      ++failures;
      if (first) fmt::print("{}/{}: {}\n", info.name, point.text(), problem);
    }
  }
  if (first) fmt::print("{} ranks: {} points, {} failures\n", ground.world.size(), points, failures);
  return points == 0 ? 1 : failures;
}

}  // namespace assay::testing
