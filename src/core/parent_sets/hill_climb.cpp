#include "parent_sets/hill_climb.hpp"

#include <algorithm>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "base/rng.hpp"
#include "graph/changing_network.hpp"

namespace bayesloom {

namespace {

enum class Kind : std::uint8_t { none, add, remove, reverse };

/// `from` -> `to` is the edge that is added, removed or turned round.
struct Move {
  Kind kind = Kind::none;
  Variable from = 0, to = 0;
  Fixed gain = no_score;
};

void insert(std::vector<Variable>& set, Variable y) {
  set.insert(std::ranges::upper_bound(set, y), y);
}

void erase(std::vector<Variable>& set, Variable y) { set.erase(std::ranges::lower_bound(set, y)); }

class Climber {
 public:
  Climber(NeighbourSets& sets, ParentSets start, ClimbOptions const& options, Control& control)
      : sets_(sets),
        options_(options),
        control_(control),
        n_(sets.variable_count()),
        parents_(std::move(start)),
        network_(children_of(parents_)) {
    score_.assign(n_, 0);
    additions_.assign(n_, nullptr);
    without_.resize(n_);
    turned_.resize(n_);
    version_.assign(n_, 1);
    above_.assign(n_, 0);
    open_.assign(n_, 0);
    most_added_.assign(n_, no_score);
    most_turned_.assign(n_, no_score);
    stale_.assign(n_, 1);
    for (std::size_t v = 0; v < n_; ++v) stale_list_.push_back(static_cast<Variable>(v));
    resting_.assign(n_, 0);
    wanted_.resize(n_);
  }

  ClimbResult run() {
    parallel_for(sets_.threads(), n_, control_, [&](std::size_t v, std::size_t w) {
      score_[v] = sets_.score(static_cast<Variable>(v), parents_[v], w);
      additions_[v] = sets_.expand(static_cast<Variable>(v), parents_[v], w, control_);
      removals(static_cast<Variable>(v), w);
    });
    if (control_.stopped())  // some child may not have had its turn
      for (std::size_t v = 0; v < n_; ++v)
        score_[v] = sets_.possible_score(static_cast<Variable>(v), parents_[v], 0);
    total_ = 0;
    for (Fixed const s : score_) total_ += s;
    ClimbResult best{parents_, total_, 0};
    std::uint64_t steps = 0;
    for (std::size_t v = 0; v < n_ && !control_.stopped(); ++v)
      rate_additions(static_cast<Variable>(v));
    score_turns();
    if (options_.together > 1) {
      steps = ascend_together();
      best = {parents_, total_, steps};
      walk_class(best, steps);
    }
    while (!control_.stopped() && steps - best.steps <= options_.stall) {
      Move const move = best_move(best.score);
      if (move.kind == Kind::none || !apply(move)) break;
      ++steps;
      touch(move.from, move.to);
      if (total_ > best.score) best = {parents_, total_, steps};
    }
    best.steps = steps;
    return best;
  }

 private:
  /// The children of each variable; those that must come after it are joined, for the test of cycles alone.
  ParentSets children_of(ParentSets const& parents) const {
    ParentSets children(n_);
    for (std::size_t v = 0; v < n_; ++v)
      for (Variable const p : parents[v]) children[p].push_back(static_cast<Variable>(v));
    for (auto const& [a, b] : sets_.before()) insert(children[a], b);
    return children;
  }

  /// Scores of the parents of v with one left out.
  void removals(Variable v, std::size_t worker) {
    without_[v].clear();
    for (std::size_t k = 0; k < parents_[v].size(); ++k) {
      auto fewer = parents_[v];
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      without_[v].push_back(sets_.rules(v).allow(fewer) ? sets_.score(v, fewer, worker) : no_score);
    }
    turned_[v].assign(parents_[v].size(), {});
  }

  /// s(u, P_u + v) for the k-th parent u of v; kept until P_u changes.
  Fixed turned(Variable v, std::size_t k, std::size_t worker = 0) {
    Variable const u = parents_[v][k];
    auto& [score, version] = turned_[v][k];
    if (version != version_[u]) {
      version = version_[u];
      auto more = parents_[u];
      insert(more, v);
      score = sets_.rules(u).allow(more) ? sets_.score(u, more, worker) : no_score;
    }
    return score;
  }

  Move best_move(Fixed best_score) {
    Move best;
    auto const allowed = [&](Variable a, Variable b, Fixed gain) {
      return total_ + gain > best_score || !is_tabu(a, b);
    };
    if (!rate_stale()) return {};
    for (std::size_t v = 0; v < n_; ++v) improve(static_cast<Variable>(v), best, allowed);
    return best;
  }

