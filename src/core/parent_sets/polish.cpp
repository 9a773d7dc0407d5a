#include "parent_sets/polish.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/errors.hpp"
#include "score/local_scores.hpp"

namespace bayesloom {

namespace {

class Polisher {
 public:
  Polisher(EncodedData const& data, ScoreSpec const& spec, ScoreCache const& cache,
           ParentSets network, PolishOptions const& options, Control& control)
      : data_(data),
        spec_(spec),
        cache_(cache),
        options_(options),
        control_(control),
        n_(data.variable_count()),
        parents_(std::move(network)),
        children_(n_),
        ordered_(n_),
        score_(n_, 0),
        without_(n_),
        better_(n_),
        stale_(n_, 0),
        seen_(n_, 0) {
    for (std::size_t v = 0; v < n_; ++v) {
      std::ranges::sort(parents_[v]);
      for (Variable const p : parents_[v]) children_[p].push_back(static_cast<Variable>(v));
    }
    for (auto const& [a, b] : options.before) ordered_[a].push_back(b);
  }

  Polished run() {
    for (std::size_t v = 0; v < n_; ++v) changed_.push_back(static_cast<Variable>(v));
    score_own();
    do {
      shrink();
    } while (!control_.stopped() && exchange());
    return {std::move(parents_), std::move(score_), steps_};
  }

 private:
  /// Better candidates of a variable with at most one new parent, best first.
  struct Better {
    std::size_t candidate;
    Variable added;
    bool adds;
  };

  bool required(Variable v, Variable parent) const {
    return !options_.rules.empty() &&
           std::ranges::binary_search(options_.rules[v].required, parent);
  }

  /// Families to be scored together.
  struct Batch {
    std::vector<Variable> children, parents;
    std::vector<std::uint64_t> first{0};

    void add(Variable child, std::vector<Variable> const& set, std::size_t left_out) {
      children.push_back(child);
      for (std::size_t k = 0; k < set.size(); ++k)
        if (k != left_out) parents.push_back(set[k]);
      first.push_back(parents.size());
    }
  };
  static constexpr auto none = static_cast<std::size_t>(-1);

  std::vector<Fixed> scored(Batch const& batch) {
    return local_scores(data_, spec_, {batch.children, batch.first, batch.parents},
                        options_.threads, control_);
  }

  void score_own() {
    Batch batch;
    for (std::size_t v = 0; v < n_; ++v) batch.add(static_cast<Variable>(v), parents_[v], none);
    // Without these nothing can be said at all: they are not stopped.
    Control calm;
    score_ = local_scores(data_, spec_, {batch.children, batch.first, batch.parents},
                          options_.threads, calm);
  }

  /// Takes the worst edge away from each variable that changed, until none should go.
  void shrink() {
    touched_.insert(touched_.end(), changed_.begin(), changed_.end());
    while (!changed_.empty()) {
      Batch batch;
      for (Variable const v : changed_)
        for (std::size_t k = 0; k < parents_[v].size(); ++k)
          if (!required(v, parents_[v][k])) batch.add(v, parents_[v], k);
      auto const scores = scored(batch);
      if (control_.stopped()) return;
      std::vector<Variable> smaller;
      std::size_t at = 0;
      for (Variable const v : changed_) {
        without_[v].assign(parents_[v].size(), no_score);
        for (std::size_t k = 0; k < parents_[v].size(); ++k)
          if (!required(v, parents_[v][k])) without_[v][k] = scores[at++];
        auto const best = std::ranges::max_element(without_[v]);
        if (best == without_[v].end() || *best <= score_[v]) continue;
        Fixed const score = *best;
        auto fewer = parents_[v];
        fewer.erase(fewer.begin() + (best - without_[v].begin()));
        become(v, std::move(fewer), score);
        smaller.push_back(v);
      }
      changed_ = std::move(smaller);
    }
    std::ranges::sort(touched_);
    touched_.erase(std::ranges::unique(touched_).begin(), touched_.end());
    for (Variable const v : touched_) {
      stale_[v] = 0;
      find_better(v);
    }
    touched_.clear();
  }

  void become(Variable v, std::vector<Variable> set, Fixed score) {
    for (Variable const p : parents_[v]) std::erase(children_[p], v);
    parents_[v] = std::move(set);
    for (Variable const p : parents_[v]) children_[p].push_back(v);
    score_[v] = score;
    stale_[v] = 1;
    ++steps_;
  }

