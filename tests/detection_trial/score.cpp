#include "tests/detection_trial/score.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trial {
namespace {

using namespace assay::locate;

/// The part that a fault sits in, as the program would name it; both ways unless only one was harmed.
Part part_of_fault(const Fault& fault) {
  const auto link = [&] {
    Part part{.kind = PartKind::link,
              .node = fault.node,
              .unit = fault.unit,
              .other_node = fault.other_node,
              .other_unit = fault.other_unit};
    if (std::pair(part.node, part.unit) > std::pair(part.other_node, part.other_unit)) {
      std::swap(part.node, part.other_node);
      std::swap(part.unit, part.other_unit);
    }
    return part;
  };
  switch (fault.kind) {
    case FaultKind::nic:
      return {.kind = PartKind::nic, .node = fault.node, .unit = fault.unit};
    case FaultKind::gpu_out:
      return {.kind = PartKind::gpu, .side = Side::sending, .node = fault.node, .unit = fault.unit};
    case FaultKind::gpu_path:
    case FaultKind::network_path:
      return link();
    case FaultKind::node_fabric:
    case FaultKind::node_network:
    case FaultKind::node_latency:
      return {.kind = PartKind::node, .node = fault.node};
    case FaultKind::rail:
      return {.kind = PartKind::rail, .unit = fault.unit};
    case FaultKind::uplink:
      return {.kind = PartKind::leaf, .node = fault.node};
    default:
      return {.kind = PartKind::gpu, .node = fault.node, .unit = fault.unit};
  }
}

/// The finding speaks of the measurement in which the fault shows.
bool same_quantity(const Fault& fault, const Finding& finding) {
  const std::string where = fault.kind == FaultKind::node_latency  ? "mpi.pairs"
                            : fault.kind == FaultKind::host_link   ? "gpu.host_copy"
                            : fault.kind == FaultKind::card_memory ? "gpu.memory"
                            : fault.kind == FaultKind::gpu_port || fault.kind == FaultKind::gpu_out ||
                                    fault.kind == FaultKind::gpu_path || fault.kind == FaultKind::node_fabric
                                ? "gpu.peer_copy"
                                : "nccl.pairs";
  return std::any_of(finding.matrices.begin(), finding.matrices.end(),
                     [&](const std::string& matrix) { return matrix.starts_with(where); });
}

/// Islands are numbered as they were found: translates to the leaf that most of its nodes hang on.
Part with_true_leaf(Part part, const Cluster& cluster, const Topology& topology) {
  if (part.kind != PartKind::leaf) return part;
  for (const Level& level : topology.levels) {
    if (level.kind != LevelKind::leaf) continue;
    for (std::size_t i = 0; i < level.places.size(); ++i) {
      if (level.islands.of[i] != part.node) continue;
      part.node = cluster.leaf_of(level.places[i].node);
      return part;
    }
  }
  return part;
}

bool names(const Finding& finding, const Fault& fault, const Cluster& cluster, const Topology& topology) {
  const Part truth = part_of_fault(fault);
  if (!same_quantity(fault, finding)) return false;
  return std::any_of(finding.parts.begin(), finding.parts.end(), [&](const Part& part) {
    Part named = with_true_leaf(part, cluster, topology);
    named.side = truth.side;  // the component counts
    return named == truth;
  });
}

std::string describe(const Fault& fault) {
  return fmt::format("{} node {} unit {} other {}/{} severity {:.3f}", name_of(fault.kind), fault.node, fault.unit,
                     fault.other_node, fault.other_unit, fault.severity);
}

void count_healthy(Score& score, const Localisation& found, const std::vector<Straggler>& stragglers,
                   const std::string& name) {
  ++score.healthy;
  const auto alarms = found.findings.size() + stragglers.size() + found.topology.contradictions.size();
  score.alarms_in_healthy += static_cast<int>(alarms);
  score.healthy_with_alarm += alarms > 0 ? 1 : 0;
  for (const auto& finding : found.findings) {
    score.notes.push_back(fmt::format("{}: false alarm: {} [{}]", name, finding.sentence, finding.matrices.front()));
  }
  for (const auto& straggler : stragglers) {
    score.notes.push_back(fmt::format("{}: false alarm: {}", name, straggler.sentence));
  }
  for (const auto& contradiction : found.topology.contradictions) {
    score.notes.push_back(fmt::format("{}: false alarm: {}", name, contradiction.sentence));
  }
}

}  // namespace

int step_of(double severity) {
  int step = 0;
  while (step + 2 < static_cast<int>(severity_steps.size()) &&
         severity >= severity_steps[static_cast<std::size_t>(step) + 1] - 1e-12) {
    ++step;
  }
  return step;
}

Tally Score::in_step(int step) const {
  Tally sum;
  for (const auto& of_kind : kinds) {
    sum.faults += of_kind[static_cast<std::size_t>(step)].faults;
    sum.found += of_kind[static_cast<std::size_t>(step)].found;
  }
  return sum;
}

