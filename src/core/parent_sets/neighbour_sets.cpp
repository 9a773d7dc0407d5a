#include "parent_sets/neighbour_sets.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "cache/pruning.hpp"
#include "data/row_sample.hpp"
#include "data/set_counter.hpp"
#include "parent_sets/looks.hpp"
#include "parent_sets/tuning.hpp"

namespace bayesloom {

namespace {

using tuning::least_kept;
using tuning::parents_per_task;

std::vector<Variable> with(std::span<Variable const> set, Variable y) {
  std::vector<Variable> more(set.begin(), set.end());
  more.insert(std::ranges::upper_bound(more, y), y);
  return more;
}

std::vector<Variable> without(std::span<Variable const> set, std::size_t k) {
  std::vector<Variable> fewer(set.begin(), set.end());
  fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
  return fewer;
}

bool contains(std::span<Variable const> set, Variable y) {
  return std::ranges::binary_search(set, y);
}

/// The time of another control for so much work, unless a first part of that time shows that it is not enough.
class Trial final : public Slice {
 public:
  Trial(Control& whole, double seconds, double all_work)
      : Slice(whole, Limits{}), seconds_(seconds), all_work_(all_work) {}
  /// Seconds for all of the work, as far as it was seen.
  double needed() const {
    return seconds() * all_work_ / static_cast<double>(std::max<std::uint64_t>(1, work()));
  }

 protected:
  void on_poll() override {
    Slice::on_poll();
    if (judged_ || seconds() < tuning::trial_part * seconds_) return;
    judged_ = true;
    if (needed() > seconds_) cancel();
  }

 private:
  double const seconds_, all_work_;
  bool judged_ = false;
};

}  // namespace

bool ParentRules::allow(std::span<Variable const> set) const {
  return set.size() <= most && std::ranges::includes(set, required) &&
         std::ranges::none_of(set, [&](Variable p) { return contains(forbidden, p); });
}

struct NeighbourSets::Worker {
  Worker(EncodedData const& data, BitPlanes const& planes, ScoreSpec const& spec)
      : parents(make_counter(spec, data, planes)),
        family(make_counter(spec, data, planes)),
        score(make_score(spec, data)) {}

  void push(std::span<Variable const> set, Variable child) {
    for (Variable const p : set) parents.push(p);
    if (parents.by_family()) return;
    for (Variable const p : set) family.push(p);
    family.push(child);
  }
  void clear() {
    while (parents.depth() > 0) parents.pop();
    while (family.depth() > 0) family.pop();
  }

  /// P with y more, and both with the child.
  void read_with(Variable y, Variable child) {
    if (!parents.by_family()) {
      parents.cells_with(y, parent_cells);
      family.cells_with(y, family_cells);
      return;
    }
    parents.push(y);
    parents.family(child, parent_cells, family_cells);
    parents.pop();
  }

