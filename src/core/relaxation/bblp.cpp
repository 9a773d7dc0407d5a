// The solver: first a network and the trivial bound, then the root bound of each component, then
// the tree of each component, smallest first.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "dual/cut.hpp"
#include "dual/given_prices.hpp"
#include "dual/problem.hpp"
#include "dual/reduction.hpp"
#include "dual/simple_bound.hpp"
#include "orders/insert_search.hpp"
#include "relaxation/cut_tree.hpp"
#include "relaxation/dive.hpp"
#include "relaxation/open_parts.hpp"
#include "relaxation/order_proof.hpp"
#include "relaxation/relaxation.hpp"
#include "relaxation/tree.hpp"

namespace bayesloom {

using namespace relaxation;
using orders::order_of;

namespace {

Fixed allowed_gap(BblpOptions const& options) {
  return static_cast<Fixed>(
      std::floor(std::min(options.target_gap, max_nats) * fixed_units_per_nat));
}

class Bblp {
 public:
  Bblp(ScoreCache const& cache, BblpOptions const& options, Control& control)
      : cache_(cache),
        options_(options),
        cooling_(options.cooling),
        control_(control),
        trivial_(simple_bound(cache)),
        target_(allowed_gap(options)),
        universe_(cache),
        table_(cache),
        inserts_(table_),
        rng_(options.seed) {}

  /// `rest` is for dividing what is open.
  BblpResult run(Control* rest = nullptr) {
    first_network();
    result_.bound = std::max(trivial_, result_.score);
    record();
    if (closed()) {
      result_.root_bound = result_.bound;
      result_.work = control_.work();
      return std::move(result_);
    }
    auto const [root, least] = priced_problem(
        cache_, universe_, result_.score + std::max<Fixed>(0, floor_gap()), options_.prices);
    result_.bound = std::max(result_.score, std::min(result_.bound, trivial_ + least));
    record();
    WideVarSet before(universe_.n);
    for (auto const& part : components(root)) {
      parts_.push_back(root.restricted_to(part, before));
      before |= part;
    }
    std::stable_sort(parts_.begin(), parts_.end(), [](Problem const& a, Problem const& b) {
      return a.candidate_count() < b.candidate_count();
    });
    for (auto const& part : parts_) bounds_.push_back(part.bound());
    floors_.assign(parts_.size(), nothing);
    fixes_.resize(parts_.size());
    for (std::size_t k = 0; k < parts_.size() && !finished(); ++k) lower(k);
    listening_ = true;
    result_.root_bound = result_.bound;
    polish();
    if (options_.branch)
      for (std::size_t k = 0; k < parts_.size() && !finished(); ++k) prove(k);
    listen();
    record();
    if (rest != nullptr && !closed()) divide(*rest);
    for (auto const& part : parts_) append_priced(part.clusters, result_.clusters);
    for (auto const& own : fixes_)
      if (own.size() > result_.fixes.size()) result_.fixes.resize(own.size());
    // Components do not depend on each other: their first, second, ... prices side by side.
    for (auto const& own : fixes_)
      for (std::size_t step = 0; step < result_.fixes.size() && !own.empty(); ++step)
        append_priced(own[std::min(step, own.size() - 1)], result_.fixes[step]);
    result_.work = control_.work();
    return std::move(result_);
  }

 private:
  void first_network() {
    auto const greedy = greedy_network(cache_);
    if (!greedy)
      throw InfeasibleError("no acyclic network can be made from the candidates of this cache.");
    adopt(*greedy);
    if (!options_.start.empty()) {
      check_start();
      adopt(options_.start);
    }
    search_near(result_.candidates, options_.moves);
  }

  /// Lowers the bound of component k. Given prices are taken to be good: they are not heated up.
  /// Balanced ones are better to branch from, so they stay only if balancing costs more than a
  /// twentieth of the gap.
  void lower(std::size_t k) {
    Problem& node = parts_[k];
    bool const given = !node.clusters.empty();
    std::vector<Cluster> const begun = node.clusters;
    Fixed const bound = node.bound();
    cool(k, scale(k, node) / (given ? cooling_.coldest : cooling_.hottest), false);
    if (given && node.bound() - bound > (bound - aim(k)) / cooling_.least_balance)
      node.replace_prices(begun);
  }

