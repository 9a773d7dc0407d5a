// Best-first search on the order graph [yuan2013], by all threads.
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
// Nodes are split by hash into parts, each with an open list of its own [kishimoto2009], and are taken in rounds. In a
// round every part takes some of its nodes of least f, which is a task, and keeps what they reach in a list for each
// part; then every part takes up the lists meant for it, in the order of the parts they come from. So the search does
// not depend on the number of threads. A full set that was reached is the best network once no open node has a smaller f.
//
// Before the search, reduced-cost fixing removes candidates that no better network can use, and the rest is split
// into components (by_component.hpp).
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "base/set_table.hpp"
#include "order_graph/by_component.hpp"
#include "order_graph/order_graph.hpp"
#include "order_graph/tuning.hpp"
#include "subsets/pattern_database.hpp"

namespace bayesloom {

using namespace order_graph;

namespace {

using tuning::astar_parts;

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

/// A node that was reached by placing a member.
struct Placed {
  Open node;
  std::uint8_t last;
};

/// Least f first; among equals the one with most placed, then the lowest set.
bool later(Open const& a, Open const& b) {
  if (a.f != b.f) return a.f > b.f;
  if (a.set.size() != b.set.size()) return a.set.size() < b.set.size();
  return a.set > b.set;
}

/// Which part a set belongs to: by bits of its hash that the tables do not use.
std::size_t part_of(VarSet set) { return (hash_of(set) >> 48) % astar_parts; }

class Astar {
 public:
  Astar(Component const& component, ComponentResult const& known, AstarOptions const& options,
        dual::RemainingBound const& remaining, Control& control)
      : component_(component),
        known_(known),
        options_(options),
        control_(control),
        patterns_(component.lists, tied_groups(component.lists, options.preparation.pattern_size),
                  control),
        remaining_(remaining),
        workers_(thread_count(options.threads)),
        limit_(known.loss) {}

  ComponentResult run() {
    auto& root = parts_[part_of({})];
    root.reached[{}].loss = 0;
    root.push({patterns_(component_.all()), 0, {}});
    for (;;) {
      Fixed least = no_candidate;
      for (auto const& part : parts_)
        if (!part.open.empty()) least = std::min(least, part.open.front().f);
      if (least >= limit_) return proved();
      if (!plan_round()) return stopped(least);
      parallel_for(workers_.size(), astar_parts, control_, [&](std::size_t part, std::size_t w) {
        if (!workers_[w]) workers_[w] = std::make_unique<dual::RemainingBound>(remaining_);
        take_some(parts_[part], *workers_[w]);
      });
      if (control_.stopped() || too_large()) return stopped(least);
      parallel_for(workers_.size(), astar_parts, control_,
                   [&](std::size_t part, std::size_t) { take_up(part); });
      if (control_.stopped()) return stopped(least);
      auto const* const full = parts_[part_of(component_.all())].reached.find(component_.all());
      if (full != nullptr) limit_ = std::min(limit_, full->loss);
    }
  }

 private:
  static constexpr std::size_t ahead = 8;  // memory is asked for so many sets before they come

  struct Part {
    SetTable<Reached, Reached{no_candidate, 0, false, false}> reached;
    std::vector<Open> open;  // a heap
    std::size_t wanted = 0;  // nodes to take in this round
    std::array<std::vector<Placed>, astar_parts> sent;

    void push(Open const& node) {
      open.push_back(node);
      std::push_heap(open.begin(), open.end(), later);
    }
  };

  /// Says how many nodes each part takes: all together no more than the work limit leaves, which is
  /// the same on any number of threads. False if there is nothing left.
  bool plan_round() {
    std::uint64_t left = control_.work_left() - 1;
    if (left == 0) control_.should_stop(1);
    if (control_.should_stop(0)) return false;
    for (auto& part : parts_) {
      std::size_t const some = (part.open.size() + tuning::astar_share - 1) / tuning::astar_share;
      part.wanted = std::min({some, tuning::astar_most_taken, static_cast<std::size_t>(left)});
      left -= part.wanted;
    }
    return true;
  }

  void take_some(Part& part, dual::RemainingBound& remaining) {
    for (auto& sent : part.sent) sent.clear();
    std::size_t unseen = 0;
    for (std::size_t k = 0; k < part.wanted; ++k) {
      take_one(part, remaining);
      if (++unseen < tuning::expanded_between_looks && k + 1 < part.wanted) continue;
      if (control_.should_stop(unseen)) return;
      unseen = 0;
    }
  }

