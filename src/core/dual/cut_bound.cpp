#include "dual/cut_bound.hpp"

#include <algorithm>
#include <unordered_set>

#include "dual/ascent.hpp"
#include "dual/simple_bound.hpp"

namespace bayesloom::dual {

namespace {

class Ordered {
 public:
  void add(std::shared_ptr<CutRule const> const& rule) {
    if (!seen_.insert(rule.get()).second) return;
    for (auto const& part : rule->cuts) add(part);
    rules.push_back(rule);
  }
  std::vector<std::shared_ptr<CutRule const>> rules;

 private:
  std::unordered_set<CutRule const*> seen_;
};

}  // namespace

CutBound cut_bound(ScoreCache const& cache, Fixed known, std::size_t rounds, std::uint64_t seed,
                   Control& control) {
  Universe const universe(cache);
  Fixed const trivial = simple_bound(cache), floor = known - trivial;
  Problem const whole = whole_problem(cache, universe, -nothing);
  Problem problem = whole;
  Ascent ascent(seed, control);
  for (std::size_t round = 0; round < rounds && problem.bound() > floor; ++round) {
    if (control.stopped() || problem.infeasible()) break;
    double const scale = static_cast<double>(problem.bound() - floor) /
                         static_cast<double>(problem.variables.size());
    auto limits = AscentOptions::at(scale / 10, floor, 4, 30);
    limits.whole = round > 0 ? &whole : nullptr;
    ascent.run(problem, limits);
  }
  CutBound out{std::max(known, trivial + problem.bound()), problem.clusters, problem.cuts, {}};
  Ordered ordered;
  for (auto const& cut : problem.cuts) ordered.add(cut.rule);
  out.rules = std::move(ordered.rules);
  return out;
}

}  // namespace bayesloom::dual
