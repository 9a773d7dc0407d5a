#include "parent_sets/child_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/errors.hpp"
#include "data/row_classes.hpp"
#include "parent_sets/looks.hpp"
#include "score/cell_bounds.hpp"
#include "score/cell_sum.hpp"

namespace bayesloom {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

std::vector<std::uint16_t> states_of(Column const& column) {
  return std::visit(
      [](auto const& states) { return std::vector<std::uint16_t>(states.begin(), states.end()); },
      column);
}

/// Rows of one parent set by parent state: cells that parents to come can split; of the others, those
/// that were settled by the last parent.
struct Partition {
  std::vector<AtomItem> items;
  std::vector<std::uint32_t> begin, end;  // cell c holds items[begin[c] .. end[c])
  std::vector<double> bounds;             // what cell c can add
  std::vector<std::uint32_t> pure;        // rows of cells of one atom with one child state
  std::uint32_t ones = 0;                 // further such cells, of one row each
  std::vector<AtomItem> mixed;            // cells of one atom with several child states
  std::size_t settled = 0;                // cells settled by all parents
  double bound = 0;        // what all cells can add to a proper superset: the sum of what each can
  double tight = 0;        // the same at most, where a set before says more: not to be added to
  double mixed_bound = 0;  // what the mixed cells settled by all parents can

  void clear() {
    items.clear();
    begin.clear();
    end.clear();
    bounds.clear();
    pure.clear();
    mixed.clear();
    ones = 0;
    settled = 0;
    bound = tight = mixed_bound = 0;
  }
};

/// Sets that beat all their subsets, by least number, best first.
class BestSets {
 public:
  explicit BestSets(std::size_t numbers) : words_((numbers + 63) / 64), lists_(numbers) {}

  /// The best score of a set within `mask` with least number v, or `at_least` if none is above it.
  Fixed best(std::size_t v, std::span<std::uint64_t const> mask, Fixed at_least) const {
    List const& list = lists_[v];
    for (std::size_t x = 0; x < list.scores.size() && list.scores[x] > at_least; ++x) {
      bool within = true;
      for (std::size_t w = 0; w < words_ && within; ++w)
        within = (list.masks[x * words_ + w] & ~mask[w]) == 0;
      if (within) return list.scores[x];
    }
    return at_least;
  }

  void add(std::size_t v, std::span<std::uint64_t const> mask, Fixed score) {
    List& list = lists_[v];
    auto const at = std::ranges::lower_bound(list.scores, score, std::greater<>());
    auto const x = (at - list.scores.begin()) * static_cast<std::ptrdiff_t>(words_);
    list.scores.insert(at, score);
    list.masks.insert(list.masks.begin() + x, mask.begin(), mask.end());
  }

 private:
  struct List {
    std::vector<Fixed> scores;
    std::vector<std::uint64_t> masks;
  };
  std::size_t words_;
  std::vector<List> lists_;
};

class ChildSearch {
 public:
  ChildSearch(EncodedData const& data, ScoreSpec const& spec, ExhaustiveOptions const& options,
              std::span<Variable const> useful, Variable child, Control& control)
      : data_(data),
        options_(options),
        control_(control),
        child_(child),
        r_(data.cardinality(child)),
        margin_(static_cast<Fixed>(std::ceil(options.margin * fixed_units_per_nat))),
        score_(make_score(spec, data)),
        bounds_(score_->cell_bounds(r_)),
        numbered_(by_joint_entropy(useful)),
        n_(numbered_.size()),
        classes_(data, numbered_),
        best_sets_(n_),
        mask_((n_ + 63) / 64, 0),
        partitions_(n_ + 1),
        totals_(r_, 0),
        step_(countings_between_looks(data, tuning::sets_between_looks)) {
    // Rounding: of each term of a score, to fine units; and of sums of N ln N in doubles.
    double const rows = data.row_count();
    slack_ =
        tuning::bound_safety +
        2 * static_cast<double>(data.unique_row_count()) * FineUnit(data.row_count(), 710).nats() +
        std::ldexp(rows * std::log(rows + 2), -48);
    std::uint32_t most = 1;
    for (Variable const v : numbered_) {
      columns_.push_back(states_of(data.column(v)));
      most = std::max(most, data.cardinality(v));
      least_.push_back(std::min(least_.empty() ? 65535U : least_.back(), data.cardinality(v)));
    }
    places_.resize(most);
    limit_ = std::min(n_, options.max_parents.value_or(n_));
  }

