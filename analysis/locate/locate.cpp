#include "analysis/locate/locate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <tuple>

#include "analysis/locate/candidates.hpp"
#include "analysis/locate/noise.hpp"
#include "analysis/locate/observations.hpp"

namespace assay::locate {
namespace {

constexpr double suspect_sigmas = 5;
constexpr std::size_t least_rows_to_clear = 3;
constexpr double cleared_share = 0.3;  ///< of the effect elsewhere: a part that shows less is sound

/// The likeliest first where nothing else tells: single components before what they belong to.
int order_of(PartKind kind) {
  constexpr int order[] = {1, 0, 3, 2, 4, 5, 6, 7};  // by PartKind
  return order[static_cast<std::size_t>(kind)];
}

/// One matrix under analysis, with all that later questions need.
struct Analysed {
  const PairMatrix* matrix;
  Observations observations;
  Candidates candidates;
  SearchResult result;

  Analysed(const PairMatrix& of, const std::vector<std::int32_t>& leaf_of, const SearchOptions& options)
      : matrix(&of),
        observations(observe(of, leaf_of)),
        candidates(of, observations.all, leaf_of),
        result(search(observations, candidates, of.composition, options)) {}

  [[nodiscard]] double sigma_of(std::size_t observation) const {
    return result.noise[static_cast<std::size_t>(observations.all[observation].group)].sigma;
  }
};

double figure_of(double log_cost, Dimension dimension) {
  return std::exp(dimension == Dimension::seconds ? log_cost : -log_cost);
}

std::vector<Part> parts_of(const Analysed& analysed, std::int32_t candidate) {
  std::vector<Part> parts{analysed.candidates.part(static_cast<std::size_t>(candidate))};
  for (const std::int32_t other : same_rows(analysed.candidates, candidate)) {
    parts.push_back(analysed.candidates.part(static_cast<std::size_t>(other)));
  }
  // A part that only ever sent is not named twice.
  const std::vector<Part> all = parts;
  std::erase_if(parts, [&](const Part& part) {
    Part whole = part;
    whole.side = Side::both;
    return part.side != Side::both && std::count(all.begin(), all.end(), whole) > 0;
  });
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return order_of(a.kind) != order_of(b.kind) ? order_of(a.kind) < order_of(b.kind) : a < b;
  });
  return parts;
}

Finding finding_of(const Analysed& analysed, const Culprit& culprit) {
  Finding finding;
  finding.parts = parts_of(analysed, culprit.candidate);
  finding.evidence = culprit.evidence;
  finding.factor = std::exp(culprit.effect);
  double precision = 0;
  for (const std::int32_t at : analysed.candidates.observations(static_cast<std::size_t>(culprit.candidate))) {
    const auto i = static_cast<std::size_t>(at);
    ++finding.rows;
    // Rows that something slower on their way explains say nothing about this one.
    const double own = std::log1p(analysed.result.scales[i] * std::expm1(culprit.effect));
    if (analysed.result.shifts[i] > own * 1.2 || analysed.result.residuals[i] < own / 2) continue;
    ++finding.slow_rows;
    precision += 1 / (analysed.sigma_of(i) * analysed.sigma_of(i));
  }
  const double error = precision > 0 ? 1 / std::sqrt(precision) : culprit.effect;
  finding.factor_interval = {std::exp(culprit.effect - 1.96 * error), std::exp(culprit.effect + 1.96 * error), 0.95};
  finding.dimension = analysed.matrix->dimension;
  finding.unit_kind = unit_kind_of(*analysed.matrix);
  finding.pairs = analysed.matrix->pairs();
  finding.matrices = {analysed.matrix->name};
  return finding;
}

std::vector<Suspect> suspects_of(const Analysed& analysed, double least_effect) {
  std::vector<Suspect> suspects;
  for (std::size_t i = 0; i < analysed.observations.all.size(); ++i) {
    const double excess = analysed.result.residuals[i] - analysed.result.shifts[i];
    if (excess < std::max(least_effect, suspect_sigmas * analysed.sigma_of(i))) continue;
    suspects.push_back({analysed.observations.all[i].row, std::exp(excess)});
  }
  std::sort(suspects.begin(), suspects.end(), [](const Suspect& a, const Suspect& b) { return a.factor > b.factor; });
  return suspects;
}

