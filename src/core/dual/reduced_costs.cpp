#include "dual/reduced_costs.hpp"

#include <algorithm>

#include "dual/ascent.hpp"
#include "dual/options.hpp"
#include "dual/problem.hpp"
#include "dual/reduction.hpp"
#include "dual/simple_bound.hpp"

namespace bayesloom::dual {

namespace {

PaceOptions const& options_of(Pace pace) {
  return pace == Pace::rough ? rough_pace : pace == Pace::quick ? quick_pace : slow_pace;
}

class ReducedCostFixing {
 public:
  ReducedCostFixing(ScoreCache const& cache, Fixed known, Fixed limit, Pace pace, Control& control)
      : universe_(cache),
        control_(control),
        pace_(options_of(pace)),
        known_(known - simple_bound(cache)),
        slack_(known - limit) {}

  ReducedCosts run(ScoreCache const& cache) {
    std::vector<Problem> problems{whole_problem(cache, universe_, slack_ - known_)};
    for (bool changed = true; changed && !control_.stopped();) {
      std::vector<Problem> parts;
      for (auto const& problem : problems) split(problem, parts);
      total_ = 0;
      for (auto const& part : parts) total_ += part.bound();
      changed = parts.size() > problems.size();
      std::size_t removed = 0;
      for (auto& part : parts) removed += lower(part);
      changed = changed || removed > 0;
      problems = std::move(parts);
      if (removed * pace_.worthwhile < count(problems)) break;
    }
    ReducedCosts out{std::vector<bool>(cache.candidate_count(), false),
                     std::vector<Fixed>(cache.candidate_count(), 0),
                     -known_,
                     {}};
    for (auto const& problem : problems) {
      out.gap += problem.bound();
      out.clusters.insert(out.clusters.end(), problem.clusters.begin(), problem.clusters.end());
      for (auto const i : problem.variables)
        for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c) {
          out.keep[problem.origin[c]] = true;
          out.reduced_cost[problem.origin[c]] = problem.best[i] - problem.priced[c];
        }
    }
    return out;
  }

 private:
  static std::size_t count(std::vector<Problem> const& problems) {
    std::size_t total = 0;
    for (auto const& problem : problems) total += problem.candidate_count();
    return total;
  }

  static void split(Problem const& problem, std::vector<Problem>& parts) {
    auto const found = components(problem);
    WideVarSet before(problem.universe->n);
    for (auto const& part : found) {
      parts.push_back(found.size() == 1 ? problem.compact() : problem.restricted_to(part, before));
      before |= part;
    }
  }

  /// Lowers the bound of one part, hot first, then colder, and takes out what it can; how many. (The
  /// root of `bblp` is cooled alike, by a loop of its own: it looks for networks at every temperature
  /// and goes on as long as they get better, which is most of that loop.)
  std::size_t lower(Problem& problem) {
    if (problem.variables.size() < 2) return 0;
    Ascent ascent(problem.variables.size(), control_);
    double const scale = static_cast<double>(std::max<Fixed>(total_ - known_, 1)) /
                         static_cast<double>(problem.variables.size());
    double const last = std::max(1.0, scale * pace_.coldest);
    auto const least = static_cast<Fixed>(static_cast<double>(slack_) * pace_.least);
    Fixed const others = total_ - problem.bound();
    std::size_t removed = 0;
    for (double temperature = scale * pace_.hottest; !control_.stopped();
         temperature *= pace_.cooling) {
      auto const limits = AscentOptions::at(std::max(last, temperature), known_ - others,
                                            pace_.rounds, pace_.passes);
      Fixed const before = problem.bound();
      ascent.run(problem, limits);
      std::size_t const now = fix_by_reduced_cost(problem, known_ - slack_ - 1 - others);
      removed += now;
      if (temperature <= last || problem.bound() <= limits.floor) break;
      if (now == 0 && before - problem.bound() < least) break;
    }
    total_ = others + problem.bound();
    return removed;
  }

  Universe const universe_;
  Control& control_;
  PaceOptions const& pace_;
  Fixed const known_, slack_;  // losses are at most 0, as in a problem
  Fixed total_ = 0;            // the bounds of all parts together
};

}  // namespace

ReducedCosts reduced_cost_fixing(ScoreCache const& cache, Fixed known, Fixed limit, Pace pace,
                                 Control& control) {
  return ReducedCostFixing(cache, known, limit, pace, control).run(cache);
}

}  // namespace bayesloom::dual