  /// Lowers it once more, from a temperature at which prices are free to move, and slowly.
  void lower_again(std::size_t k) {
    Problem const before = parts_[k];
    cool(k, cooling_.reheated * scale(k, before), true);
    if (parts_[k].bound() >= before.bound()) parts_[k] = before;
  }

  double scale(std::size_t k, Problem const& node) const {
    return static_cast<double>(node.bound() - aim(k)) / static_cast<double>(node.variables.size());
  }

  /// What must be beaten in component k at the root, where a gap that is allowed does not count yet.
  Fixed aim(std::size_t k) const { return options_.floor ? floor_of(k) : own_value(parts_[k]); }
  void fix(std::size_t k) {
    floors_[k] = std::max(floors_[k], aim(k));
    if (!options_.branch) append_priced(parts_[k].clusters, fixes_[k].emplace_back());
    fix_by_reduced_cost(parts_[k], aim(k));
  }

  /// Hot first, then colder, with a network decoded and candidates fixed at every temperature. The
  /// last is so cold that smoothing, which costs about half the temperature for each variable,
  /// costs a small part of the gap that is left. If held, a temperature stays as long as each round
  /// of new clusters closes half a hundredth of the gap: clusters found late, when it is cold, cost more
  /// and gain less.
  void cool(std::size_t k, double temperature, bool held) {
    Problem& node = parts_[k];
    Ascent ascent(options_.seed + k, control_);
    for (; !finished() && node.bound() > aim(k); temperature *= cooling_.cooling) {
      auto limits = AscentOptions::at(temperature, aim(k), cooling_.rounds, cooling_.passes);
      if (held)
        limits.worthwhile = std::max<Fixed>(1, (node.bound() - aim(k)) / cooling_.least_round);
      ascent.run(node, limits);
      improve(node, decode(node, control_));
      update(k, node.bound());
      if (node.bound() > aim(k)) fix(k);
      if (temperature > std::max(1.0, scale(k, node) / cooling_.coldest)) continue;
      // A better network makes it worth while to go on.
      Fixed const before = aim(k), gap = node.bound() - before;
      improve(node, dive(node, before, options_.dive, ascent, control_));
      if (aim(k) - before <= gap / cooling_.least_dive) break;
      fix(k);
    }
  }

  /// Improves a network suggested for a component, together with the best known for the rest.
  void improve(Problem const& node, NodeResult const& result) {
    if (node.variables.size() < 2 || !result.found) return;
    auto network = result_.candidates;
    for (auto const& [variable, candidate] : result.choice) network[variable] = candidate;
    if (!acyclic(network)) return;
    // A small component gets its share: there may be hundreds of them.
    std::size_t const own = node.variables.size(), all = cache_.variable_count();
    search_near(network, std::max(options_.moves / cooling_.near_part * own / all,
                                  cooling_.near_looks * own));
  }

  void search_near(std::vector<std::size_t> const& network, std::size_t moves) {
    auto order = order_of(cache_, network);
    inserts_.run(order, moves, rng_, control_);
    orders::OrderState state;
    table_.evaluate(order, state);
    adopt(table_.candidates(state.choice));
  }

  /// Local search again, as long as a round of it closes a hundredth of the gap: a better network
  /// lets more candidates be fixed, which no amount of branching makes up for.
  void polish() {
    while (!finished()) {
      Fixed const before = result_.score, gap = result_.bound - before;
      search_near(result_.candidates, cooling_.polish_looks * cache_.variable_count());
      record();
      if (result_.score - before <= gap / cooling_.least_polish) return;
    }
  }

  static void append_priced(std::vector<Cluster> const& clusters, std::vector<Cluster>& out) {
    std::copy_if(clusters.begin(), clusters.end(), std::back_inserter(out),
                 [](Cluster const& cluster) { return cluster.price > 0; });
  }

