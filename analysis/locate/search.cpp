#include "analysis/locate/search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/locate/noise.hpp"
#include "analysis/locate/robust.hpp"

namespace assay::locate {
namespace {

constexpr double least_slow_share = 0.4;  ///< of a part's rows: with fewer it cannot be the part
constexpr int most_passes = 5;
constexpr std::size_t least_parts_for_a_spread = 6;

struct Trial {
  double gain = 0;
  double effect = 0;
};

/// One search from one start.
class Search {
 public:
  Search(const Observations& observations, const Candidates& candidates, Composition composition,
         const SearchOptions& options)
      : observations_(observations), candidates_(candidates), composition_(composition), options_(options) {
    int kinds = 0;
    for (int kind = 0; kind < part_kinds; ++kind) kinds += candidates.count(static_cast<PartKind>(kind)) > 0 ? 1 : 0;
    for (int kind = 0; kind < part_kinds; ++kind) {
      const auto count = std::max<std::size_t>(1, candidates.count(static_cast<PartKind>(kind)));
      log_trials_[static_cast<std::size_t>(kind)] = std::log(static_cast<double>(count) * kinds / options.false_alarms);
    }
  }

  SearchResult run(Start start) {
    noise_ = first_noise(observations_, start);
    std::vector<std::int32_t> before;
    for (int pass = 0; pass < most_passes; ++pass) {
      settle_residuals();
      culprits_.clear();
      shifts_.assign(observations_.all.size(), 0);
      forward();
      refit();
      drop_common();
      noise_ = fitted_noise(observations_, shifts_);
      std::vector<std::int32_t> chosen;
      for (const Culprit& culprit : culprits_) chosen.push_back(culprit.candidate);
      std::sort(chosen.begin(), chosen.end());
      if (pass > 1 && chosen == before) break;
      before = std::move(chosen);
    }
    settle_residuals();
    return result();
  }

 private:
  void settle_residuals() {
    residuals_.resize(observations_.all.size());
    scales_.assign(residuals_.size(), 1);
    double shortest = std::numeric_limits<double>::infinity();
    for (const Observation& observation : observations_.all) {
      shortest = std::min(shortest, noise_[static_cast<std::size_t>(observation.group)].base);
    }
    densities_.clear();
    densities_.reserve(residuals_.size());
    for (std::size_t i = 0; i < residuals_.size(); ++i) {
      const Observation& observation = observations_.all[i];
      const GroupNoise& noise = noise_[static_cast<std::size_t>(observation.group)];
      residuals_[i] = observation.value - noise.base;
      if (composition_ == Composition::sum) scales_[i] = std::exp(shortest - noise.base);
      densities_.emplace_back(noise, observation.log_chance);
    }
  }

  /// What a row's cost rises by (ln) when a part of this effect comes to what others explain already. A latency's extra
  /// time weighs less on a long way.
  [[nodiscard]] double composed(std::size_t observation, double shift, double effect) const {
    if (composition_ == Composition::bottleneck) return std::max(shift, effect);
    return std::log(std::exp(shift) + scales_[observation] * std::expm1(effect));
  }

  /// The effect that a part needs for its row, given what others explain already; NaN when others explain it all.
  [[nodiscard]] double wanted(std::size_t observation) const {
    const double residual = residuals_[observation];
    const double shift = shifts_[observation];
    if (composition_ == Composition::bottleneck) return residual;
    const double rest = (std::exp(residual) - std::exp(shift)) / scales_[observation] + 1;
    return rest > 0.05 ? std::log(rest) : std::log(0.05);
  }

  [[nodiscard]] double gain_of(std::int32_t candidate, double effect) const {
    double gain = 0;
    for (const std::int32_t at : candidates_.observations(static_cast<std::size_t>(candidate))) {
      const auto i = static_cast<std::size_t>(at);
      gain += densities_[i].at(residuals_[i] - composed(i, shifts_[i], effect)) -
              densities_[i].at(residuals_[i] - shifts_[i]);
    }
    return gain;
  }

  /// A few steps towards the effect of greatest likelihood: mean weighted by how well rows agree with it.
  [[nodiscard]] double refined(std::int32_t candidate, double effect) const {
    for (int step = 0; step < 4; ++step) {
      double sum = 0;
      double weights = 0;
      for (const std::int32_t at : candidates_.observations(static_cast<std::size_t>(candidate))) {
        const auto i = static_cast<std::size_t>(at);
        if (composition_ == Composition::bottleneck && shifts_[i] > effect) continue;
        const GroupNoise& noise = noise_[static_cast<std::size_t>(observations_.all[i].group)];
        const double value = wanted(i);
        const double z = (value - effect) / noise.sigma;
        const double weight = 1 / (noise.sigma * noise.sigma) / (1 + z * z / 4);
        sum += weight * value;
        weights += weight;
      }
      if (weights <= 0) break;
      effect = sum / weights;
    }
    return effect;
  }

