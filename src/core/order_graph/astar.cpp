// Best-first search on the order graph [yuan2013].
//
// A node is a set U of placed members with g(U), the least loss of placing them found so far. Nodes
// are taken in order of f = g + h, where h, the larger of two, never exceeds the loss of placing the
// rest:
//
//   pattern databases   exact inside groups of members                  (subsets/pattern_database.hpp)
//   dual prices         cycles anywhere, priced at the start            (dual/remaining_bound.hpp)
//
// The dual bound is expensive, so it is computed only when a node is taken from the open list; the node goes back
// if its f has risen. With inequalities of four this bound is not consistent: a node may be reached by a better path
// after its expansion, and is then expanded again.
//
// If the best candidate of a member has all its parents placed, that member is placed at once and no other successor
// is tried: it loses nothing, and placing it can only help the others.
//
// Before the search, reduced-cost fixing removes candidates that no better network can use, and the rest is split
// into components (by_component.hpp).
#include <algorithm>
#include <string>
#include <vector>

#include "base/set_table.hpp"
#include "order_graph/by_component.hpp"
#include "order_graph/order_graph.hpp"
#include "subsets/pattern_database.hpp"

namespace bayesloom {

using namespace order_graph;

namespace {

/// What is known of a set that was reached: g, the member placed last, and whether it was bounded or expanded.
struct Reached {
  Fixed loss;
  std::uint8_t last;
  bool expanded, bounded;
  friend constexpr bool operator==(Reached const& a, Reached const& b) { return a.loss == b.loss; }
};

struct Open {
  Fixed f;
  Fixed g;
  VarSet set;
};

/// Least f first; among equals the one with most placed, then the lowest set.
bool later(Open const& a, Open const& b) {
  if (a.f != b.f) return a.f > b.f;
  if (a.set.size() != b.set.size()) return a.set.size() < b.set.size();
  return a.set > b.set;
}

class Astar {
 public:
  Astar(Component const& component, ComponentResult const& known, AstarOptions const& options,
        dual::RemainingBound remaining, Control& control)
      : component_(component),
        known_(known),
        options_(options),
        control_(control),
        patterns_(component.lists, tied_groups(component.lists, options.preparation.pattern_size),
                  control),
        remaining_(std::move(remaining)) {}

  ComponentResult run() {
    VarSet const all = component_.all();
    reached_[{}].loss = 0;
    open_.push_back({patterns_(all), 0, {}});
    while (!open_.empty()) {
      Open const node = open_.front();
      if (node.f >= known_.loss) return proved(known_);
      if (stop_now()) return stopped(node.f);
      std::pop_heap(open_.begin(), open_.end(), later);
      open_.pop_back();
      auto& entry = reached_[node.set];
      if (entry.expanded || node.g > entry.loss) continue;
      if (node.set == all) return read_off();
      if (!entry.bounded) {
        entry.bounded = true;
        Fixed const f = node.g - remaining_.of(node.set);
        if (f > node.f) {
          push({f, node.g, node.set});
          continue;
        }
      }
      entry.expanded = true;
      expand(node);
    }
    return proved(known_);  // every way to a better network was cut off
  }

 private:
  static constexpr std::size_t sets_at_once = max_members;  // an expansion reaches no more

  bool stop_now() {
    if (control_.should_stop(1)) return true;
    if (options_.memory_bytes <= 0) return false;
    double const heap = static_cast<double>(
        (open_.size() + sets_at_once > open_.capacity() ? 3 : 1) * open_.capacity() * sizeof(Open));
    return reached_.bytes_with(sets_at_once) + heap + patterns_.bytes() > options_.memory_bytes;
  }

  void push(Open const& node) {
    if (node.f >= known_.loss) return;
    open_.push_back(node);
    std::push_heap(open_.begin(), open_.end(), later);
  }

  void expand(Open const& node) {
    VarSet const all = component_.all();
    for (std::size_t const x : all - node.set) {
      auto const& list = component_.lists[x];
      if (!node.set.contains_all(list.front().parents)) continue;
      place(node, x, list.front());
      return;
    }
    for (std::size_t const x : all - node.set) {
      if (auto const* const best = best_within(component_.lists[x], node.set))
        place(node, x, *best);
    }
  }

  void place(Open const& node, std::size_t x, MemberCandidate const& candidate) {
    VarSet const set = node.set.with(x);
    Fixed const g = node.g + candidate.loss;
    Fixed const f = std::max(node.f, g + patterns_(component_.all() - set));
    if (f >= known_.loss) return;
    auto& entry = reached_[set];
    if (g >= entry.loss) return;
    entry.loss = g;
    entry.last = static_cast<std::uint8_t>(x);
    entry.bounded = false;
    entry.expanded = false;  // inequalities of four are not consistent: it may come again
    push({f, g, set});
  }

  ComponentResult read_off() {
    ComponentResult out;
    out.candidates.resize(component_.size());
    for (VarSet set = component_.all(); !set.empty();) {
      std::size_t const x = reached_[set].last;
      set.erase(x);
      auto const* const candidate = best_within(component_.lists[x], set);
      out.candidates[x] = candidate->index;
      out.loss += candidate->loss;
    }
    return proved(out);
  }

  static ComponentResult proved(ComponentResult result) {
    result.bound = result.loss;
    return result;
  }

  /// No open node has a smaller f, so no network loses less.
  ComponentResult stopped(Fixed least_f) const {
    ComponentResult out = known_;
    out.bound = std::min(known_.loss, std::max(least_f, known_.bound));
    return out;
  }

  Component const& component_;
  ComponentResult const& known_;
  AstarOptions const& options_;
  Control& control_;
  PatternDatabase patterns_;
  dual::RemainingBound remaining_;
  SetTable<Reached, Reached{no_candidate, 0, false, false}> reached_;
  std::vector<Open> open_;
};

}  // namespace

SolveResult astar(ScoreCache const& cache, AstarOptions const& options, Control& control) {
  check_preparation(options.preparation);
  return solve_prepared(cache, options.start, "astar", options.preparation, control,
                        [&](Component const& component, ComponentResult const& known,
                            dual::RemainingBound const& remaining) {
                          return Astar(component, known, options, remaining, control).run();
                        });
}

}  // namespace bayesloom
