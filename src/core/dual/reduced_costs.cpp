#include "dual/reduced_costs.hpp"

#include <algorithm>

#include "dual/simple_bound.hpp"
#include "dual/ascent.hpp"
#include "dual/problem.hpp"
#include "dual/reduction.hpp"

namespace bayesloom::prices {

namespace {

/// How the bound of a part is lowered, from hot to cold. Temperatures are shares of the gap for
/// each variable.
struct Schedule {
  double hottest, coldest, cooling;
  std::size_t rounds, sweeps;
  double least;  ///< of the slack, that a temperature without effect must gain to go on
};

Schedule schedule(Pace pace) {
  switch (pace) {
    case Pace::rough:
      return {0.01, 0.01, 1, 1, 5, 0};
    case Pace::quick:
      return {0.1, 0.001, 0.36, 8, 15, 0.01};
    default:
      return {0.1, 0.001, 0.6, 8, 15, 0};
  }
}

class Fixer {
 public:
  Fixer(ScoreCache const& cache, Fixed known, Fixed limit, Pace pace, Control& control)
      : universe_(cache),
        control_(control),
        schedule_(schedule(pace)),
        known_(known - simple_bound(cache)),
        slack_(known - limit) {}

  Fixing run(ScoreCache const& cache) {
    Node const root = root_node(cache, universe_, slack_ - known_);
    std::vector<Node> nodes{root};
    for (bool changed = true; changed && !control_.stopped();) {
      std::vector<Node> parts;
      for (auto const& node : nodes) split(node, parts);
      total_ = 0;
      for (auto const& part : parts) total_ += part.bound();
      changed = parts.size() > nodes.size();
      std::size_t removed = 0;
      for (auto& part : parts) removed += lower(part);
      changed = changed || removed > 0;
      nodes = std::move(parts);
      if (removed * 50 < count(nodes)) break;
    }
    Fixing out{std::vector<bool>(cache.candidate_count(), false),
               std::vector<Fixed>(cache.candidate_count(), 0),
               -known_,
               {}};
    for (auto const& node : nodes) {
      out.gap += node.bound();
      out.clusters.insert(out.clusters.end(), node.clusters.begin(), node.clusters.end());
      for (auto const i : node.variables)
        for (std::size_t c = node.begin[i]; c < node.end[i]; ++c) {
          out.keep[node.origin[c]] = true;
          out.excess[node.origin[c]] = node.best[i] - node.priced[c];
        }
    }
    return out;
  }

 private:
  static std::size_t count(std::vector<Node> const& nodes) {
    std::size_t total = 0;
    for (auto const& node : nodes) total += node.candidate_count();
    return total;
  }

  static void split(Node const& node, std::vector<Node>& parts) {
    auto const found = components(node);
    WideVarSet before(node.universe->n);
    for (auto const& part : found) {
      parts.push_back(found.size() == 1 ? node.compact() : node.restricted_to(part, before));
      before |= part;
    }
  }

  /// Lowers the bound of one part, hot first, then colder, and takes out what it can; how many.
  std::size_t lower(Node& node) {
    if (node.variables.size() < 2) return 0;
    Ascent ascent(node.variables.size(), control_);
    double const scale = static_cast<double>(std::max<Fixed>(total_ - known_, 1)) /
                         static_cast<double>(node.variables.size());
    double const last = std::max(1.0, scale * schedule_.coldest);
    auto const least = static_cast<Fixed>(static_cast<double>(slack_) * schedule_.least);
    Fixed const others = total_ - node.bound();
    std::size_t removed = 0;
    for (double temperature = scale * schedule_.hottest; !control_.stopped();
         temperature *= schedule_.cooling) {
      AscentLimits limits;
      limits.floor = known_ - others;
      limits.first_temperature = limits.last_temperature = std::max(last, temperature);
      limits.rounds = schedule_.rounds;
      limits.sweeps = schedule_.sweeps;
      limits.least_gain = std::max<Fixed>(1, static_cast<Fixed>(limits.last_temperature));
      Fixed const before = node.bound();
      ascent.run(node, limits);
      std::size_t const now = fix(node, known_ - slack_ - 1 - others);
      removed += now;
      if (temperature <= last || node.bound() <= limits.floor) break;
      if (now == 0 && before - node.bound() < least) break;
    }
    total_ = others + node.bound();
    return removed;
  }

  Universe const universe_;
  Control& control_;
  Schedule const schedule_;
  Fixed const known_, slack_;  // losses are at most 0, as in a node
  Fixed total_ = 0;            // the bounds of all parts together
};

}  // namespace

Fixing fix_candidates(ScoreCache const& cache, Fixed known, Fixed limit, Pace pace,
                      Control& control) {
  return Fixer(cache, known, limit, pace, control).run(cache);
}

}  // namespace bayesloom::prices