  /// What the effect adds to the others' in the median of the rows where it adds anything.
  [[nodiscard]] double added(std::int32_t candidate, double effect) const {
    std::vector<double> more;
    for (const std::int32_t at : candidates_.observations(static_cast<std::size_t>(candidate))) {
      const auto i = static_cast<std::size_t>(at);
      const double more_here = composed(i, shifts_[i], effect) - shifts_[i];
      if (more_here > 0) more.push_back(more_here);
    }
    if (more.empty()) return 0;
    const auto middle = more.begin() + static_cast<std::ptrdiff_t>(more.size() / 2);
    std::nth_element(more.begin(), middle, more.end());
    return *middle;
  }

  [[nodiscard]] Trial evaluate(std::int32_t candidate) const {
    const auto rows = candidates_.observations(static_cast<std::size_t>(candidate));
    std::size_t slow = 0;
    std::size_t open = 0;
    for (const std::int32_t at : rows) {
      const auto i = static_cast<std::size_t>(at);
      slow += residuals_[i] > options_.least_effect / 2 ? 1 : 0;
      open += residuals_[i] - shifts_[i] > options_.least_effect / 2 ? 1 : 0;
    }
    if (open == 0 || static_cast<double>(slow) < least_slow_share * static_cast<double>(rows.size())) return {};
    std::vector<double> values;
    values.reserve(rows.size());
    for (const std::int32_t at : rows) values.push_back(wanted(static_cast<std::size_t>(at)));
    std::sort(values.begin(), values.end());
    Trial best;
    double last = std::numeric_limits<double>::quiet_NaN();
    for (const double share : {0.5, 0.25, 0.1}) {
      const double start = values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
      if (start < options_.least_effect / 2 || start == last) continue;
      last = start;
      const double effect = refined(candidate, start);
      if (effect < options_.least_effect || added(candidate, effect) < options_.least_effect) continue;
      const double gain = gain_of(candidate, effect);
      if (gain > best.gain) best = {gain, effect};
    }
    return best;
  }

  [[nodiscard]] double threshold(std::int32_t candidate) const {
    return log_trials_[static_cast<std::size_t>(candidates_.part(static_cast<std::size_t>(candidate)).kind)];
  }

  void apply(const Culprit& culprit) {
    for (const std::int32_t at : candidates_.observations(static_cast<std::size_t>(culprit.candidate))) {
      const auto i = static_cast<std::size_t>(at);
      shifts_[i] = composed(i, shifts_[i], culprit.effect);
    }
  }

  void apply_all_but(std::size_t left_out) {
    std::fill(shifts_.begin(), shifts_.end(), 0);
    for (std::size_t i = 0; i < culprits_.size(); ++i) {
      if (i != left_out) apply(culprits_[i]);
    }
  }

  void forward() {
    std::vector<Trial> trials(candidates_.size());
    std::vector<std::int32_t> open;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const auto candidate = static_cast<std::int32_t>(i);
      trials[i] = evaluate(candidate);
      if (trials[i].gain > threshold(candidate)) open.push_back(candidate);
    }
    std::vector<bool> stale(candidates_.size());
    while (!open.empty() && culprits_.size() < static_cast<std::size_t>(options_.most_parts)) {
      const auto best = *std::max_element(open.begin(), open.end(), [&](std::int32_t a, std::int32_t b) {
        return trials[static_cast<std::size_t>(a)].gain < trials[static_cast<std::size_t>(b)].gain;
      });
      const Trial trial = trials[static_cast<std::size_t>(best)];
      culprits_.push_back({best, trial.effect, trial.gain});
      apply(culprits_.back());
      for (const std::int32_t at : candidates_.observations(static_cast<std::size_t>(best))) {
        for (const std::int32_t other : candidates_.touching(static_cast<std::size_t>(at)))
          stale[static_cast<std::size_t>(other)] = true;
      }
      for (const std::int32_t candidate : open) {
        const auto i = static_cast<std::size_t>(candidate);
        if (stale[i]) trials[i] = candidate == best ? Trial{} : evaluate(candidate);
        stale[i] = false;
      }
      std::erase_if(open, [&](std::int32_t candidate) {
        return trials[static_cast<std::size_t>(candidate)].gain <= threshold(candidate);
      });
    }
  }

  /// Fits every effect again with the others in place; parts that others made superfluous go, weakest first.
  void refit() {
    for (int sweep = 0; sweep < 2; ++sweep) {
      for (std::size_t i = culprits_.size(); i-- > 0;) {
        apply_all_but(i);
        const Trial trial = evaluate(culprits_[i].candidate);
        culprits_[i].effect = trial.effect;
        culprits_[i].evidence = trial.gain;
        if (trial.gain <= threshold(culprits_[i].candidate)) {
          culprits_.erase(culprits_.begin() + static_cast<std::ptrdiff_t>(i));
        }
      }
      apply_all_but(culprits_.size());
    }
  }