  void find_better(Variable v) {
    better_[v].clear();
    auto const& own = parents_[v];
    for (std::size_t c = cache_.begin(v); c < cache_.end(v) && cache_.score(c) > score_[v]; ++c) {
      auto const set = cache_.parents(c);
      Variable added = 0;
      std::size_t fresh = 0;
      for (auto at = own.begin(); Variable const p : set) {
        while (at != own.end() && *at < p) ++at;
        if (at != own.end() && *at == p) continue;
        added = p;
        if (++fresh > 1) break;
      }
      if (fresh <= 1) better_[v].push_back({c, added, fresh == 1});
    }
  }

  /// One step for each variable that has one; false if there was none.
  bool exchange() {
    for (std::size_t k = 0; k < n_; ++k) {
      auto const v = static_cast<Variable>(k);
      if (better_[v].empty()) continue;
      if (control_.should_stop(0)) return false;
      // Variables that changed in this round are looked at again in the next.
      if (stale_[v]) continue;
      find_descendants(v, none);
      bool done = false;
      for (Better const& move : better_[v]) {
        if (move.adds && seen_[move.added] == stamp_) continue;
        take(v, move);
        done = true;
        break;
      }
      if (!done) turn(v);
    }
    return !changed_.empty();
  }

  void take(Variable v, Better const& move) {
    auto const set = cache_.parents(move.candidate);
    Fixed const score = cache_.score(move.candidate);
    become(v, {set.begin(), set.end()}, score);
    changed_.push_back(v);
  }

  /// Turns the first edge v -> y whose turning gains more than y loses.
  void turn(Variable v) {
    for (Better const& move : better_[v]) {
      Variable const y = move.added;
      auto const edge = std::ranges::lower_bound(parents_[y], v);
      if (!move.adds || edge == parents_[y].end() || *edge != v || stale_[y]) continue;
      Fixed const freed = without_[y][static_cast<std::size_t>(edge - parents_[y].begin())];
      if (!is_score(freed)) continue;
      if (cache_.score(move.candidate) - score_[v] + freed - score_[y] <= 0) continue;
      find_descendants(v, y);
      if (seen_[y] == stamp_) continue;
      auto fewer = parents_[y];
      fewer.erase(fewer.begin() + (edge - parents_[y].begin()));
      become(y, std::move(fewer), freed);
      changed_.push_back(y);
      take(v, move);
      return;
    }
  }

  /// Marks what is below v, not by the edge v -> `but` if that is one.
  void find_descendants(Variable v, std::size_t but) {
    ++stamp_;
    stack_.assign(1, v);
    auto const go = [&](Variable w) {
      if (seen_[w] == stamp_) return;
      seen_[w] = stamp_;
      stack_.push_back(w);
    };
    while (!stack_.empty()) {
      Variable const at = stack_.back();
      stack_.pop_back();
      for (Variable const w : children_[at])
        if (at != v || w != but) go(w);
      for (Variable const w : ordered_[at]) go(w);
    }
  }

  EncodedData const& data_;
  ScoreSpec const& spec_;
  ScoreCache const& cache_;
  PolishOptions const& options_;
  Control& control_;
  std::size_t const n_;
  ParentSets parents_, children_;
  ParentSets ordered_;  // variables that come after, edge or not
  std::vector<Fixed> score_;
  std::vector<std::vector<Fixed>>
      without_;  // scores with one parent left out; no_score if it stays
  std::vector<std::vector<Better>> better_;
  std::vector<std::uint8_t> stale_;  // whether the two are those of other parents
  std::vector<Variable> changed_;    // whose without_ is to be scored
  std::vector<Variable> touched_;    // whose better_ is to be found
  std::vector<std::uint64_t> seen_;
  std::uint64_t stamp_ = 0;
  std::vector<Variable> stack_;
  std::uint64_t steps_ = 0;
};

}  // namespace

Polished polish(EncodedData const& data, ScoreSpec const& spec, ScoreCache const& cache,
                ParentSets network, PolishOptions const& options, Control& control) {
  std::size_t const n = data.variable_count();
  if (network.size() != n || cache.variable_count() != n ||
      (!options.rules.empty() && options.rules.size() != n))
    throw InputError("network, score cache and table have different numbers of variables.");
  for (auto const& [a, b] : options.before)
    if (a >= n || b >= n) throw InputError("a pair of variables that come in order is not valid.");
  return Polisher(data, spec, cache, std::move(network), options, control).run();
}

}  // namespace bayesloom
