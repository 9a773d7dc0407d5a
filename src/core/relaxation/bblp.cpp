// The solver: first a network and the trivial bound, then the root bound of each component, then the
// tree of each component, smallest first.
#include <algorithm>

#include "base/errors.hpp"
#include "bounds/simple_bound.hpp"
#include "relaxation/local_order.hpp"
#include "relaxation/node.hpp"
#include "relaxation/reduce.hpp"
#include "relaxation/relaxation.hpp"
#include "relaxation/tree.hpp"

namespace bayesloom {

using namespace relaxation;

namespace {

class Bblp {
 public:
  Bblp(ScoreCache const& cache, BblpOptions const& options, Control& control)
      : cache_(cache), options_(options), control_(control), trivial_(simple_bound(cache)), universe_(cache) {}

  BblpResult run() {
    first_network();
    result_.bound = trivial_;
    record();
    Node root = root_node(cache_, universe_, trivial_ - result_.score);
    for (auto const& part : components(root)) parts_.push_back(root.restricted_to(part));
    std::sort(parts_.begin(), parts_.end(),
              [](Node const& a, Node const& b) { return a.candidate_count() < b.candidate_count(); });
    bounds_.clear();
    for (auto const& part : parts_) bounds_.push_back(part.bound());
    Ascent ascent(options_.seed, control_);
    for (std::size_t k = 0; k < parts_.size() && !control_.stopped(); ++k) {
      auto E=[](char const*n,double d){return getenv(n)?atof(getenv(n)):d;};
      AscentLimits l{own_value(parts_[k]), Fixed{1} << 16};
      l.first_temperature=E("T0",4)*fixed_units_per_nat; l.last_temperature=E("T1",0.02)*fixed_units_per_nat; l.cooling=E("COOL",0.5); l.rounds=(size_t)E("RND",3); l.additions=(size_t)E("ADD",20); l.sweeps=(size_t)E("SW",10); l.reach=E("REACH",3);
      ascent.run(parts_[k], l);
      improve(parts_[k]);
      update(k, parts_[k].bound());
    }
    result_.root_bound = result_.bound;
    if (options_.branch)
      for (std::size_t k = 0; k < parts_.size() && !control_.stopped() && !close_enough(); ++k) branch(k);
    result_.work = control_.work();
    return std::move(result_);
  }

 private:
  void first_network() {
    auto const greedy = greedy_network(cache_);
    if (!greedy) throw InfeasibleError("no acyclic network can be made from the candidates of this cache.");
    adopt(*greedy);
    if (!options_.start.empty()) {
      check_start();
      adopt(options_.start);
    }
    LocalOrder local(cache_);
    Rng rng(options_.seed);
    auto order = order_of(cache_, result_.candidates);
    local.search(order, options_.rounds, rng, control_);
    adopt(*local.network(order));
  }

  /// Decodes a component by its prices and improves the network it suggests, together with the
  /// best known for the rest.
  void improve(Node const& node) {
    if (node.variables.size() < 2) return;
    auto const answer = decode(node);
    if (!answer.found) return;
    auto network = result_.candidates;
    for (auto const& [variable, candidate] : answer.choice) network[variable] = candidate;
    LocalOrder local(cache_);
    Rng rng(options_.seed);
    auto order = order_of(cache_, network);
    local.search(order, options_.rounds, rng, control_);
    adopt(*local.network(order));
  }

  void check_start() const {
    std::size_t const n = cache_.variable_count();
    auto const& start = options_.start;
    bool good = start.size() == n;
    for (std::size_t v = 0; v < n && good; ++v)
      good = start[v] >= cache_.begin(static_cast<Variable>(v)) &&
             start[v] < cache_.end(static_cast<Variable>(v));
    if (!good || order_of(cache_, start).size() != n)
      throw InputError("start must name one candidate of each variable, in order, without a cycle.");
  }

  /// Keeps a network if it is the best so far.
  void adopt(std::vector<std::size_t> const& network) {
    Fixed score = 0;
    for (std::size_t const c : network) score += cache_.score(c);
    if (!result_.candidates.empty() && score <= result_.score) return;
    result_.candidates = network;
    result_.score = score;
  }

  /// What the best network known loses on the variables of a node.
  Fixed own_value(Node const& node) const {
    Fixed sum = 0;
    for (Index const i : node.variables)
      sum += cache_.score(result_.candidates[i]) - cache_.score(cache_.begin(static_cast<Variable>(i)));
    return sum;
  }

  void branch(std::size_t k) {
    Fixed const own = own_value(parts_[k]);
    if (bounds_[k] <= own) return;
    Tree tree(options_.seed + k, control_);
    auto answer = tree.solve(std::move(parts_[k]), own);
    if (answer.found) {
      for (auto const& [variable, candidate] : answer.choice) result_.candidates[variable] = candidate;
      result_.score += answer.value - own;
    }
    update(k, std::max(answer.bound, answer.found ? answer.value : own));
    result_.nodes += tree.nodes();
  }

  /// Component k has this bound now; a bound below the best network known says that it is best.
  void update(std::size_t k, Fixed bound) {
    bounds_[k] = std::min(bounds_[k], bound);
    Fixed sum = trivial_;
    for (Fixed const b : bounds_) sum += b;
    result_.bound = std::max(result_.score, std::min(result_.bound, sum));
    record();
  }

  bool close_enough() const {
    return result_.bound <= result_.score ||
           to_nats(result_.bound - result_.score) <= options_.target_gap;
  }

  void record() {
    if (!result_.trace.empty() && result_.trace.back().score == result_.score &&
        result_.trace.back().bound == result_.bound)
      return;
    result_.trace.push_back({control_.seconds(), control_.work(), result_.score, result_.bound});
  }

  ScoreCache const& cache_;
  BblpOptions const& options_;
  Control& control_;
  Fixed const trivial_;
  Universe const universe_;
  BblpResult result_;
  std::vector<Node> parts_;
  std::vector<Fixed> bounds_;
};

}  // namespace

BblpResult bblp(ScoreCache const& cache, BblpOptions const& options, Control& control) {
  return Bblp(cache, options, control).run();
}

}  // namespace bayesloom
