// Counting networks without listing them.
//
// Each network is taken apart in one way only, always by its largest sink [liao2018: note,
// "Listing"]. The state is (U, R): U the variables that remain, R those of them that may not be
// removed next. Remove x in U but not in R, with parents P inside U - x; then
//
//   R' = (R + {y in U: y > x}) - P - x
//
// so that x is always the largest sink among what remains. Variables are numbered as in a best
// network, parents first: that network bars no variable on its way, and networks near it bar few,
// which halves the number of states or better. With t the loss that is still allowed beyond the
// completion value, the number of networks below a state is
//
//   N(U, R, t) = sum over steps with delta <= t and x not in R of  N(U - x, R', t - delta)
//
// N is a step function of t, so a value holds for a whole interval [from, below): from the loss of
// the worst network counted up to the least loss of one that was not. States are remembered with
// their intervals, and many networks lead through one state: 5.6 million networks are counted in a
// hundred thousand states or so. Components follow one another: where one is done the next begins
// with the loss that remains, and the same intervals make the product a short sum.
//
// The weight, the sum of exp(-loss), is summed together with the number. If all states fit into memory, a second
// pass from the root gives the weight of every single choice, hence of every edge (choice_weights.cpp). If not,
// counting continues without storing more states: slower, but still exact.
//
// Threads count the states some steps below the root, those with most loss left first, and share one table; then the
// root is counted from it. Two threads may count the same state at the same time, which is wasteful but harmless
// [stivala2010]. Sums always run in the order of the steps, so number and weight do not depend on the number of
// threads.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "base/control.hpp"
#include "credible/component.hpp"
#include "credible/subset_dp/live_sets.hpp"
#include "credible/subset_dp/state_table.hpp"

namespace bayesloom::credible {

/// One component, with what the enumeration needs to know of it.
struct Part {
  Component component;
  LiveSets live;
};

/// R' for a step from U = `set`; false if no variable that remains could be removed next. (Not an
/// optional: a set in an optional goes through memory, which costs a quarter of the time of a count.)
inline bool bar_after(VarSet set, VarSet barred, Step const& step, VarSet& next) {
  VarSet const rest = set.without(step.x);
  VarSet const above(set.bits() & ~((VarSet::Word{2} << step.x) - 1));  // right for x = 63 too
  next = ((barred | above) & rest) - step.set;
  return next != rest || rest.empty();
}

class States {
 public:
  States(std::span<Part const> parts, Fixed max_loss, double memory_bytes, std::size_t threads);

  /// All networks at most `t` below the best, where t <= max_loss. Nothing if stopped. Throws
  /// ResourceError if there are 2^128 or more.
  std::optional<Tally> count(Fixed t, Control& control);

  /// What is known about a state. Safe from several threads once counting has ended.
  Tally const* find(std::size_t part, std::uint32_t u, VarSet barred, Fixed t) const {
    return table_.find(base_[part] + u, barred, t);
  }
  /// Whether it is known that no network lies behind a state.
  bool dead(std::size_t part, std::uint32_t u, VarSet barred, Fixed t) const {
    return table_.dead(base_[part] + u, barred, t);
  }
  /// The same also for states where a part begins or ends; all networks have been taken off at the
  /// last.
  std::optional<Tally> below(std::size_t part, std::uint32_t u, VarSet barred, Fixed t) const;

  /// Whether every state is remembered.
  bool whole() const { return table_.whole(); }
  std::size_t size() const { return table_.size(); }
  /// exp(-delta) of a part's steps from live set u, in their order.
  double const* weights(std::size_t part, std::uint32_t u) const {
    auto const& live = parts_[part].live;
    return weights_[part].data() + (live.steps(u).data() - live.steps(0).data());
  }

  /// The weight of each choice, by part, variable and choice, in units of the best network's: the sum
  /// over networks that use it. Requires `whole()`. Nothing if stopped.
  std::optional<std::vector<std::vector<std::vector<double>>>> choice_weights(
      Control& control) const;

 private:
  /// One of the threads that count.
  struct Worker {
    std::uint64_t left = 0;  ///< states after which it ends; 0 means any number
    bool ended = false;
    std::uint64_t unreported = 0;
  };
  /// A state that is to be counted.
  struct Open {
    std::size_t part;
    std::uint32_t u;
    VarSet barred;
    Fixed t;
    auto key() const { return std::tuple(part, u, barred.bits(), t); }
    bool operator==(Open const& other) const { return key() == other.key(); }
    auto operator<=>(Open const& other) const { return key() <=> other.key(); }
  };
  // Where a part begins there is one state with very many intervals.
  struct Beginning {
    std::mutex mutex;
    std::map<Fixed, Tally> tallies;
    Tally const* find(Fixed t) const;
  };

  Tally tally(Worker& worker, std::size_t part, std::uint32_t u, VarSet barred, Fixed t);
  Tally begin_part(Worker& worker, std::size_t part, Fixed t);
  /// States below the root, each once, enough of them for many threads.
  std::vector<Open> frontier(Fixed t) const;
  bool over(Worker const& worker) const { return worker.ended || control_->stopped(); }

  std::span<Part const> parts_;
  Fixed const max_loss_;
  std::size_t const threads_;
  std::vector<std::uint32_t> base_;           // of each part's live sets
  std::vector<std::vector<double>> weights_;  // exp(-delta) of each part's steps, in their order
  StateTable table_;
  std::vector<Beginning> beginnings_;
  Control* control_ = nullptr;
};

}  // namespace bayesloom::credible