  void check_start() const {
    std::size_t const n = cache_.variable_count();
    auto const& start = options_.start;
    bool good = start.size() == n;
    for (std::size_t v = 0; v < n && good; ++v)
      good = start[v] >= cache_.begin(static_cast<Variable>(v)) &&
             start[v] < cache_.end(static_cast<Variable>(v));
    if (!good || order_of(cache_, start).size() != n)
      throw InputError(
          "start must name one candidate of each variable, in order, without a cycle.");
  }

  /// Keeps a network if it is the best so far, with what the one before has better: components do not
  /// depend on each other.
  void adopt(std::vector<std::size_t> network) {
    if (!result_.candidates.empty() && score_of(network) <= result_.score) return;
    auto both = network;
    for (auto const& part : parts_)
      if (own_value(part, network) < own_value(part))
        for (Index const i : part.variables) both[i] = result_.candidates[i];
    if (both != network && acyclic(both)) network = std::move(both);
    Fixed const score = score_of(network);
    result_.candidates = network;
    result_.score = score;
    if (options_.exchange) options_.exchange->offer({network, order_of(cache_, network), score});
  }

  /// Takes over a better network that the other solver has found.
  void listen() {
    if (listening_ && options_.exchange && options_.exchange->score() > result_.score)
      adopt(options_.exchange->best().candidates);
  }

  /// Given prices and a floor take out candidates of the network it begins with, so what is found for one
  /// component need not go with what is known of the rest.
  bool acyclic(std::vector<std::size_t> const& network) const {
    return order_of(cache_, network).size() == network.size();
  }

  Fixed score_of(std::vector<std::size_t> const& network) const {
    Fixed score = 0;
    for (std::size_t const c : network) score += cache_.score(c);
    return score;
  }

  /// What a network, the best known, loses on the variables of a node.
  Fixed own_value(Problem const& node, std::vector<std::size_t> const& network) const {
    Fixed sum = 0;
    for (Index const i : node.variables)
      sum += cache_.score(network[i]) - cache_.score(cache_.begin(static_cast<Variable>(i)));
    return sum;
  }
  Fixed own_value(Problem const& node) const { return own_value(node, result_.candidates); }