  /// Puts the best move into v in the place of `best` if it gains more.
  template <typename Allowed>
  void improve(Variable v, Move& best, Allowed const& allowed) {
    if (most_added_[v] > best.gain) {
      auto const& list = *additions_[v];
      for (std::size_t k = open_[v]; k < list.size(); ++k) {
        auto const& [u, score] = list[k];
        Fixed const gain = score - score_[v];
        if (gain <= best.gain) break;
        if (network_.leads(v, u)) {
          if (k == open_[v]) {
            ++open_[v];
            rate_additions(v);
          }
        } else if (allowed(u, v, gain)) {
          best = {Kind::add, u, v, gain};
          break;
        }
      }
    }
    if (most_turned_[v] <= best.gain) return;
    for (std::size_t k = 0; k < parents_[v].size(); ++k) {
      Variable const u = parents_[v][k];
      if (!is_score(without_[v][k])) continue;
      Fixed const freed = without_[v][k] - score_[v];
      if (freed > best.gain && allowed(u, v, freed)) best = {Kind::remove, u, v, freed};
      if (resting_[u]) continue;
      Fixed const joined = turned(v, k);
      if (!is_score(joined)) continue;
      Fixed const gain = freed + joined - score_[u];
      if (gain > best.gain && allowed(u, v, gain) && !network_.leads(u, v, true))
        best = {Kind::reverse, u, v, gain};
    }
  }

  /// Takes the moves that gain, best first, until none is left; how many. A variable whose parents have
  /// changed rests until `together` have, and then all threads score what these can gain next.
  std::uint64_t ascend_together() {
    using Entry = std::pair<Fixed, Variable>;
    auto const later = [](Entry const& a, Entry const& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    };
    auto const allowed = [](Variable, Variable, Fixed) { return true; };
    std::uint64_t steps = 0;
    std::vector<Entry> heap;  // what a variable can gain at most
    std::vector<Variable> changed;
    while (!control_.stopped()) {
      score_turns();
      if (!rate_stale()) break;
      heap.clear();
      for (std::size_t v = 0; v < n_; ++v)
        if (Fixed const most = std::max(most_added_[v], most_turned_[v]); most > 0)
          heap.emplace_back(most, static_cast<Variable>(v));
      std::ranges::make_heap(heap, later);
      changed.clear();
      while (!heap.empty() && changed.size() < options_.together) {
        std::ranges::pop_heap(heap, later);
        Variable const v = heap.back().second;
        heap.pop_back();
        if (resting_[v]) continue;
        Move move;
        move.gain = 0;
        improve(v, move, allowed);
        if (move.kind == Kind::none) continue;
        if (!heap.empty() && move.gain < heap.front().first) {
          heap.emplace_back(move.gain, v);
          std::ranges::push_heap(heap, later);
          continue;
        }
        change(move);
        ++steps;
        changed.push_back(v);
        if (move.kind == Kind::reverse) changed.push_back(move.from);
        resting_[v] = 1;
        if (move.kind == Kind::reverse) resting_[move.from] = 1;
      }
      if (changed.empty() || !rescore(changed)) break;
    }
    return steps;
  }

  /// Scores variables whose parents have changed, and what they can gain next, on all threads; false if
  /// stopped before.
  bool rescore(std::vector<Variable> const& changed) {
    parallel_for(sets_.threads(), changed.size(), control_, [&](std::size_t task, std::size_t w) {
      Variable const v = changed[task];
      score_[v] = sets_.score(v, parents_[v], w);
      removals(v, w);
      additions_[v] = sets_.expand(v, parents_[v], w, control_);
    });
    if (control_.stopped()) return false;
    for (Variable const v : changed) {
      resting_[v] = 0;
      ++version_[v];
      reopen(v);
      make_stale(v);
      for (Variable const w : network_.children(v)) make_stale(w);
    }
    return true;
  }

  /// Climbs from other members of the equivalence class until `members` in a row gain nothing.
  void walk_class(ClimbResult& best, std::uint64_t& steps) {
    if (!sets_.before().empty()) return;
    Rng rng(options_.seed);
    for (std::size_t idle = 0; idle < options_.members && !control_.stopped(); ++idle) {
      if (!become(other_member(rng))) return;
      steps += ascend_together();
      if (total_ > best.score) {
        best = {parents_, total_, steps};
        idle = 0;
      } else if (total_ < best.score && !become(best.parents)) {
        return;
      }
    }
    best.steps = steps;
  }

