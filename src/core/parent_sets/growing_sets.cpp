#include "parent_sets/growing_sets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <queue>
#include <unordered_map>

#include "base/errors.hpp"
#include "data/set_counter.hpp"
#include "parent_sets/tuning.hpp"

namespace bayesloom {

namespace {

constexpr std::size_t id_bits = 10;
constexpr std::size_t most_parents = 12;

/// A set of up to twelve parents: their numbers plus one, ascending, ten bits each.
struct Key {
  std::uint64_t low = 0, high = 0;  // six each

  friend bool operator==(Key const&, Key const&) = default;
};

struct KeyHash {
  std::size_t operator()(Key const& key) const {
    std::uint64_t h = (key.low ^ (key.high * 0x9e3779b97f4a7c15ULL)) * 0xbf58476d1ce4e5b9ULL;
    return static_cast<std::size_t>(h ^ (h >> 31));
  }
};

/// Numbers of parents, ascending, as an array and as a key.
struct Members {
  std::array<std::uint16_t, most_parents> ids{};
  std::size_t count = 0;

  bool contains(std::uint16_t id) const {
    return std::find(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), id) !=
           ids.begin() + static_cast<std::ptrdiff_t>(count);
  }
  Members with(std::uint16_t id) const {
    Members more = *this;
    std::size_t at = count;
    for (; at > 0 && more.ids[at - 1] > id; --at) more.ids[at] = more.ids[at - 1];
    more.ids[at] = id;
    ++more.count;
    return more;
  }
  Members without(std::size_t position) const {
    Members fewer = *this;
    for (std::size_t t = position + 1; t < count; ++t) fewer.ids[t - 1] = fewer.ids[t];
    fewer.ids[--fewer.count] = 0;
    return fewer;
  }
  Key key() const {
    Key key;
    for (std::size_t t = 0; t < count; ++t) {
      std::uint64_t const id = ids[t] + 1U;
      (t < 6 ? key.low : key.high) |= id << (id_bits * (t % 6));
    }
    return key;
  }
};

struct Scored {
  Members members;
  Fixed score, best;  // best: over the set and all its scored subsets
  double states;
};

/// Stands for scored[set] + the parent at `position` of a group; groups are by cardinality.
struct Open {
  bool promising;   // estimated above everything it contains
  double rank;      // among those, the estimate; among the others, how far below it stays
  double uncapped;  // decides among estimates that the bound has cut to one value
  std::uint32_t set;
  std::uint16_t group, position;
  bool refined = false;  // estimated from larger subsets, and not for the first time

  friend bool operator<(Open const& a, Open const& b) {  // the largest comes first from a queue
    if (a.promising != b.promising) return b.promising;
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.uncapped != b.uncapped) return a.uncapped < b.uncapped;
    if (a.set != b.set) return a.set > b.set;
    return a.group != b.group ? a.group > b.group : a.position > b.position;
  }
};

struct Group {
  std::uint32_t cardinality;           // 0: of any cardinality
  std::vector<std::uint16_t> members;  // in the order they are tried
};

}  // namespace

class GrowingSets::Impl {
 public:
  Impl(EncodedData const& data, BitPlanes const& planes, ScoreSpec const& spec, GrowOptions options,
       FamilyBounds const* bounds)
      : data_(data),
        bounds_(bounds),
        entry_(find_score(spec)),
        options_(options),
        refines_(options.strategy == Strategy::independence && options.conditional),
        margin_(static_cast<Fixed>(std::ceil(options.margin * fixed_units_per_nat))),
        counter_(make_counter(spec, data, planes)),
        score_(make_score(spec, data)) {
    if (options.max_parents > most_parents)
      throw InputError("parent sets grow to 12 parents at most.");
  }

  GrowResult run(Variable child, Fixed empty, std::vector<SingleParent> parents,
                 std::function<bool(GrowResult const&)> const& go_on) {
    if (parents.size() > max_grown_parents) throw InputError("at most 1,023 parents can grow.");
    start(child, empty, std::move(parents));
    bool stopped = false;
    while (!open_.empty() && !stopped) {
      Open const next = open_.top();
      open_.pop();
      std::uint16_t const id = groups_[next.group].members[next.position];
      if (!next.refined) push_next(next.set, next.group, next.position + 1U);
      Members const members = scored_[next.set].members.with(id);
      if (index_.contains(members.key())) continue;
      if (refines_ && !next.refined && put_back(next, id)) continue;
      score_set(next.set, id, members);
      stopped = !go_on(result_);
    }
    result_.exhausted = !stopped && open_.empty();
    collect();
    return std::move(result_);
  }