  /// Closes the gap of component k, by branching and by search over sets of placed variables, each
  /// better on a kind of cache of its own: in turns, each with twice the work it had before. Both go
  /// on where they were, the search over sets unless it is far from an end. Branching is
  /// left out where the other is about to end, and now and then where the other gains more. Both have
  /// the floor of the beginning of the turn, so a turn is the same one after the other and side by side.
  void prove(std::size_t k) {
    TurnOptions const& turns = options_.turns;
    std::optional<OrderProof> sets;
    Fixed sets_floor = 0;
    std::size_t sets_candidates = 0;
    bool nearly = false;  // two more doublings at the present pace are enough
    unsigned rest = 0,
             rested = 1;  // turns to come without search over sets, how many the next time
    unsigned branch_rest = 0, branch_rested = 1;  // and without branching
    std::optional<Tree> tree;
    std::optional<CutTree> cut_tree;
    for (std::uint64_t turn = turns.first; !finished() && !settled(k); turn *= 2) {
      bool const no_sets = options_.sets == BblpOptions::Sets::never || (sets && sets->full()) ||
                           parts_[k].variables.size() > OrderProof::most_variables;
      // A network that is not the best makes both far longer.
      search_near(result_.candidates, turn / turns.look_part);
      // Beyond the search over sets branching alone has to close the gap: a better bound first.
      if (turn == turns.second_wind * turns.first &&
          parts_[k].variables.size() > OrderProof::most_variables)
        lower_again(k);
      if (finished() || settled(k)) continue;
      bool const by_program = options_.program != nullptr &&
                              turn >= options_.cut_tree.after * turns.first &&
                              !(cut_tree && cut_tree->failed());
      auto const branch_on = [&](Control& slice, Fixed floor, std::size_t threads) {
        return by_program ? branch(k, cut_tree, slice, floor, threads)
                          : branch(k, tree, slice, floor, threads);
      };
      if (!by_program && options_.cuts.wanted && turn == options_.cuts.after * turns.first) {
        cut(k);
        if (finished() || settled(k)) continue;
        tree.reset();
      }
      bool const searched = !no_sets && rest == 0;
      if (!no_sets && rest > 0) --rest;
      bool const branched =
          !searched || (options_.sets != BblpOptions::Sets::only && !nearly && branch_rest == 0);
      if (searched && branch_rest > 0) --branch_rest;
      Fixed const floor = use_floor(k), before = bounds_[k];
      if (searched) {
        if (!sets || sets_floor < floor) fix_by_reduced_cost(parts_[k], floor);
        std::size_t const candidates = parts_[k].candidate_count();
        if (!sets)
          sets.emplace(parts_[k], floor, options_.memory_bytes, options_.threads,
                       options_.set_search);
        else if (sets_floor < floor || candidates < sets_candidates)
          sets->narrow(parts_[k], floor);
        sets_floor = floor;
        sets_candidates = candidates;
      }
      if (!searched) {
        Slice slice(control_, turn);
        branch_on(slice, floor, threads());
        continue;
      }
      std::uint64_t const sets_turn = turns.sets_pace * turn;
      Fixed const sets_before = std::min(before, sets->result().bound);
      Fixed branch_bound = before;
      if (!branched) {
        Slice slice(control_, sets_turn);
        sets->run(slice, threads());
      } else if (!side_by_side()) {
        {
          Slice slice(control_, turn);
          branch_bound = branch_on(slice, floor, threads());
        }
        if (finished() || settled(k)) continue;
        Slice slice(control_, sets_turn);
        sets->run(slice, threads());
      } else {
        std::atomic<bool> branching_done = false, searching_done = false;
        std::size_t const all = threads(), branching = by_program ? 1 : all / 2;
        parallel_for(2, 2, control_, [&](std::size_t task, std::size_t) {
          if (task == 0) {
            Slice slice(control_, turn, &searching_done);
            branch_bound = branch_on(slice, floor, branching);
            branching_done = bounds_[k] <= floor;
          } else {
            Slice slice(control_, sets_turn, &branching_done);
            sets->run(slice, all - branching);
            // What was found may be found by branching too, and has to wait for it.
            searching_done = sets->proved() && !sets->result().found;
          }
        });
        if (finished() || settled(k)) continue;
      }
      auto const result = sets->result();
      Fixed const left = result.bound - floor, gained = sets_before - result.bound;
      nearly = left <= 2 * gained;
      if (left / turns.resting > gained) rest = rested++;
      bool const behind = branch_bound - floor > turns.behind * left;
      bool const slower = left <= turns.steady * gained && before - branch_bound < gained;
      if (branched && (behind || slower)) branch_rest = branch_rested++;
      if (sets->proved()) {
        settle(k, result, floor);
      } else {
        update(k, result.bound);
      }
    }
  }

  /// As many threads as are ours: all, once no other solver is at work beside.
  std::size_t threads() const {
    return options_.exchange && !options_.exchange->alone(0) ? options_.threads_beside
                                                             : options_.threads;
  }

  /// Under a work limit what one does is taken from the other, in order.
  bool side_by_side() const {
    return threads() > 1 && control_.work_left() > std::numeric_limits<std::uint64_t>::max() / 2;
  }

  /// What must be beaten in component k: its part of the best network known, or more if a gap is
  /// allowed and the other components leave some of it.
  Fixed floor_of(std::size_t k) const {
    Fixed const own = own_value(parts_[k]);
    Fixed const spare = allowed() - (sum_of_bounds() - result_.score - (bounds_[k] - own));
    return own + std::max<Fixed>(0, spare);
  }
  /// The same, and candidates that do not lead above it may go.
  Fixed use_floor(std::size_t k) {
    Fixed const floor = floor_of(k);
    floors_[k] = std::max(floors_[k], floor);
    return floor;
  }
  /// Nothing is left in component k above what was to be beaten there.
  bool settled(std::size_t k) const { return bounds_[k] <= std::max(floor_of(k), floors_[k]); }

  Fixed sum_of_bounds() const { return std::accumulate(bounds_.begin(), bounds_.end(), trivial_); }