  /// The network with covered edges turned at random [chickering1995]: those u -> v where v has the
  /// parents of u and u itself. Other variables keep their parents, and no cycle arises.
  ParentSets other_member(Rng& rng) const {
    constexpr int passes = 3;  // a turn can cover other edges
    ParentSets sets = parents_;
    std::vector<std::pair<Variable, Variable>> edges;
    for (std::size_t v = 0; v < n_; ++v)
      for (Variable const u : sets[v]) edges.emplace_back(u, static_cast<Variable>(v));
    for (int pass = 0; pass < passes; ++pass) {
      rng.shuffle(std::span(edges));
      for (auto& [u, v] : edges) {
        if (sets[v].size() != sets[u].size() + 1) continue;
        auto fewer = sets[v];
        erase(fewer, u);
        if (fewer != sets[u]) continue;
        auto more = sets[u];
        insert(more, v);
        if (!sets_.rules(v).allow(fewer) || !sets_.rules(u).allow(more)) continue;
        sets[v] = std::move(fewer);
        sets[u] = std::move(more);
        std::swap(u, v);
      }
    }
    return sets;
  }

  /// Goes over to another network; false if stopped.
  bool become(ParentSets const& other) {
    std::vector<Variable> changed;
    for (std::size_t i = 0; i < n_; ++i) {
      auto const v = static_cast<Variable>(i);
      if (parents_[v] == other[v]) continue;
      parents_[v] = other[v];
      changed.push_back(v);
    }
    network_.replace(children_of(parents_));
    if (!rescore(changed)) return false;
    total_ = 0;
    for (Fixed const s : score_) total_ += s;
    for (std::size_t v = 0; v < n_; ++v) reopen(static_cast<Variable>(v));
    return true;
  }

  /// Rates what is stale; false if stopped.
  bool rate_stale() {
    for (Variable const v : stale_list_) {
      if (control_.should_stop(0)) return false;
      rate_turns(v);
    }
    stale_list_.clear();
    return true;
  }

  /// Scores what `rate_turns` will ask for, on all threads; the sets of a parent are for one of them.
  void score_turns() {
    if (control_.stopped()) return;
    std::vector<Variable> from;
    for (Variable const v : stale_list_)
      for (std::size_t k = 0; k < parents_[v].size(); ++k) {
        Variable const u = parents_[v][k];
        if (!is_score(without_[v][k]) || turned_[v][k].version == version_[u]) continue;
        if (wanted_[u].empty()) from.push_back(u);
        wanted_[u].emplace_back(v, k);
      }
    parallel_for(sets_.threads(), from.size(), control_, [&](std::size_t task, std::size_t w) {
      for (auto const& [v, k] : wanted_[from[task]]) {
        if (control_.should_stop(0)) return;
        turned(v, k, w);
      }
    });
    for (Variable const u : from) wanted_[u].clear();
  }

  /// The best that an addition to the parents of v can gain, but for those known to close a cycle.
  void rate_additions(Variable v) {
    auto const& list = *additions_[v];
    most_added_[v] = open_[v] < list.size() ? list[open_[v]].score - score_[v] : no_score;
  }

  /// The best that removing or turning an edge into v can gain.
  void rate_turns(Variable v) {
    stale_[v] = 0;
    most_turned_[v] = no_score;
    for (std::size_t k = 0; k < parents_[v].size(); ++k) {
      if (!is_score(without_[v][k])) continue;
      Fixed const freed = without_[v][k] - score_[v];
      most_turned_[v] = std::max(most_turned_[v], freed);
      Fixed const joined = turned(v, k);
      if (is_score(joined))
        most_turned_[v] = std::max(most_turned_[v], freed + joined - score_[parents_[v][k]]);
    }
  }

  void make_stale(Variable v) {
    if (stale_[v]) return;
    stale_[v] = 1;
    stale_list_.push_back(v);
  }

  /// An edge out of v is gone: paths from v, and from what is above it, may be too.
  void open_above(Variable v) {
    if (!sets_.before().empty()) {
      for (std::size_t w = 0; w < n_; ++w) reopen(static_cast<Variable>(w));
      return;
    }
    ++stamp_;
    stack_.assign(1, v);
    above_[v] = stamp_;
    while (!stack_.empty()) {
      Variable const w = stack_.back();
      stack_.pop_back();
      reopen(w);
      for (Variable const p : parents_[w])
        if (above_[p] != stamp_) {
          above_[p] = stamp_;
          stack_.push_back(p);
        }
    }
  }

