// Every registered case, as a whole: described, makes, runs, verifies, and its verify() notices planted corruption.
// Runs under mpirun with any number of ranks; a new case is covered without a change here.

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "collectives/mpi/mpi_session.hpp"
#include "core/error.hpp"
#include "core/registry.hpp"

namespace assay {
namespace {

constexpr double patience_seconds = 120;
constexpr std::size_t longest_summary = 100;

std::vector<int> usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

// One case under test on this rank; problems are collected, since every rank has to reach the same collective calls.
class Trial {
 public:
  Trial(Group& set, BufferPool& buffers, const std::filesystem::path& path)
      : set_(set), context_{set,  buffers, 42, Deadline(clock_, Seconds(patience_seconds)), {usable_cpus().front()},
                            path, {}} {}

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
      return {};
    } catch (const Error& error) {
      return error.what();
    }
  }

 private:
  void iterate(const CaseInfo& info, Case& subject) {
    subject.begin();
    for (int i = 0; i < 3; ++i) {
      if (info.barrier_before_each) set_.barrier();
      subject.run();
    }
    subject.end();
  }

  std::pair<std::uint64_t, std::uint64_t> totals(const Check& check) {
    return {static_cast<std::uint64_t>(sum_over(set_, static_cast<double>(check.checked))),
            static_cast<std::uint64_t>(sum_over(set_, static_cast<double>(check.wrong)))};
  }

  Group& set_;
  MonotonicClock clock_;
  Context context_;
};

bool described(const CaseInfo& info) { return !info.summary.empty() && info.summary.size() <= longest_summary; }

// "" on every rank when the point conforms, else the first rank's complaint.
std::string check_point(Group& world, const CaseInfo& info, const Point& point, const RankSets& sets,
                        BufferPool& buffers, const std::filesystem::path& path) {
  int own = -1;
  for (std::size_t i = 0; i < sets.size(); ++i)
    if (std::find(sets[i].begin(), sets[i].end(), world.rank()) != sets[i].end()) own = static_cast<int>(i);
  const std::unique_ptr<Group> set = world.split(own);
  std::string problem;
  if (set) problem = Trial(*set, buffers, path).run(info, point);
  world.quiet_barrier();
  for (const std::string& text : all_gather_texts(world, problem))
    if (!text.empty()) return text;
  return {};
}

int check_all(Group& world, const std::filesystem::path& path) {
  const Layout layout = Layout::single_node(world.size(), static_cast<int>(usable_cpus().size()));
  BufferPool buffers;
  int points = 0;
  int failures = 0;
  for (const CaseInfo& info : builtin_cases().cases()) {
    if (!described(info)) {
      ++failures;
      if (world.rank() == 0)
        fmt::print("{}: the summary is empty or longer than {} characters\n", info.name, longest_summary);
    }
    if (layout.ranks() < info.needs.ranks || layout.nodes() < info.needs.nodes) continue;
    for (const Point& point : points_of(info, Suite::quick, layout)) {
      const RankSets sets = info.sets(layout, point);
      if (sets.empty()) continue;
      ++points;
      const std::string problem = check_point(world, info, point, sets, buffers, path);
      if (problem.empty()) continue;
      ++failures;
      if (world.rank() == 0) fmt::print("{}/{}: {}\n", info.name, point.text(), problem);
    }
  }
  if (world.rank() == 0) fmt::print("{} ranks: {} points, {} failures\n", world.size(), points, failures);
  return points == 0 || failures > 0 ? 1 : 0;
}

}  // namespace
}  // namespace assay

int main() {
  assay::MpiSession mpi;
  std::string path;
  if (mpi.world().rank() == 0) path = std::filesystem::temp_directory_path() / "assay-conformance";
  path = assay::broadcast_text(mpi.world(), path);
  std::filesystem::create_directories(path);
  return assay::check_all(mpi.world(), path);
}