MatrixReport report_of(const Analysed& analysed, const Names& names, const SearchOptions& options) {
  MatrixReport report;
  report.name = analysed.matrix->name;
  report.dimension = analysed.matrix->dimension;
  report.epoch_sigma = analysed.observations.within_sigma;
  report.disturbed_share = analysed.observations.disturbed_share;
  std::vector<bool> judged(analysed.observations.groups.size());
  for (const Observation& observation : analysed.observations.all) {
    judged[static_cast<std::size_t>(observation.group)] = true;
  }
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const Group& group = analysed.observations.groups[i];
    const GroupNoise& noise = analysed.result.noise[i];
    report.groups.push_back(
        {group.name, group.count,
         judged[i] ? figure_of(noise.base, report.dimension) : std::numeric_limits<double>::quiet_NaN(),
         judged[i] ? noise.sigma : std::numeric_limits<double>::quiet_NaN()});
  }
  for (const Culprit& culprit : analysed.result.culprits) {
    report.findings.push_back(finding_of(analysed, culprit));
    report.findings.back().sentence = sentence_of(report.findings.back(), names);
  }
  report.suspects = suspects_of(analysed, options.least_effect);
  report.unexplained_pattern = analysed.result.too_many_links;
  return report;
}

/// Median excess of the rows that cross a part, in a matrix that has at least a few of them; NaN otherwise.
double excess_of(const Analysed& analysed, const Part& part) {
  const std::uint64_t key = key_of(part);
  // Candidates ascend by key.
  std::size_t low = 0;
  std::size_t high = analysed.candidates.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (key_of(analysed.candidates.part(middle)) < key)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == analysed.candidates.size() || key_of(analysed.candidates.part(low)) != key) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const auto rows = analysed.candidates.observations(low);
  if (rows.size() < least_rows_to_clear) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> excess;
  for (const std::int32_t at : rows) excess.push_back(analysed.result.residuals[static_cast<std::size_t>(at)]);
  return median(excess);
}

/// Leaves out parts that another matrix of the same dimension shows to be sound, as long as one is left.
void clear_parts(Finding& finding, const std::vector<Analysed>& analysed) {
  if (finding.parts.size() < 2) return;
  const auto sound = [&](const Part& part) {
    return std::any_of(analysed.begin(), analysed.end(), [&](const Analysed& other) {
      if (other.matrix->dimension != finding.dimension || other.matrix->name == finding.matrices.front()) return false;
      return excess_of(other, part) < cleared_share * std::log(finding.factor);
    });
  };
  std::vector<Part> left;
  std::copy_if(finding.parts.begin(), finding.parts.end(), std::back_inserter(left),
               [&](const Part& part) { return !sound(part); });
  if (!left.empty()) finding.parts = std::move(left);
}

/// The parts that both may mean; a side of a part and the part as a whole are taken for the same.
std::vector<Part> common_parts(const Finding& a, const Finding& b) {
  std::vector<Part> common;
  for (const Part& part : a.parts) {
    const bool shared = std::any_of(b.parts.begin(), b.parts.end(), [&](Part other) {
      if (other.side == Side::both || part.side == Side::both) other.side = part.side;
      return other == part;
    });
    if (shared) common.push_back(part);
  }
  return common;
}

/// Of the same kind and about the same size: one cause may be behind both.
bool alike(const Finding& a, const Finding& b) {
  if (a.dimension != b.dimension || a.pairs != b.pairs) return false;
  const double first = std::log(a.factor);
  const double second = std::log(b.factor);
  return std::min(first, second) > 0.6 * std::max(first, second);
}

void merge_into(std::vector<Finding>& merged, Finding finding) {
  for (Finding& known : merged) {
    // Within one matrix they were told apart.
    if (std::count(known.matrices.begin(), known.matrices.end(), finding.matrices.front()) > 0) continue;
    // What is unlike may have another cause: it is the same culprit only when it is the very same part.
    const std::vector<Part> common = common_parts(known, finding);
    if (common.empty() || (!alike(known, finding) && known.parts != finding.parts)) continue;
    known.parts = common;
    known.matrices.push_back(finding.matrices.front());
    return;
  }
  merged.push_back(std::move(finding));
}