  void reopen(Variable v) {
    open_[v] = 0;
    if (additions_[v]) rate_additions(v);
  }

  static std::uint64_t pair_of(Variable a, Variable b) {
    return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
  }
  bool is_tabu(Variable a, Variable b) const { return tabu_.contains(pair_of(a, b)); }

  void touch(Variable a, Variable b) {
    recent_.push_back(pair_of(a, b));
    ++tabu_[recent_.back()];
    if (recent_.size() <= options_.tabu) return;
    auto const oldest = tabu_.find(recent_.front());
    if (--oldest->second == 0) tabu_.erase(oldest);
    recent_.pop_front();
  }

  void change(Move const& move) {
    auto const [kind, u, v, gain] = move;
    Fixed of_v = 0;
    if (kind != Kind::add) {
      auto const k =
          static_cast<std::size_t>(std::ranges::lower_bound(parents_[v], u) - parents_[v].begin());
      of_v = without_[v][k] - score_[v];
    }
    if (kind == Kind::add) {
      of_v = gain;
      insert(parents_[v], u);
      network_.add(u, v);
    } else {
      erase(parents_[v], u);
      network_.remove(u, v);
    }
    if (kind == Kind::reverse) {
      insert(parents_[u], v);
      network_.add(v, u);
      score_[u] += gain - of_v;
    }
    score_[v] += of_v;
    if (kind != Kind::add) open_above(u);
    total_ += gain;
  }

  /// False if stopped before all that the next step needs was scored.
  bool apply(Move const& move) {
    change(move);
    bool const done = refresh(move.to);
    return move.kind == Kind::reverse ? refresh(move.from) && done : done;
  }

  bool refresh(Variable v) {
    ++version_[v];
    removals(v, 0);
    additions_[v] = sets_.expand(v, parents_[v], 0, control_, true);
    if (!additions_[v]) return false;
    reopen(v);
    make_stale(v);
    for (Variable const w : network_.children(v)) make_stale(w);
    return true;
  }

  struct Turned {
    Fixed score = 0;
    std::uint32_t version = 0;  // of the parent; 0 is never current
  };

  NeighbourSets& sets_;
  ClimbOptions const options_;
  Control& control_;
  std::size_t const n_;
  ParentSets parents_;
  ChangingNetwork network_;
  std::vector<Fixed> score_;
  std::vector<std::vector<Addition> const*> additions_;
  std::vector<std::vector<Fixed>> without_;
  std::vector<std::vector<Turned>> turned_;
  std::vector<std::uint32_t> version_;
  Fixed total_ = 0;
  std::deque<std::uint64_t> recent_;                       // pairs touched, oldest first
  std::unordered_map<std::uint64_t, std::uint32_t> tabu_;  // how often each is among them
  std::vector<std::uint64_t> above_;
  std::uint64_t stamp_ = 0;
  std::vector<std::size_t> open_;    // of each child: additions before this one close a cycle
  std::vector<Fixed> most_added_;    // what the additions from there on can gain
  std::vector<Fixed> most_turned_;   // what removals and reversals can gain
  std::vector<std::uint8_t> stale_;  // whether most_turned_ is to be computed anew
  std::vector<Variable> stale_list_;
  std::vector<std::uint8_t>
      resting_;  // whether its parents have changed and nothing was scored since
  std::vector<std::vector<std::pair<Variable, std::size_t>>> wanted_;  // turns to score, by parent
  std::vector<Variable> stack_;
};

}  // namespace

ClimbResult hill_climb(NeighbourSets& sets, ParentSets start, ClimbOptions const& options,
                       Control& control) {
  std::size_t const n = sets.variable_count();
  if (start.empty()) {
    start.resize(n);
    for (std::size_t v = 0; v < n; ++v) start[v] = sets.rules(static_cast<Variable>(v)).required;
  }
  if (start.size() != n) throw InputError("the start must have one parent set per variable.");
  for (std::size_t v = 0; v < n; ++v) {
    std::ranges::sort(start[v]);
    if (!sets.rules(static_cast<Variable>(v)).allow(start[v]))
      throw InputError("the parents of variable " + std::to_string(v) +
                       " in the start break a rule.");
  }
  sets.prepare(control);
  return Climber(sets, std::move(start), options, control).run();
}

}  // namespace bayesloom