 private:
  void start(Variable child, Fixed empty, std::vector<SingleParent> parents) {
    child_ = child;
    fit_ = most_possible(entry_, data_, child);
    r_ = data_.cardinality(child);
    result_ = {};
    scored_.clear();
    index_.clear();
    open_ = {};
    if (options_.strategy == Strategy::sequential)
      std::sort(parents.begin(), parents.end(),
                [](auto const& a, auto const& b) { return a.parent < b.parent; });
    parents_ = std::move(parents);
    make_groups();
    add({{}, empty, empty, 1});
    if (options_.max_parents == 0) {
      result_.cut = !parents_.empty();
      return;
    }
    for (std::size_t id = 0; id < parents_.size(); ++id) {
      Fixed const score = parents_[id].score;
      add({Members{}.with(static_cast<std::uint16_t>(id)), score, std::max(score, empty),
           static_cast<double>(cardinality(id))});
    }
    for (std::size_t id = 0; id < parents_.size(); ++id)
      open(static_cast<std::uint32_t>(1 + id), std::nullopt);
  }

  std::uint32_t cardinality(std::size_t id) const { return data_.cardinality(parents_[id].parent); }

  void add(Scored set) {
    index_.emplace(set.members.key(), static_cast<std::uint32_t>(scored_.size()));
    scored_.push_back(set);
  }

  void make_groups() {
    groups_.clear();
    bool const by_cardinality = options_.strategy == Strategy::independence;
    for (std::size_t id = 0; id < parents_.size(); ++id) {
      std::uint32_t const c = by_cardinality ? cardinality(id) : 0;
      auto group = std::find_if(groups_.begin(), groups_.end(),
                                [&](Group const& g) { return g.cardinality == c; });
      if (group == groups_.end()) group = groups_.insert(group, {c, {}});
      group->members.push_back(static_cast<std::uint16_t>(id));
    }
  }