std::string counted(int number, const std::string& what) {
  constexpr const char* words[] = {"no",       "one",     "two",     "three",     "four",     "five",     "six",
                                   "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",   "thirteen",
                                   "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"};
  const std::string text = number <= 20 ? words[number] : std::to_string(number);
  return text + " " + what + (number == 1 ? "" : "s");
}

std::string extent_of(const Finding& finding) {
  if (finding.dimension != Dimension::seconds) {
    return fmt::format("delivers {:.0f} % of what its peers do", 100 / finding.factor);
  }
  if (finding.factor >= 2) return fmt::format("takes {:.1f} times as long as its peers", finding.factor);
  return fmt::format("takes {:.0f} % longer than its peers", 100 * (finding.factor - 1));
}

}  // namespace

std::string sentence_of(const Finding& finding, const Names& names) {
  std::string parts;
  for (const Part& part : finding.parts) {
    parts += (parts.empty() ? "" : " or ") + describe(part, names, finding.unit_kind);
  }
  if (finding.parts.front().kind == PartKind::node || finding.parts.front().kind == PartKind::rail) {
    parts = (finding.parts.front().kind == PartKind::node ? "node " : "") + parts + " as a whole";
  }
  std::string text = parts + " " + extent_of(finding);
  if (finding.pairs && finding.slow_rows > 1) {
    text += fmt::format(" ({} have it in common)", counted(finding.slow_rows, "slow pair"));
  }
  if (finding.parts.size() > 1) text += "; no measurement here tells them apart";
  return text;
}

MatrixReport locate_in(const PairMatrix& matrix, const std::vector<std::int32_t>& leaf_of, const Names& names,
                       const SearchOptions& options) {
  return report_of(Analysed(matrix, leaf_of, options), names, options);
}

Localisation locate(const std::vector<PairMatrix>& matrices, const Names& machine, const SearchOptions& options) {
  Localisation whole;
  whole.topology = infer_topology(matrices, machine);
  Names names = machine;
  names.islands = island_names(whole.topology, machine);
  SearchOptions each = options;
  each.false_alarms /= static_cast<double>(std::max<std::size_t>(1, matrices.size()));
  std::vector<Analysed> analysed;
  analysed.reserve(matrices.size());
  for (const PairMatrix& matrix : matrices) analysed.emplace_back(matrix, whole.topology.leaf_of(matrix), each);
  std::vector<Finding> all;
  for (const Analysed& one : analysed) {
    whole.matrices.push_back(report_of(one, names, each));
    for (Finding finding : whole.matrices.back().findings) {
      clear_parts(finding, analysed);
      all.push_back(std::move(finding));
    }
  }
  std::sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) { return a.evidence > b.evidence; });
  for (Finding& finding : all) merge_into(whole.findings, std::move(finding));
  for (Finding& finding : whole.findings) finding.sentence = sentence_of(finding, names);
  return whole;
}

SecondLook look_again(const PairMatrix& matrix, const MatrixReport& report, const Suspect& suspect,
                      const PairMatrix& alone) {
  const auto ends = [](const PairMatrix& of, const PairRow& row) {
    const auto id = [&](std::int32_t end) {
      const End& e = of.ends[static_cast<std::size_t>(end)];
      return std::tuple(e.node, e.slot, e.gpu, e.nic);
    };
    return std::minmax({id(row.a), id(row.b)});
  };
  const PairRow& row = matrix.rows[static_cast<std::size_t>(suspect.row)];
  std::vector<double> among, apart;
  for (std::int32_t i = 0; i < row.count; ++i) {
    among.push_back(matrix.costs[static_cast<std::size_t>(row.first + i)].log_seconds);
  }
  for (const PairRow& other : alone.rows) {
    if (ends(alone, other) != ends(matrix, row)) continue;
    for (std::int32_t i = 0; i < other.count; ++i) {
      apart.push_back(alone.costs[static_cast<std::size_t>(other.first + i)].log_seconds);
    }
  }
  if (apart.empty() || report.name != matrix.name) return SecondLook::not_measured;
  const double excess = std::log(suspect.factor);
  const double sound = median(among) - excess;
  return median(apart) - sound > excess / 2 ? SecondLook::slow_link : SecondLook::congestion;
}

}  // namespace assay::locate