  SetCounter parents, family;  // stacks: P, and P + child
  std::unique_ptr<Score> score;
  Cells parent_cells, family_cells;
  std::uint64_t scored = 0;
};

NeighbourSets::NeighbourSets(EncodedData const& data, ScoreSpec spec, NeighbourOptions options)
    : data_(data), spec_(std::move(spec)), options_(std::move(options)), planes_(data) {
  make_score(spec_, data);  // refuses a table of other kinds
  std::size_t const n = data.variable_count();
  if (!options_.rules.empty() && options_.rules.size() != n)
    throw InputError("there must be one set of rules per variable.");
  if (options_.parents_considered == 0) throw InputError("at least one parent must be considered.");
  for (std::size_t v = 0; v < options_.rules.size(); ++v)
    if (!options_.rules[v].allow(options_.rules[v].required) ||
        contains(options_.rules[v].required, static_cast<Variable>(v)))
      throw InputError("the rules for variable " + std::to_string(v) + " contradict each other.");
  for (auto const& [a, b] : options_.before)
    if (a >= n || b >= n || a == b)
      throw InputError("a pair of variables that come in order is not valid.");
  stores_.resize(n);
  considered_.resize(n);
  looked_beyond_.resize(n);
  workers_.resize(thread_count(options_.threads));
}

NeighbourSets::~NeighbourSets() = default;

ParentRules const& NeighbourSets::rules(Variable child) const {
  static ParentRules const any;
  return options_.rules.empty() ? any : options_.rules[child];
}

NeighbourSets::Worker& NeighbourSets::worker(std::size_t number) {
  if (!workers_[number]) workers_[number] = std::make_unique<Worker>(data_, planes_, spec_);
  return *workers_[number];
}

/// The best single parents of every variable. By all rows, if a first part of the time shows that it is enough for
/// them; else by as many as it is enough for, and what was met of these until it is over.
PairScores NeighbourSets::pairs_within(double seconds, std::size_t keep, Control& control) {
  auto const by_rows_of = [&](EncodedData const& data, BitPlanes const& planes, Control& within) {
    return pair_scores(data, planes, spec_, keep, workers_.size(), within);
  };
  double share = 0;
  if (seconds > 0) {
    auto const n = static_cast<double>(variable_count());
    Trial trial(control, seconds, n * n / 2);
    PairScores found = by_rows_of(data_, planes_, trial);
    if (!trial.stopped() || control.stopped()) return found;
    seconds = std::max(seconds - trial.seconds(), 0.0);
    share = tuning::sample_part * seconds / trial.needed();
  }
  Slice in_time(control, Limits{seconds, std::nullopt});
  if (data_.part_count() > 0)  // a sample would not know what was set
    return by_rows_of(data_, planes_, in_time);
  auto const rows = static_cast<std::size_t>(share * static_cast<double>(rows_compared_));
  return pairs_of_sample(std::max(rows, tuning::least_sample), keep, in_time);
}

PairScores NeighbourSets::pairs_of_sample(std::size_t rows, std::size_t keep, Control& control) {
  EncodedData const sample = row_sample(data_, rows);
  rows_compared_ = sample.unique_row_count();
  return pair_scores(sample, BitPlanes(sample), spec_, keep, workers_.size(), control);
}

bool NeighbourSets::prepare(Control& control, std::optional<double> seconds,
                            std::optional<std::size_t> sample) {
  if (prepared_) return true;
  std::size_t const n = variable_count();
  std::size_t most_forbidden = 0;
  for (auto const& rule : options_.rules)
    most_forbidden = std::max(most_forbidden, rule.forbidden.size());
  std::size_t const keep = options_.parents_considered + most_forbidden;
  rows_compared_ = data_.unique_row_count();
  PairScores pairs = sample    ? pairs_of_sample(*sample, keep, control)
                     : seconds ? pairs_within(*seconds, keep, control)
                               : pair_scores(data_, planes_, spec_, keep, workers_.size(), control);
  if (control.stopped()) return false;
  bool const by_all_rows = rows_compared_ == data_.unique_row_count();
  for (std::size_t v = 0; v < n; ++v) {
    auto const child = static_cast<Variable>(v);
    ParentRules const& rule = rules(child);
    std::vector<Addition> singles;
    for (auto const& [parent, score] : pairs.parents[v]) {
      if (singles.size() == options_.parents_considered) break;
      if (contains(rule.forbidden, parent)) continue;
      singles.push_back({parent, score});
      considered_[v].push_back(parent);
    }
    pairs.parents[v] = {};
    for (Variable const p : rule.required) considered_[v].push_back(p);
    std::ranges::sort(considered_[v]);
    auto const twins = std::ranges::unique(considered_[v]);
    considered_[v].erase(twins.begin(), twins.end());
    if (!rule.required.empty() || !by_all_rows) continue;
    Fixed const empty = pairs.empty[v];
    std::size_t const number = stores_[v].add({}, empty);
    if (rule.most == 0) singles.clear();
    std::size_t kept = 0;
    for (; kept < singles.size() && singles[kept].score > empty; ++kept)
      stores_[v].add(std::span(&singles[kept].parent, 1), singles[kept].score);
    singles.resize(std::min(singles.size(), std::max(kept, least_kept)));
    stores_[v].set_additions(number, std::move(singles));
  }
  worker(0).scored += n * n;
  prepared_ = true;
  if (!by_all_rows)
    parallel_for(workers_.size(), n, control, [&](std::size_t v, std::size_t w) {
      expand(static_cast<Variable>(v), rules(static_cast<Variable>(v)).required, w, control);
    });
  for (std::size_t v = 0; v < n; ++v)
    if (!by_all_rows || !rules(static_cast<Variable>(v)).required.empty())
      score(static_cast<Variable>(v), rules(static_cast<Variable>(v)).required, 0);
  return true;
}

Fixed NeighbourSets::score(Variable child, std::span<Variable const> set, std::size_t number) {
  std::size_t const known = stores_[child].find(set);
  if (known != SetStore::none) return stores_[child].score(known);
  ScoreEntry const& entry = find_score(spec_);
  if (!std::ranges::all_of(set, [&](Variable p) { return may_be_parent(entry, data_, child, p); }))
    return no_score;
  Worker& w = worker(number);
  for (Variable const p : set) w.parents.push(p);
  w.parents.family(child, w.parent_cells, w.family_cells);
  w.clear();
  Fixed const value =
      w.score->local_score(w.family_cells, w.parent_cells, data_.cardinality(child));
  if (!is_score(value)) return no_score;  // kept nowhere, so met again and again: it is no work
  ++w.scored;
  stores_[child].add(set, value);
  return value;
}

Fixed NeighbourSets::possible_score(Variable child, std::span<Variable const> set,
                                    std::size_t number) {
  Fixed const found = score(child, set, number);
  if (!is_score(found))
    throw InputError("parents that variable " + std::to_string(child) +
                     " begins with, or must have, are not possible under score '" + spec_.name +
                     "': they determine it or each other, or are of a kind it cannot have.");
  return found;
}

void NeighbourSets::count_additions(Variable child, std::span<Variable const> set, std::size_t from,
                                    std::size_t to, std::size_t number, std::vector<Addition>& out,
                                    Control& control) {
  Worker& w = worker(number);
  std::size_t const step = countings_between_looks(data_, tuning::sets_between_looks);
  w.push(set, child);
  for (std::size_t k = from; k < to; ++k) {
    Variable const y = considered_[child][k];
    if (contains(set, y)) continue;
    w.read_with(y, child);
    Fixed const value =
        w.score->local_score(w.family_cells, w.parent_cells, data_.cardinality(child));
    if (is_score(value) && may_be_parent(find_score(spec_), data_, child, y))
      out.push_back({y, value});
    ++w.scored;
    if ((k - from) % step == step - 1 && control.should_stop(step)) break;
  }
  w.clear();
}

std::vector<Addition> const* NeighbourSets::expand(Variable child, std::span<Variable const> set,
                                                   std::size_t number, Control& control,
                                                   bool side_by_side) {
  SetStore& store = stores_[child];
  std::size_t known = store.find(set);
  if (known != SetStore::none)
    if (auto const* const done = store.additions(known)) return done;
  Fixed const own = possible_score(child, set, number);
  known = store.find(set);
  std::vector<Addition> all;
  std::size_t const count = considered_[child].size();
  if (set.size() < rules(child).most) {
    std::size_t const tasks = (count + parents_per_task - 1) / parents_per_task;
    if (side_by_side && workers_.size() > 1 && tasks > 1) {
      std::vector<std::vector<Addition>> parts(tasks);
      parallel_for(workers_.size(), tasks, control, [&](std::size_t task, std::size_t w) {
        std::size_t const from = task * parents_per_task;
        count_additions(child, set, from, std::min(count, from + parents_per_task), w, parts[task],
                        control);
      });
      for (auto const& part : parts) all.insert(all.end(), part.begin(), part.end());
    } else {
      count_additions(child, set, 0, count, number, all, control);
    }
  }
  if (control.stopped()) return nullptr;
  auto const gains =
      std::partition(all.begin(), all.end(), [&](auto const& a) { return a.score > own; });
  auto const kept = static_cast<std::size_t>(gains - all.begin());
  std::size_t const shown = std::min(all.size(), std::max(kept, least_kept));
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), all.end(),
                    better);
  all.resize(shown);
  all.shrink_to_fit();
  for (std::size_t k = 0; k < kept; ++k) store.add(with(set, all[k].parent), all[k].score);
  return &store.set_additions(known, std::move(all));
}