  /// Lowers the bound of component k by zero-half cuts, as long as that gains enough. Candidates that go by
  /// their prices go from the component.
  void cut(std::size_t k) {
    CutOptions const& cuts = options_.cuts;
    Problem const whole = parts_[k].compact();
    Problem node = whole;
    Ascent ascent(options_.seed + k, control_);
    while (!finished() && node.bound() > floor_of(k)) {
      Fixed const floor = use_floor(k), before = node.bound();
      auto limits =
          AscentOptions::at(scale(k, node) / cuts.temperature, floor, cuts.rounds, cuts.passes);
      limits.whole = &whole;
      limits.cuts = cuts.zero_half;
      ascent.run(node, limits);
      update(k, node.bound());
      if (node.bound() <= floor) break;
      fix_by_reduced_cost(node, floor);
      improve(node, decode(node, control_));
      if (before - node.bound() <= (before - floor) / cuts.least_round) break;
    }
    if (node.infeasible()) {
      update(k, nothing);
      return;
    }
    result_.cuts += node.cuts.size();
    keep_only(parts_[k], node);
  }

  /// Goes on with the tree of component k; returns its bound.
  template <typename AnyTree>
  Fixed branch(std::size_t k, std::optional<AnyTree>& tree, Control& slice, Fixed floor,
               std::size_t threads) {
    if (!tree) {
      TreeEvents events{[this, k](Fixed bound) { update(k, bound); },
                        [this](Choice const& choice) { consider(choice); }};
      if constexpr (std::is_same_v<AnyTree, Tree>) {
        tree.emplace(parts_[k], use_floor(k), options_.seed + k, options_.tree,
                     options_.memory_bytes, std::move(events));
      } else {
        tree.emplace(parts_[k], use_floor(k), options_.seed + k, options_.cut_tree,
                     *options_.program, options_.memory_bytes, std::move(events));
      }
    }
    std::uint64_t const nodes = tree->nodes();
    tree->raise_floor(floor);
    if constexpr (std::is_same_v<AnyTree, Tree>)
      tree->run(slice, threads);
    else
      tree->run(slice);
    auto const result = tree->result();
    settle(k, result, floor);
    result_.nodes += tree->nodes() - nodes;
    if constexpr (std::is_same_v<AnyTree, CutTree>) {
      // What went by the program's prices goes for the search over sets as well.
      floors_[k] = std::max(floors_[k], result.found ? result.value : floor);
      take_out(parts_[k], tree->fixed());
      result_.cuts = std::max(result_.cuts, tree->cuts());
    }
    return std::max(result.bound, floor);
  }

  /// Keeps a network that is found while a tree is searched, if it goes with the best known for the
  /// rest.
  void consider(Choice const& choice) {
    auto network = result_.candidates;
    for (auto const& [variable, candidate] : choice) network[variable] = candidate;
    if (!acyclic(network)) return;
    adopt(network);
    record();
  }

  /// Takes over what was found out about component k, where nothing up to the floor was looked for.
  void settle(std::size_t k, NodeResult const& result, Fixed floor) {
    if (result.found) {
      auto network = result_.candidates;
      for (auto const& [variable, candidate] : result.choice) network[variable] = candidate;
      // Else it stays as a gap: the component has no better, and the whole is searched again (see `run`).
      if (acyclic(network)) adopt(network);
      floors_[k] = std::max(floors_[k], result.value);
    }
    update(k, result.found ? result.bound : std::max(result.bound, floor));
  }

  /// Component k has this bound now. Candidates that do not lead above a floor are gone from it, so a bound
  /// below that says no more than that there is nothing above: taken as it is, it would make up for
  /// gaps of other components.
  void update(std::size_t k, Fixed bound) {
    bounds_[k] = std::min(bounds_[k], std::max(bound, floors_[k]));
    result_.bound = std::max(result_.score, std::min(result_.bound, sum_of_bounds()));
    if (options_.exchange) options_.exchange->offer_bound(result_.bound);
    record();
  }

  bool finished() {
    listen();
    return control_.stopped() || closed();
  }
  bool closed() const { return result_.bound - result_.score <= allowed(); }
  /// By how much the score that counts is above that of the best network here.
  Fixed floor_gap() const { return options_.floor ? *options_.floor - result_.score : 0; }
  /// By how much the bound may be above the score in the end.
  Fixed allowed() const { return std::max(target_, floor_gap()); }