  /// How much the sound parts of a kind differ: from the medians of their rows, culprits' shares taken off.
  [[nodiscard]] std::vector<double> spread_of_parts() const {
    std::vector<std::vector<double>> effects(part_kinds);
    std::vector<double> rest;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Part part = candidates_.part(i);
      if (part.side != Side::both || part.kind == PartKind::link || part.kind == PartKind::node_link) continue;
      rest.clear();
      for (const std::int32_t at : candidates_.observations(i)) {
        const auto observation = static_cast<std::size_t>(at);
        rest.push_back(residuals_[observation] - shifts_[observation]);
      }
      const auto middle = rest.begin() + static_cast<std::ptrdiff_t>(rest.size() / 2);
      std::nth_element(rest.begin(), middle, rest.end());
      effects[static_cast<std::size_t>(part.kind)].push_back(*middle);
    }
    std::vector<double> spread;
    for (auto& of_kind : effects) {
      const bool enough = of_kind.size() >= least_parts_for_a_spread;
      spread.push_back(enough ? shorth_scale(std::move(of_kind)) : std::numeric_limits<double>::quiet_NaN());
    }
    return spread;
  }

  /// Drops what lies within the spread of sound parts.
  void drop_common() {
    part_spread_ = spread_of_parts();
    std::erase_if(culprits_, [&](const Culprit& culprit) {
      const auto kind = candidates_.part(static_cast<std::size_t>(culprit.candidate)).kind;
      const double spread = part_spread_[static_cast<std::size_t>(kind)];
      if (std::isnan(spread)) return false;
      const double count = static_cast<double>(candidates_.count(kind));
      const double z = normal_quantile_above(std::exp(-threshold(culprit.candidate))) * (1 + 2 / count);
      return culprit.effect < z * spread;
    });
    apply_all_but(culprits_.size());
  }

  /// Many single paths are a pattern that is not understood, not that many faults.
  bool drop_links_beyond(int most) {
    const auto is_link = [&](const Culprit& culprit) {
      const PartKind kind = candidates_.part(static_cast<std::size_t>(culprit.candidate)).kind;
      return kind == PartKind::link || kind == PartKind::node_link;
    };
    if (std::count_if(culprits_.begin(), culprits_.end(), is_link) <= most) return false;
    std::erase_if(culprits_, is_link);
    apply_all_but(culprits_.size());
    return true;
  }

  [[nodiscard]] SearchResult result() {
    SearchResult result;
    for (std::size_t i = 0; i < residuals_.size(); ++i) {
      const GroupNoise& noise = noise_[static_cast<std::size_t>(observations_.all[i].group)];
      result.score += densities_[i].at(residuals_[i] - shifts_[i]) - std::log(noise.sigma);
    }
    for (const Culprit& culprit : culprits_) result.score -= threshold(culprit.candidate);
    result.too_many_links = drop_links_beyond(options_.most_links);
    std::sort(culprits_.begin(), culprits_.end(),
              [](const Culprit& a, const Culprit& b) { return a.evidence > b.evidence; });
    result.culprits = std::move(culprits_);
    result.noise = std::move(noise_);
    result.residuals = std::move(residuals_);
    result.shifts = std::move(shifts_);
    result.scales = std::move(scales_);
    result.part_spread = std::move(part_spread_);
    return result;
  }

  const Observations& observations_;
  const Candidates& candidates_;
  Composition composition_;
  SearchOptions options_;
  std::array<double, part_kinds> log_trials_{};
  std::vector<GroupNoise> noise_;
  std::vector<double> residuals_;
  std::vector<double> shifts_;
  std::vector<double> scales_;  ///< shortest base over the row's own
  std::vector<Density> densities_;
  std::vector<Culprit> culprits_;
  std::vector<double> part_spread_;
};

}  // namespace

SearchResult search(const Observations& observations, const Candidates& candidates, Composition composition,
                    const SearchOptions& options) {
  SearchResult fastest = Search(observations, candidates, composition, options).run(Start::fastest);
  SearchResult densest = Search(observations, candidates, composition, options).run(Start::densest);
  return fastest.score >= densest.score ? fastest : densest;
}

std::vector<std::int32_t> same_rows(const Candidates& candidates, std::int32_t candidate) {
  const auto mine = candidates.observations(static_cast<std::size_t>(candidate));
  std::vector<std::int32_t> same;
  for (const std::int32_t other : candidates.touching(static_cast<std::size_t>(mine.front()))) {
    const auto rows = candidates.observations(static_cast<std::size_t>(other));
    if (other != candidate && std::equal(mine.begin(), mine.end(), rows.begin(), rows.end())) same.push_back(other);
  }
  return same;
}

}  // namespace assay::locate