void NeighbourSets::around(ParentSets const& parents, bool both_ways, Control& control) {
  if (!prepare(control)) return;
  ParentSets children(variable_count());
  if (both_ways)
    for (std::size_t v = 0; v < variable_count(); ++v)
      for (Variable const u : parents[v]) children[u].push_back(static_cast<Variable>(v));
  parallel_for(workers_.size(), variable_count(), control, [&](std::size_t v, std::size_t w) {
    auto const child = static_cast<Variable>(v);
    if (full(child)) return;
    expand_around(child, parents[v], w, control);
    for (Variable const c : children[v]) {
      if (control.stopped() || full(child)) return;
      if (rules(child).allow(std::span(&c, 1))) expand(child, std::span(&c, 1), w, control);
    }
  });
}

std::size_t NeighbourSets::look_beyond(ParentSets const& parents, Control& control) {
  if (!prepare(control)) return 0;
  std::size_t const n = variable_count();
  ParentSets children(n);
  for (std::size_t v = 0; v < n; ++v)
    for (Variable const u : parents[v]) children[u].push_back(static_cast<Variable>(v));
  // Small sets cost least: single parents and children of all variables first, then by states.
  std::vector<double> states(n, 1);
  for (std::size_t v = 0; v < n; ++v)
    for (Variable const u : parents[v]) states[v] *= data_.cardinality(u);
  std::vector<Variable> order(n);
  std::iota(order.begin(), order.end(), Variable{0});
  std::ranges::stable_sort(order, {}, [&](Variable v) { return states[v]; });
  std::vector<std::size_t> found(n, 0);
  for (bool const small : {true, false})
    parallel_for(workers_.size(), n, control, [&](std::size_t task, std::size_t w) {
      Variable const child = order[task];
      if ((parents[child].size() <= 1) == small)
        found[child] += look_beyond_one(child, parents[child], w, control);
      if (!small) return;
      for (Variable const c : children[child])
        if (rules(child).allow(std::span(&c, 1)))
          found[child] += look_beyond_one(child, std::span(&c, 1), w, control);
    });
  return std::accumulate(found.begin(), found.end(), std::size_t{0});
}