Tally Score::at_least(double severity) const {
  Tally sum;
  for (int step = step_of(severity); step + 1 < static_cast<int>(severity_steps.size()); ++step) {
    sum.faults += in_step(step).faults;
    sum.found += in_step(step).found;
  }
  return sum;
}

void count(Score& score, const Cluster& cluster, const Localisation& found, const std::vector<Straggler>& stragglers,
           const std::string& cluster_name) {
  if (cluster.faults().empty()) {
    count_healthy(score, found, stragglers, cluster_name);
    return;
  }
  const int gpus = cluster.shape().gpus;
  const auto is_late = [&](const Fault& fault, int rank) {
    return fault.kind == FaultKind::late_rank && rank == fault.node * gpus + fault.unit;
  };
  for (const Fault& fault : cluster.faults()) {
    if (!fault.visible) {
      ++score.unseen;
      continue;
    }
    bool hit = false;
    for (const Finding& finding : found.findings) hit = hit || names(finding, fault, cluster, found.topology);
    for (const Straggler& straggler : stragglers) hit = hit || is_late(fault, straggler.rank);
    Tally& tally = score.kinds[static_cast<std::size_t>(fault.kind)][static_cast<std::size_t>(step_of(fault.severity))];
    ++tally.faults;
    tally.found += hit ? 1 : 0;
    if (!hit) score.notes.push_back(fmt::format("{}: missed: {}", cluster_name, describe(fault)));
  }
  const auto judge = [&](bool right, const std::string& sentence) {
    ++score.findings;
    score.right += right ? 1 : 0;
    if (!right) score.notes.push_back(fmt::format("{}: wrong part: {}", cluster_name, sentence));
  };
  for (const Finding& finding : found.findings) {
    judge(std::any_of(cluster.faults().begin(), cluster.faults().end(),
                      [&](const Fault& fault) { return names(finding, fault, cluster, found.topology); }),
          finding.sentence + " [" + finding.matrices.front() + "]");
  }
  for (const Straggler& straggler : stragglers) {
    judge(std::any_of(cluster.faults().begin(), cluster.faults().end(),
                      [&](const Fault& fault) { return is_late(fault, straggler.rank); }),
          straggler.sentence);
  }
}

std::string table_of(const Score& score) {
  const auto share = [](const Tally& tally) {
    return tally.faults == 0 ? std::string("-") : fmt::format("{}/{}", tally.found, tally.faults);
  };
  std::string text = fmt::format("{:14}", "found / planted");
  for (std::size_t step = 0; step + 1 < severity_steps.size(); ++step) {
    text += step == 0 ? fmt::format("{:>12}", "5 %")
                      : fmt::format("{:>12}", fmt::format("{:.0f}-{:.0f} %", 100 * severity_steps[step],
                                                          100 * severity_steps[step + 1]));
  }
  text += '\n';
  for (int kind = 0; kind < fault_kinds; ++kind) {
    text += fmt::format("{:14}", name_of(static_cast<FaultKind>(kind)));
    for (std::size_t step = 0; step + 1 < severity_steps.size(); ++step) {
      text += fmt::format("{:>12}", share(score.kinds[static_cast<std::size_t>(kind)][step]));
    }
    text += '\n';
  }
  const Tally strong = score.at_least(0.1);
  const Tally weak = score.in_step(0);
  const auto percent = [](double part, double whole) { return whole > 0 ? 100 * part / whole : 0; };
  text += fmt::format("recall at 10 % and more: {:.2f} % of {} (bar 99)\n", percent(strong.found, strong.faults),
                      strong.faults);
  text +=
      fmt::format("recall at 5 %:           {:.2f} % of {} (bar 90)\n", percent(weak.found, weak.faults), weak.faults);
  text += fmt::format("healthy with an alarm:   {:.2f} % of {} (bar 1), {:.4f} alarms per healthy cluster\n",
                      percent(score.healthy_with_alarm, score.healthy), score.healthy,
                      score.healthy > 0 ? static_cast<double>(score.alarms_in_healthy) / score.healthy : 0);
  text += fmt::format("right part:              {:.2f} % of {} findings (bar 98)\n",
                      percent(score.right, score.findings), score.findings);
  text += fmt::format("left out by rule (change no figure by half of their severity): {} faults\n", score.unseen);
  return text;
}

bool meets_bars(const Score& score) {
  const Tally strong = score.at_least(0.1);
  const Tally weak = score.in_step(0);
  return strong.faults > 0 && strong.found >= 0.99 * strong.faults && weak.found >= 0.9 * weak.faults &&
         score.healthy_with_alarm <= 0.01 * score.healthy && score.right >= 0.98 * score.findings;
}

}  // namespace trial