  ChildResult run() {
    start();
    visit(0, n_, 1, std::numeric_limits<Fixed>::min());
    return std::move(result_);
  }

 private:
  struct Place {
    std::uint32_t count = 0, first = 0, next = 0, atom = 0, kind = none;
  };

  /// In the order of child_search.hpp: each next number is the variable that leaves the least entropy of all so far.
  std::vector<Variable> by_joint_entropy(std::span<Variable const> useful) const {
    std::vector<Variable> left;
    for (Variable const v : useful)
      if (v != child_) left.push_back(v);
    std::vector<std::vector<std::uint16_t>> columns;
    std::uint32_t most = 1;
    for (Variable const v : left) {
      columns.push_back(states_of(data_.column(v)));
      most = std::max(most, data_.cardinality(v));
    }
    // Rows that agree on all numbers so far, group by group; those that agree with no other row are done with.
    std::vector<std::uint32_t> rows(data_.unique_row_count());
    std::vector<std::uint32_t> ends{static_cast<std::uint32_t>(rows.size())};
    std::iota(rows.begin(), rows.end(), 0U);
    std::vector<double> counts(most, 0.0);
    std::vector<Variable> numbered;
    std::vector<std::uint32_t> kept, kept_ends;
    while (!left.empty()) {
      double least = infinity;
      std::size_t chosen = 0;
      for (std::size_t x = 0; x < left.size(); ++x) {
        if (control_.should_stop(0)) {  // any order is right, and nothing will be looked at
          numbered.insert(numbered.end(), left.begin(), left.end());
          return numbered;
        }
        double entropy = 0;  // but for a constant
        std::uint32_t begin = 0;
        for (auto const end : ends) {
          for (auto u = begin; u < end; ++u)
            counts[columns[x][rows[u]]] += data_.weights()[rows[u]];
          for (auto u = begin; u < end; ++u)
            if (double const count = std::exchange(counts[columns[x][rows[u]]], 0.0); count > 0)
              entropy -= count * std::log(count);
          begin = end;
        }
        if (entropy < least) {
          least = entropy;
          chosen = x;
        }
      }
      auto const& column = columns[chosen];
      kept.clear();
      kept_ends.clear();
      std::uint32_t begin = 0;
      for (auto const end : ends) {
        auto const group = std::span(rows).subspan(begin, end - begin);
        std::ranges::stable_sort(group, {}, [&](std::uint32_t u) { return column[u]; });
        for (std::size_t first = 0, last = 0; first < group.size(); first = last) {
          while (last < group.size() && column[group[last]] == column[group[first]]) ++last;
          if (last == first + 1) continue;
          kept.insert(kept.end(), group.begin() + static_cast<std::ptrdiff_t>(first),
                      group.begin() + static_cast<std::ptrdiff_t>(last));
          kept_ends.push_back(static_cast<std::uint32_t>(kept.size()));
        }
        begin = end;
      }
      std::swap(rows, kept);
      std::swap(ends, kept_ends);
      numbered.push_back(left[chosen]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
      columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    return numbered;
  }

  /// The partition of the empty set: one cell.
  void start() {
    auto const states = states_of(data_.column(child_));
    auto const classes = classes_.classes(n_);
    Partition& root = partitions_.front();
    Place place;
    root.items.resize(data_.unique_row_count());
    for (auto const u : classes_.order())
      append(root, place, classes[u], {u, data_.weights()[u], states[u], true});
    bounds_->start(1, 1, n_ > 0 ? least_.back() : 1);
    double itself = 0;
    close(root, place, root.bound, itself);
    root.tight = root.bound;
  }

  /// Adds rows to a cell whose last rows were of class `place.kind`.
  static void append(Partition& to, Place& place, std::uint32_t kind, AtomItem item) {
    if (kind == place.kind) {
      std::uint32_t at = place.atom;
      while (at < place.next && to.items[at].value != item.value) ++at;
      if (at < place.next) {
        to.items[at].weight += item.weight;
        return;
      }
      item.opens = false;
    } else {
      place.atom = place.next;
      place.kind = kind;
      item.opens = true;
    }
    to.items[place.next++] = item;
  }

  /// Takes a cell in, settled if it is one atom, and adds what it can add to `bound` and `itself`.
  void close(Partition& to, Place const& place, double& bound, double& itself) {
    auto const items = std::span(to.items).subspan(place.first, place.next - place.first);
    bool const settled = place.atom == place.first;
    if (settled) ++to.settled;
    if (settled && items.size() == 1) {
      if (items.front().weight > 1)
        to.pure.push_back(items.front().weight);
      else
        ++to.ones;
      double const most = bounds_->pure(items.front().weight);
      bound += most;
      itself += most;
      return;
    }
    double const most = bounds_->cell(items);
    bound += most;
    itself += bounds_->itself();
    if (settled) {
      to.mixed.insert(to.mixed.end(), items.begin(), items.end());
      to.mixed_bound += most;
    } else {
      to.begin.push_back(place.first);
      to.end.push_back(place.next);
      to.bounds.push_back(most);
    }
  }

  /// `to` = the cells of `from`, each split by the states of number v, when only numbers below v
  /// are to come. False, and half made, if neither that set nor one that follows can score `least` nats.
  bool split(Partition const& from, std::size_t v, double states, double least, Partition& to) {
    to.clear();
    to.settled = from.settled;
    to.bound = from.bound;
    to.items.resize(from.items.size());
    bounds_->start(states, from.settled + from.begin.size(), v > 0 ? least_[v - 1] : 1);
    double const reach = least - slack_ - bounds_->whole(states);
    double const reach_more =
        v > 0 ? least - slack_ - bounds_->whole(states * least_[v - 1]) : infinity;
    // Of the set itself, which is a proper superset of the one before, and of its own proper supersets: a cell that
    // was not looked at yet adds what it can add to those of the set before.
    double alone = from.bound, more = from.bound;
    auto const out_of_reach = [&] {
      return options_.prune && std::min(alone, from.tight) < reach &&
             std::min(more, from.tight) < reach_more;
    };
    // Mixed cells that are settled lose with every parent, since the prior of a cell shrinks.
    double bound = 0, itself = 0;
    for (Partition const* above = partitions_.data(); above <= &from; ++above)
      for (std::size_t first = 0; first < above->mixed.size();) {
        std::size_t last = first + 1;
        while (last < above->mixed.size() && !above->mixed[last].opens) ++last;
        bound += bounds_->cell(std::span(above->mixed).subspan(first, last - first));
        itself += bounds_->itself();
        first = last;
      }
    to.mixed_bound = std::min(bound, from.mixed_bound);
    to.bound += to.mixed_bound - from.mixed_bound;
    more = to.bound;
    alone += std::min(0.0, itself - from.mixed_bound);
    if (out_of_reach()) return false;
    auto const* const column = columns_[v].data();
    auto const* const classes = classes_.classes(v).data();
    std::uint32_t free = 0;
    for (std::size_t c = 0; c < from.begin.size(); ++c) {
      met_.clear();
      for (std::uint32_t i = from.begin[c]; i < from.end[c]; ++i) {
        auto const x = column[from.items[i].row];
        if (places_[x].count++ == 0) met_.push_back(x);
      }
      for (auto const x : met_) {
        Place& place = places_[x];
        place.first = place.next = place.atom = free;
        place.kind = none;
        free += place.count;
      }
      for (std::uint32_t i = from.begin[c]; i < from.end[c]; ++i) {
        AtomItem const& item = from.items[i];
        append(to, places_[column[item.row]], classes[item.row], item);
      }
      bound = itself = 0;
      for (auto const x : met_) {
        close(to, places_[x], bound, itself);
        places_[x].count = 0;
      }
      // What holds of the whole cell holds of its parts together, here: a part that is split later is measured against
      // what that part could add, so the sum of all is carried on without it.
      to.bound += bound - from.bounds[c];
      more += std::min(0.0, bound - from.bounds[c]);
      alone += std::min(0.0, itself - from.bounds[c]);
      if (out_of_reach()) return false;
    }
    to.tight = std::min({from.tight, more, to.bound});
    return true;
  }

  /// Counts of the parent set and of the family.
  void count(double states, std::size_t size) {
    parents_.counts.clear();
    family_.counts.clear();
    parents_.ones = 0;
    for (std::size_t above = 0; above <= size; ++above) {
      Partition const& settled = partitions_[above];
      parents_.ones += settled.ones;
      parents_.counts.insert(parents_.counts.end(), settled.pure.begin(), settled.pure.end());
    }
    family_.ones = parents_.ones;
    family_.counts = parents_.counts;
    for (std::size_t above = 0; above <= size; ++above)
      for (auto const& item : partitions_[above].mixed) {
        if (item.opens) parents_.counts.push_back(0);
        parents_.counts.back() += item.weight;
        family_.counts.push_back(item.weight);
      }
    Partition const& partition = partitions_[size];
    for (std::size_t c = 0; c < partition.begin.size(); ++c) {
      std::uint32_t rows = 0;
      values_.clear();
      for (std::uint32_t i = partition.begin[c]; i < partition.end[c]; ++i) {
        AtomItem const& item = partition.items[i];
        rows += item.weight;
        if (totals_[item.value] == 0) values_.push_back(item.value);
        totals_[item.value] += item.weight;
      }
      parents_.counts.push_back(rows);
      for (auto const value : values_) {
        family_.counts.push_back(totals_[value]);
        totals_[value] = 0;
      }
    }
    parents_.states = states;
    parents_.variables = size;
    family_.states = states * r_;
    family_.variables = size + 1;
  }

  /// The set of `members_`, partitioned, and all that follow from it by adding numbers below k.
  /// `best` is the best score of its proper subsets.
  void visit(std::size_t size, std::size_t k, double states, Fixed best) {
    Partition const& partition = partitions_[size];
    count(states, size);
    Fixed const score = score_->local_score(family_, parents_, r_);
    ++result_.scored;
    if (size == 0 || score >= best - margin_) keep(score);
    if (size > 0 && score > best) best_sets_.add(k, mask_, score);
    best = std::max(best, score);
    double const least = to_nats(best) - options_.margin;
    if (k == 0) return;
    if (options_.prune && partition.tight + bounds_->whole(states * least_[k - 1]) + slack_ < least)
      return;
    if (size == limit_) {
      result_.cut = true;
      return;
    }
    for (std::size_t v = 0; v < k && !control_.stopped(); ++v) {
      if (++tried_ % step_ == 0 && control_.should_stop(step_)) return;
      mask_[v / 64] |= std::uint64_t{1} << (v % 64);
      Fixed const best_subset = best_sets_.best(v, mask_, best);
      double const more = states * data_.cardinality(numbered_[v]);
      if (split(partition, v, more, to_nats(best_subset) - options_.margin,
                partitions_[size + 1])) {
        members_.push_back(numbered_[v]);
        visit(size + 1, v, more, best_subset);
        members_.pop_back();
      }
      mask_[v / 64] &= ~(std::uint64_t{1} << (v % 64));
    }
  }

  void keep(Fixed score) {
    sorted_.assign(members_.begin(), members_.end());
    std::ranges::sort(sorted_);
    result_.kept.add(score, sorted_);
    bytes_ += sizeof(Fixed) + sizeof(std::size_t) + sorted_.size() * sizeof(Variable);
    if (options_.memory_bytes > 0 && static_cast<double>(bytes_) > options_.memory_bytes)
      throw ResourceError("the parent sets of one of " + std::to_string(n_ + 1) +
                          " variables that may matter take more than the " +
                          std::to_string(static_cast<long long>(options_.memory_bytes / 1e6)) +
                          " MB allowed. Set max_parents, or allow more memory.");
  }

  EncodedData const& data_;
  ExhaustiveOptions const& options_;
  Control& control_;
  Variable const child_;
  std::uint32_t const r_;
  Fixed const margin_;
  std::unique_ptr<Score> score_;
  std::unique_ptr<CellBounds> bounds_;
  std::vector<Variable> const numbered_;  // the variable of each number
  std::size_t const n_;
  RowClasses const classes_;
  std::vector<std::vector<std::uint16_t>> columns_;  // by number
  std::vector<std::uint32_t> least_;                 // states of the numbers 0 .. k, the fewest
  BestSets best_sets_;
  std::vector<std::uint64_t> mask_;  // numbers of the set being visited
  std::vector<Variable> members_, sorted_;
  std::vector<Partition> partitions_;  // by size
  std::vector<Place> places_;          // one entry per state of a parent; counts 0 between calls
  std::vector<std::uint16_t> met_, values_;
  std::vector<std::uint32_t> totals_;  // one entry per state of the child; 0 between calls
  Cells parents_, family_;
  std::size_t limit_ = 0;
  std::size_t const step_;
  std::uint64_t tried_ = 0;
  double slack_ = 0;
  std::size_t bytes_ = 0;
  ChildResult result_;
};

}  // namespace

ChildResult search_child(EncodedData const& data, ScoreSpec const& spec,
                         ExhaustiveOptions const& options, std::span<Variable const> useful,
                         Variable child, Control& control) {
  return ChildSearch(data, spec, options, useful, child, control).run();
}

}  // namespace bayesloom