/// Tries to add to a set what is not considered; how many gain.
std::size_t NeighbourSets::look_beyond_one(Variable child, std::span<Variable const> set,
                                           std::size_t number, Control& control) {
  ParentRules const& rule = rules(child);
  if (full(child) || set.size() >= rule.most || data_.cardinality(child) < 2) return 0;
  if (considered_[child].size() + 1 >= variable_count()) return 0;
  if (!expand(child, set, number, control)) return 0;
  SetStore& store = stores_[child];
  std::size_t const known = store.find(set);
  if (!looked_beyond_[child].insert(known).second) return 0;
  Fixed const own = store.score(known);
  Worker& w = worker(number);
  std::vector<Addition> gains;
  std::size_t const step = countings_between_looks(data_, tuning::sets_between_looks);
  w.push(set, child);
  for (std::size_t k = 0; k < variable_count(); ++k) {
    if (k % step == step - 1 && control.should_stop(step)) break;
    auto const y = static_cast<Variable>(k);
    if (y == child || data_.cardinality(y) < 2 || contains(set, y) || contains(rule.forbidden, y) ||
        contains(considered_[child], y) || !may_be_parent(find_score(spec_), data_, child, y))
      continue;
    w.read_with(y, child);
    Fixed const score =
        w.score->local_score(w.family_cells, w.parent_cells, data_.cardinality(child));
    ++w.scored;
    if (score > own) gains.push_back({y, score});
  }
  w.clear();
  if (control.stopped()) {
    looked_beyond_[child].erase(known);
    return 0;
  }
  for (auto const& [y, score] : gains) {
    store.add(with(set, y), score);
    considered_[child].insert(std::ranges::upper_bound(considered_[child], y), y);
  }
  if (!gains.empty()) store.more_additions(known, gains);
  return gains.size();
}