  void take_one(Part& part, dual::RemainingBound& remaining) {
    Open const node = part.open.front();
    if (node.f >= limit_) return;
    std::pop_heap(part.open.begin(), part.open.end(), later);
    part.open.pop_back();
    auto& entry = *part.reached.find(node.set);
    if (entry.expanded || node.g > entry.loss) return;
    if (!entry.bounded) {
      entry.bounded = true;
      Fixed const f = node.g - remaining.of(node.set);
      if (f > node.f) {
        if (f < limit_) part.push({f, node.g, node.set});
        return;
      }
    }
    entry.expanded = true;
    expand(node, part);
  }

  void expand(Open const& node, Part& part) const {
    VarSet const rest = component_.all() - node.set;
    for (std::size_t const x : rest) {
      auto const& best = component_.lists[x].front();
      if (node.set.contains_all(best.parents)) return place(node, x, best, part);
    }
    for (std::size_t const x : rest)
      if (auto const* const best = best_within(component_.lists[x], node.set))
        place(node, x, *best, part);
  }

  void place(Open const& node, std::size_t x, MemberCandidate const& candidate, Part& part) const {
    VarSet const set = node.set.with(x);
    Fixed const g = node.g + candidate.loss;
    Fixed const f = std::max(node.f, g + patterns_(component_.all() - set));
    if (f < limit_) part.sent[part_of(set)].push_back({{f, g, set}, static_cast<std::uint8_t>(x)});
  }

  /// Takes up what all parts have reached of one.
  void take_up(std::size_t number) {
    auto& part = parts_[number];
    for (auto const& from : parts_) {
      auto const& sent = from.sent[number];
      for (std::size_t k = 0; k < sent.size(); ++k) {
        if (k + ahead < sent.size()) part.reached.prefetch(sent[k + ahead].node.set);
        auto const& [node, last] = sent[k];
        auto& entry = part.reached[node.set];
        if (node.g >= entry.loss) continue;
        // Expanded or not: inequalities of four are not consistent, so it may come again.
        entry = {node.g, last, false, false};
        if (node.set != component_.all()) part.push(node);
      }
    }
  }

  /// Whether taking up what this round has reached may need more than the memory.
  bool too_large() const {
    if (options_.memory_bytes <= 0) return false;
    double bytes = patterns_.bytes();
    for (std::size_t number = 0; number < astar_parts; ++number) {
      auto const& part = parts_[number];
      std::size_t more = 0;
      for (auto const& from : parts_) {
        more += from.sent[number].size();
        bytes += static_cast<double>(from.sent[number].capacity() * sizeof(Placed));
      }
      bool const grows = part.open.size() + more > part.open.capacity();
      bytes += part.reached.bytes_with(more) +
               static_cast<double>((grows ? 3 : 1) * part.open.capacity() * sizeof(Open));
    }
    return bytes > options_.memory_bytes;
  }

  /// The best network that is known, with its loss as the bound.
  ComponentResult proved() const {
    ComponentResult out = best();
    out.bound = out.loss;
    return out;
  }

  /// No open node has a smaller f, so no network loses less.
  ComponentResult stopped(Fixed least_f) const {
    ComponentResult out = best();
    out.bound = std::min(out.loss, std::max(least_f, known_.bound));
    return out;
  }

  ComponentResult best() const {
    if (limit_ == known_.loss) return known_;
    ComponentResult out;
    out.candidates.resize(component_.size());
    for (VarSet set = component_.all(); !set.empty();) {
      std::size_t const x = parts_[part_of(set)].reached.find(set)->last;
      set.erase(x);
      auto const* const candidate = best_within(component_.lists[x], set);
      out.candidates[x] = candidate->index;
      out.loss += candidate->loss;
    }
    return out;
  }

  Component const& component_;
  ComponentResult const& known_;
  AstarOptions const& options_;
  Control& control_;
  PatternDatabase patterns_;
  dual::RemainingBound const& remaining_;  // it remembers, so each worker has its own
  std::vector<std::unique_ptr<dual::RemainingBound>> workers_;
  std::vector<Part> parts_{astar_parts};
  Fixed limit_;  // what the best network that is known loses
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