  /// Puts a scored set on the open list, unless bounds show that no superset of it can matter.
  void open(std::uint32_t set, std::optional<std::size_t> seen) {
    Scored const& scored = scored_[set];
    double const least = to_nats(scored.best - margin_) - tuning::bound_safety;
    if (seen && score_->bound_counted(r_, *seen, fit_) < least) return;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      std::uint32_t const c = groups_[g].cardinality == 0 ? 2 : groups_[g].cardinality;
      if (bound(scored.states * c, scored.members.count + 1) < least) continue;
      if (score_->gain_bound(to_nats(scored.score), r_, -std::numeric_limits<double>::infinity(), c,
                             scored.states,
                             scored.members.count) < -options_.margin - tuning::bound_safety)
        continue;
      if (scored.members.count < options_.max_parents)
        push_next(set, g, 0);
      else
        result_.cut = result_.cut || scored.members.count + 1 <= parents_.size();
    }
  }

  /// On sets of so many joint states and so many parents, or more.
  double bound(double states, std::size_t size) const {
    return bounds_ ? bounds_->of_size(child_, size) : score_->bound(r_, states, size, fit_);
  }

  void push_next(std::uint32_t set, std::size_t g, std::size_t position) {
    Scored const& scored = scored_[set];
    Group const& group = groups_[g];
    // A pair is reached from its first member only, and in sequence every set is.
    bool const forward = scored.members.count == 1 || options_.strategy == Strategy::sequential;
    std::uint16_t const last = scored.members.ids[scored.members.count - 1];
    if (forward && position == 0)
      position = static_cast<std::size_t>(
          std::upper_bound(group.members.begin(), group.members.end(), last) -
          group.members.begin());
    while (position < group.members.size() && scored.members.contains(group.members[position]))
      ++position;
    if (position >= group.members.size()) return;
    std::uint16_t const id = group.members[position];
    double const uncapped = estimate(scored, id);
    Open entry{true,
               uncapped,
               uncapped,
               set,
               static_cast<std::uint16_t>(g),
               static_cast<std::uint16_t>(position)};
    if (options_.strategy == Strategy::independence)
      place(entry, uncapped, id, scored, std::max(scored.best, parents_[id].score));
    open_.push(entry);
  }

  /// Estimates a set whose turn has come once more, from its larger subsets; if that places it
  /// lower, it goes back to the open list.
  bool put_back(Open const& next, std::uint16_t id) {
    Scored const& scored = scored_[next.set];
    if (scored.members.count < 2) return false;
    double const whole = score_->interaction(r_, scored.states, cardinality(id));
    double sum = 0;
    int terms = 0;
    Fixed best = std::max(scored.best, parents_[id].score);
    for (std::size_t t = 0; t < scored.members.count; ++t) {
      Members const rest = scored.members.without(t);
      auto const exchanged = index_.find(rest.with(id).key());
      auto const fewer = index_.find(rest.key());
      if (exchanged == index_.end() || fewer == index_.end()) continue;
      best = std::max(best, scored_[exchanged->second].best);
      Scored const& base = scored_[fewer->second];
      sum += to_nats(scored.score + scored_[exchanged->second].score - base.score) -
             score_->interaction(r_, base.states, cardinality(id));
      ++terms;
    }
    if (terms == 0) return false;
    Open entry = next;
    place(entry, std::min(next.uncapped, sum / terms + whole), id, scored, best);
    entry.refined = true;
    if (!(entry < next)) return false;
    open_.push(entry);
    return true;
  }

  void place(Open& entry, double estimate, std::uint16_t id, Scored const& scored,
             Fixed best) const {
    entry.uncapped = estimate;
    entry.rank =
        std::min(estimate, bound(scored.states * cardinality(id), scored.members.count + 1));
    entry.promising = entry.rank > to_nats(best);
    if (!entry.promising) entry.rank -= to_nats(best);
  }

  double estimate(Scored const& scored, std::uint16_t id) const {
    switch (options_.strategy) {
      case Strategy::greedy:
        return to_nats(scored.score);
      case Strategy::sequential:
        return -static_cast<double>(scored.members.count);
      case Strategy::independence:
        break;
    }
    return to_nats(scored.score + parents_[id].score - scored_[0].score) +
           score_->interaction(r_, scored.states, cardinality(id));
  }

  void score_set(std::uint32_t from, std::uint16_t id, Members const& members) {
    go_to(scored_[from].members);
    counter_.push(parents_[id].parent);
    counter_.family(child_, parent_cells_, family_cells_);
    counter_.pop();
    Fixed const score = score_->local_score(family_cells_, parent_cells_, r_);
    if (!is_score(score)) {  // nor has any set that contains it
      ++result_.scored;
      add({members, score, score, 0});
      return;
    }
    Fixed best = score;
    for (std::size_t t = 0; t < members.count; ++t) {
      auto const subset = index_.find(members.without(t).key());
      if (subset != index_.end()) best = std::max(best, scored_[subset->second].best);
    }
    double const states = scored_[from].states * cardinality(id);
    ++result_.scored;
    if (score >= best) result_.last_improvement = result_.scored;  // not dominated so far
    auto const set = static_cast<std::uint32_t>(scored_.size());
    add({members, score, best, states});
    open(set, family_cells_.seen());
  }

  void go_to(Members const& members) {
    std::size_t common = 0;
    while (common < stack_.size() && common < members.count &&
           stack_[common] == parents_[members.ids[common]].parent)
      ++common;
    for (; stack_.size() > common; stack_.pop_back()) counter_.pop();
    for (; common < members.count; ++common) {
      stack_.push_back(parents_[members.ids[common]].parent);
      counter_.push(stack_.back());
    }
  }

  /// Keeps what no scored subset beats by more than the margin.
  void collect() {
    for (; !stack_.empty(); stack_.pop_back()) counter_.pop();
    std::vector<Variable> set;
    for (auto const& scored : scored_) {
      if (beaten(scored)) continue;
      set.clear();
      for (std::size_t t = 0; t < scored.members.count; ++t)
        set.push_back(parents_[scored.members.ids[t]].parent);
      std::sort(set.begin(), set.end());
      result_.kept.add(scored.score, set);
    }
  }

  bool beaten(Scored const& scored) const {
    std::size_t const k = scored.members.count;
    Fixed const least = scored.score + margin_;
    for (std::size_t mask = 0; mask + 1 < (std::size_t{1} << k); ++mask) {
      Members subset;
      for (std::size_t t = 0; t < k; ++t)
        if ((mask >> t) & 1U) subset.ids[subset.count++] = scored.members.ids[t];
      auto const found = index_.find(subset.key());
      if (found != index_.end() && scored_[found->second].score > least) return true;
    }
    return false;
  }

  EncodedData const& data_;
  FamilyBounds const* const bounds_;
  ScoreEntry const& entry_;
  double fit_ = 0;  // no local score of the child is above this
  GrowOptions const options_;
  bool const refines_;
  Fixed const margin_;
  SetCounter counter_;
  std::unique_ptr<Score> score_;
  Variable child_ = 0;
  std::uint32_t r_ = 0;
  std::vector<SingleParent> parents_;  // numbers of parents are positions here
  std::vector<Group> groups_;
  std::vector<Scored> scored_;  // the empty set, the single parents, then what was grown
  std::unordered_map<Key, std::uint32_t, KeyHash> index_;
  std::priority_queue<Open> open_;
  Cells parent_cells_, family_cells_;
  std::vector<Variable> stack_;
  GrowResult result_;
};

GrowingSets::GrowingSets(EncodedData const& data, BitPlanes const& planes, ScoreSpec const& spec,
                         GrowOptions options, FamilyBounds const* bounds)
    : impl_(std::make_unique<Impl>(data, planes, spec, options, bounds)) {}
GrowingSets::~GrowingSets() = default;

GrowResult GrowingSets::run(Variable child, Fixed empty, std::vector<SingleParent> parents,
                            std::function<bool(GrowResult const&)> const& go_on) {
  return impl_->run(child, empty, std::move(parents), go_on);
}

}  // namespace bayesloom