/// Expands a set and each with one parent less; how many had not been.
std::size_t NeighbourSets::expand_around(Variable child, std::span<Variable const> set,
                                         std::size_t number, Control& control) {
  SetStore const& store = stores_[child];
  std::size_t fresh = 0;
  auto const expand_one = [&](std::span<Variable const> one) {
    std::size_t const known = store.find(one);
    if (known != SetStore::none && store.additions(known)) return;
    if (expand(child, one, number, control)) ++fresh;
  };
  expand_one(set);
  for (std::size_t k = 0; k < set.size() && !control.stopped(); ++k)
    if (!contains(rules(child).required, set[k])) expand_one(without(set, k));
  return fresh;
}

std::size_t NeighbourSets::beside(ScoreCache const& cache,
                                  std::span<std::uint64_t const> candidates, Control& control) {
  if (cache.variable_count() != variable_count())
    throw InputError("the score cache is not over the variables of the table.");
  if (!prepare(control)) return 0;
  // A child belongs to one thread at a time.
  auto const first = cache.arrays().first;
  std::vector<std::vector<std::uint64_t>> of_child(variable_count());
  for (auto const c : candidates) {
    if (c >= cache.candidate_count()) throw InputError("there is no such candidate.");
    of_child[static_cast<std::size_t>(std::ranges::upper_bound(first, c) - first.begin()) - 1]
        .push_back(c);
  }
  std::vector<std::size_t> expanded(variable_count(), 0);
  parallel_for(workers_.size(), variable_count(), control, [&](std::size_t v, std::size_t w) {
    auto const child = static_cast<Variable>(v);
    for (auto const c : of_child[v]) {
      if (full(child) || control.stopped()) return;
      if (rules(child).allow(cache.parents(c)))
        expanded[v] += expand_around(child, cache.parents(c), w, control);
    }
  });
  return std::accumulate(expanded.begin(), expanded.end(), std::size_t{0});
}

void NeighbourSets::grow_one(Variable child, std::vector<Variable> set,
                             std::span<std::uint32_t const> place, std::size_t number,
                             Control& control) {
  Fixed own = score(child, set, number);
  for (bool changed = true; changed;) {
    changed = false;
    auto const* const additions = expand(child, set, number, control);
    if (!additions) return;
    auto const best = std::ranges::find_if(
        *additions, [&](Addition const& a) { return place[a.parent] < place[child]; });
    if (best != additions->end() && best->score > own) {
      own = best->score;
      set = with(set, best->parent);
      changed = true;
    }
    for (std::size_t k = 0; k < set.size(); ++k) {
      if (control.should_stop(0)) return;
      if (contains(rules(child).required, set[k])) continue;
      auto const fewer = without(set, k);
      Fixed const value = score(child, fewer, number);
      if (value > own) {
        own = value;
        set = fewer;
        changed = true;
        k = static_cast<std::size_t>(-1);
      }
    }
  }
}

void NeighbourSets::grow(std::vector<Variable> const& order, ParentSets const& parents,
                         Control& control) {
  auto sorted = order;
  std::ranges::sort(sorted);
  if (!std::ranges::equal(sorted, std::views::iota(std::size_t{0}, variable_count())))
    throw InputError("an order must name every variable once.");
  if (!prepare(control)) return;
  std::vector<std::uint32_t> place(variable_count());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<std::uint32_t>(k);
  parallel_for(workers_.size(), variable_count(), control, [&](std::size_t v, std::size_t w) {
    auto const child = static_cast<Variable>(v);
    grow_one(child, rules(child).required, place, w, control);
    if (!control.stopped()) grow_one(child, parents[v], place, w, control);
  });
}

