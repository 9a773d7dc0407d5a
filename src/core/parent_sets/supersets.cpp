#include "parent_sets/supersets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "data/bit_planes.hpp"
#include "data/set_counter.hpp"
#include "parent_sets/tuning.hpp"

namespace bayesloom {

namespace {

class Supersets {
 public:
  Supersets(EncodedData const& data, ScoreSpec const& spec, Variable child,
            ParentRules const& rules, double margin, Control& control)
      : data_(data),
        planes_(data),
        child_(child),
        rules_(rules),
        margin_(margin),
        control_(control),
        score_(make_score(spec, data)),
        parents_(make_counter(spec, data, planes_)),
        family_(make_counter(spec, data, planes_)),
        bounds_(make_bounds(spec, data)),
        fit_(most_possible(find_score(spec), data, child)) {
    ScoreEntry const& entry = find_score(spec);
    possible_ = std::ranges::all_of(
        rules.required, [&](Variable p) { return may_be_parent(entry, data, child, p); });
    for (std::size_t v = 0; v < data.variable_count(); ++v) {
      auto const y = static_cast<Variable>(v);
      // As in `exhaustive`, a variable with one state has no edges that are not required.
      if (y != child && data.cardinality(child) > 1 && data.cardinality(y) > 1 &&
          !std::ranges::binary_search(rules.required, y) &&
          !std::ranges::binary_search(rules.forbidden, y) && may_be_parent(entry, data, child, y))
        free_.push_back(y);
    }
    for (Variable const p : rules.required) {
      parents_.push(p);
      family_.push(p);
      states_ *= data.cardinality(p);
    }
    family_.push(child);
  }

  SupersetResult run() {
    read();
    keep({}, no_score, states_);
    std::size_t from = 0;
    while (from < store_.size() && !control_.stopped()) {
      std::size_t const to = store_.size();
      if (rules_.required.size() + store_.list().set(from).size() >= rules_.most) {
        for (std::size_t i = from; i < to; ++i) cut_ = cut_ || (grows_[i] && !free_.empty());
        break;
      }
      for (std::size_t i = from; i < to && !control_.stopped(); ++i)
        if (grows_[i]) grow(i);
      from = to;
    }
    SupersetResult result;
    result.complete = !control_.stopped();
    result.cut = cut_;
    for (std::size_t i = 0; i < store_.size(); ++i) {
      if (best_[i] - static_cast<Fixed>(std::ceil(margin_ * fixed_units_per_nat)) > store_.score(i))
        continue;
      auto const extra = store_.list().set(i);
      std::vector<Variable> set(rules_.required);
      set.insert(set.end(), extra.begin(), extra.end());
      std::ranges::sort(set);
      result.candidates.add(store_.score(i), set);
    }
    return result;
  }

 private:
  /// All sets with one more parent, behind the last of this one, none of whose subsets is closed.
  void grow(std::size_t number) {
    auto const span = store_.list().set(number);
    std::vector<Variable> const set(span.begin(), span.end());
    double states = states_;
    family_.pop();
    for (Variable const p : set) {
      parents_.push(p);
      family_.push(p);
      states *= data_.cardinality(p);
    }
    family_.push(child_);
    auto const first = set.empty() ? free_.begin() : std::ranges::upper_bound(free_, set.back());
    for (auto y = first; y != free_.end() && !control_.should_stop(); ++y) {
      auto more = set;
      more.push_back(*y);
      Fixed best = best_[number];
      if (!open(more, best)) continue;
      if (parents_.by_family()) {
        parents_.push(*y);
        read();
        parents_.pop();
      } else {
        parents_.cells_with(*y, parent_cells_);
        family_.cells_with(*y, family_cells_);
      }
      keep(more, best, states * data_.cardinality(*y));
    }
    family_.pop();
    for (std::size_t k = 0; k < set.size(); ++k) {
      parents_.pop();
      family_.pop();
    }
    family_.push(child_);
  }

  /// The set on the stack.
  void read() {
    if (parents_.by_family()) {
      parents_.family(child_, parent_cells_, family_cells_);
    } else {
      parents_.cells(parent_cells_);
      family_.cells(family_cells_);
    }
  }

  /// Whether every set with one parent less was scored and may grow; raises `best` to their best.
  bool open(std::vector<Variable> const& set, Fixed& best) const {
    for (std::size_t k = 0; k + 1 < set.size(); ++k) {
      auto fewer = set;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      std::size_t const number = store_.find(fewer);
      if (number == SetStore::none || !grows_[number]) return false;
      best = std::max(best, best_[number]);
    }
    return true;
  }

  void keep(std::vector<Variable> const& set, Fixed best, double states) {
    std::uint32_t const r = data_.cardinality(child_);
    Fixed const score = score_->local_score(family_cells_, parent_cells_, r);
    if (!is_score(score) || !possible_) {
      if (set.empty())
        throw InfeasibleError(
            "cannot have the parents that are required: they have no score, because they determine "
            "it or each other, are of a kind it cannot have, or too few rows have values of all.");
      cut_ =
          cut_ || (possible_ && score_->may_grow(family_cells_));  // sets beyond are not looked at
      return;
    }
    store_.add(set, score);
    best_.push_back(std::max(best, score));
    double const least = to_nats(best_.back()) - margin_ - tuning::bound_safety;
    std::size_t const size = rules_.required.size() + set.size() + 1;
    double const bound =
        bounds_ ? bounds_->of_size(child_, size) : score_->bound(r, states * 2, size, fit_);
    grows_.push_back(bound >= least &&
                     score_->bound_counted(r, family_cells_.seen(), fit_) >= least);
  }

  EncodedData const& data_;
  BitPlanes const planes_;
  Variable const child_;
  ParentRules const& rules_;
  double const margin_;
  Control& control_;
  std::unique_ptr<Score> score_;
  SetCounter parents_, family_;  // stacks: R + S, and R + S + child
  std::unique_ptr<FamilyBounds const> bounds_;
  double const fit_;            // no local score is above this
  bool possible_ = true;        // whether the score allows R
  std::vector<Variable> free_;  // what may be added to R
  double states_ = 1;           // joint states of R
  Cells parent_cells_, family_cells_;
  SetStore store_;           // sets S, by size; parents R + S
  std::vector<Fixed> best_;  // over the set and its subsets
  std::vector<bool> grows_;
  bool cut_ = false;
};

}  // namespace

SupersetResult supersets(EncodedData const& data, ScoreSpec const& spec, Variable child,
                         ParentRules const& rules, double margin, Control& control) {
  make_score(spec, data);  // refuses a table of other kinds
  if (child >= data.variable_count())
    throw InputError("there is no variable " + std::to_string(child) + ".");
  if (!rules.allow(rules.required) || std::ranges::binary_search(rules.required, child))
    throw InputError("the rules for variable " + std::to_string(child) + " contradict each other.");
  if (!(margin >= 0)) throw InputError("the margin must be 0 or more.");
  return Supersets(data, spec, child, rules, margin, control).run();
}

}  // namespace bayesloom