  /// Lists what is open.
  void divide(Control& control) {
    if (options_.division.into == DivisionOptions::Into::components) {
      result_.closed = trivial_;
      for (std::size_t k = 0; k < parts_.size(); ++k) {
        if (settled(k)) {
          result_.closed += bounds_[k];
          continue;
        }
        Fixed best = 0;
        for (Index const i : parts_[k].variables)
          best += cache_.score(cache_.begin(static_cast<Variable>(i)));
        result_.closed -= best;
        result_.open.push_back(open_component(known({}), k, best));
      }
      return;
    }
    for (std::size_t k = 0; k < parts_.size() && !closed(); ++k) {
      if (settled(k)) continue;
      Fixed const floor = use_floor(k);
      Tree tree(parts_[k], floor, options_.seed + k, options_.tree, options_.memory_bytes,
                TreeEvents{{}, [this](Choice const& choice) { consider(choice); }});
      tree.widen(options_.division.subtrees, control);
      settle(k, tree.result(), floor);
      if (tree.done()) continue;
      std::vector<Fixed> own;
      for (auto const& part : parts_) own.push_back(own_value(part));
      for (auto& node : tree.open_nodes())
        result_.open.push_back(open_subtree(known(own), k, std::move(node), trivial_));
      return;
    }
    // Nothing is open, but what is best of each component does not go together: all of it once more.
    if (!closed()) result_.open.push_back(open_whole(known({}), result_.bound));
  }
  Components known(std::span<Fixed const> own) const {
    return {cache_, parts_, bounds_, own, result_.candidates};
  }

  void record() {
    if (!result_.trace.empty() && result_.trace.back().score == result_.score &&
        result_.trace.back().bound == result_.bound)
      return;
    result_.trace.push_back({control_.seconds(), control_.work(), result_.score, result_.bound});
  }

  ScoreCache const& cache_;
  BblpOptions const& options_;
  CoolingOptions const& cooling_;
  Control& control_;
  Fixed const trivial_;
  Fixed const target_;
  Universe const universe_;
  orders::CandidateTable const table_;
  orders::InsertSearch inserts_;
  Rng rng_;
  BblpResult result_;
  /// Not while prices are found that the search over sets will go by: how many sets it takes lives on them, and
  /// they on when a network is told.
  bool listening_ = cache_.variable_count() > OrderProof::most_variables;
  std::vector<Problem> parts_;
  std::vector<Fixed> bounds_;
  std::vector<Fixed> floors_;  // by component: the highest that candidates were taken out for
  std::vector<std::vector<std::vector<Cluster>>> fixes_;  // and the prices it was done by
};

/// Runs the solver. Given prices and a floor take out candidates of the network it begins with, and then parts
/// of networks may not go together: where that leaves a gap though nothing is open, it is run without.
BblpResult run(ScoreCache const& cache, BblpOptions const& options, Control& control,
               Control* rest) {
  BblpResult result = Bblp(cache, options, control).run(rest);
  Fixed const known = std::max(result.score, options.floor.value_or(result.score));
  bool const open = result.bound - known > allowed_gap(options) && options.branch;
  if (!open || control.stopped() || (options.prices.empty() && !options.floor)) return result;
  BblpOptions plain = options;
  plain.prices.clear();
  plain.floor.reset();
  plain.start = result.candidates;
  BblpResult again = Bblp(cache, plain, control).run(rest);
  again.bound = std::max(again.score, std::min(again.bound, result.bound));
  again.nodes += result.nodes;
  again.trace.insert(again.trace.begin(), result.trace.begin(), result.trace.end());
  return again;
}

}  // namespace

BblpResult bblp(ScoreCache const& cache, BblpOptions const& options, Control& control) {
  auto const& division = options.division;
  if (division.into == DivisionOptions::Into::nothing) return run(cache, options, control, nullptr);
  std::uint64_t const all = control.work_left();
  BblpResult result;
  {
    Slice proof(control, all - std::min(all / 2, division.work));
    result = run(cache, options, proof, &control);
  }
  result.work = control.work();
  return result;
}

}  // namespace bayesloom