std::size_t NeighbourSets::widen(std::size_t count, Control& control) {
  if (!prepare(control)) return 0;
  std::vector<std::size_t> expanded(variable_count(), 0);
  parallel_for(workers_.size(), variable_count(), control, [&](std::size_t v, std::size_t w) {
    auto const child = static_cast<Variable>(v);
    if (full(child)) return;
    SetStore const& store = stores_[v];
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < store.size(); ++i)
      if (!store.additions(i) && rules(child).allow(store.list().set(i)) && !dominated(child, i))
        open.push_back(i);
    std::size_t const most = std::min(count, open.size());
    std::partial_sort(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(most), open.end(),
                      [&](std::size_t a, std::size_t b) {
                        return store.score(a) != store.score(b) ? store.score(a) > store.score(b)
                                                                : a < b;
                      });
    open.resize(most);
    for (std::size_t const i : open) {
      auto const set = store.list().set(i);
      // A copy: the store may move as it grows.
      if (!expand(child, std::vector<Variable>(set.begin(), set.end()), w, control)) return;
      ++expanded[v];
      if (full(child)) return;
    }
  });
  std::size_t sum = 0;
  for (std::size_t const k : expanded) sum += k;
  return sum;
}

bool NeighbourSets::full(Variable child) const {
  return stores_[child].bytes() > options_.most_bytes / variable_count();
}

/// Whether a set with one parent less is known to score higher.
bool NeighbourSets::dominated(Variable child, std::size_t number) const {
  SetStore const& store = stores_[child];
  auto const set = store.list().set(number);
  for (std::size_t k = 0; k < set.size(); ++k) {
    std::size_t const subset = store.find(without(set, k));
    if (subset != SetStore::none && store.score(subset) > store.score(number)) return true;
  }
  return false;
}

void NeighbourSets::add(ScoreCache const& cache) {
  if (cache.variable_count() != variable_count())
    throw InputError("the score cache is not over the variables of the table.");
  for (std::size_t v = 0; v < variable_count(); ++v) {
    auto const child = static_cast<Variable>(v);
    for (std::size_t c = cache.begin(child); c < cache.end(child); ++c)
      if (rules(child).allow(cache.parents(c))) stores_[v].add(cache.parents(c), cache.score(c));
  }
}

ScoreCache NeighbourSets::cache(std::vector<std::string> names) const {
  auto const cardinalities = data_.cardinalities();
  CacheBuilder builder(std::move(names), {cardinalities.begin(), cardinalities.end()});
  for (std::size_t v = 0; v < variable_count(); ++v) {
    auto const child = static_cast<Variable>(v);
    CandidateList const& list = stores_[v].list();
    for (std::size_t i = 0; i < list.size(); ++i)
      if (rules(child).allow(list.set(i))) builder.list(child).add(list.scores[i], list.set(i));
  }
  return without_dominated(std::move(builder).finish("{}"), 0, Ties::keep);
}

std::uint64_t NeighbourSets::scored() const {
  std::uint64_t sum = 0;
  for (auto const& w : workers_) sum += w ? w->scored : 0;
  return sum;
}

std::size_t NeighbourSets::bytes() const {
  std::size_t sum = 0;
  for (auto const& store : stores_) sum += store.bytes();
  return sum;
}

std::size_t NeighbourSets::full_count() const {
  std::size_t count = 0;
  for (std::size_t v = 0; v < stores_.size(); ++v) count += full(static_cast<Variable>(v));
  return count;
}

std::size_t NeighbourSets::set_count() const {
  std::size_t sum = 0;
  for (auto const& store : stores_) sum += store.size();
  return sum;
}

}  // namespace bayesloom
