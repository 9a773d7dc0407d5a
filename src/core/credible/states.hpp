// Counting networks without listing them.
//
// Each network is unpicked in one way only [liao2018: note, "Listing"]. The state is (U, R): U the
// variables left, R those of them that may not go next. Take x in U but not in R, with parents P
// inside U - x; then
//
//   R' = (R + {y in U: y > x}) - P - x
//
// so that x is always the largest variable without children among those left. With t the loss that is
// still allowed beyond the completion value, the number of networks below a state is
//
//   N(U, R, t) = sum over steps with delta <= t and x not in R of  N(U - x, R', t - delta)
//
// N is a staircase in t, so a value holds for a whole interval [from, below): the loss of the worst
// network counted up to the least loss of one that was not. States are remembered with their
// intervals, and many networks lead through one state: 5.6 million networks are counted in a hundred
// thousand states or so. Components follow one another: where one has nothing left the next begins
// with the loss that remains, and the same intervals make the product a short sum.
//
// The mass sum of exp(-loss) goes along with the number. Where all states fit the memory allowed, a second
// sweep from the root gives the mass of every single choice, hence of every edge; where they do not,
// counting goes on without remembering more, slower and as exact.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "credible/component.hpp"
#include "credible/live_sets.hpp"

namespace bayesloom::credible {

__extension__ using Count = unsigned __int128;

/// One component, with what the enumeration needs to know of it.
struct Part {
  Component component;
  LiveSets live;
};

/// R' for a step from U = `set`; nothing if no variable that is left could go next.
inline std::optional<Set> barred_after(Set set, Set barred, Step const& step) {
  Set const x = Set{1} << step.x;
  Set const rest = set & ~x;
  Set const above = ~(x | (x - 1));
  Set const next = (barred | (set & above)) & rest & ~step.set;
  if (next == rest && rest != 0) return std::nullopt;
  return next;
}

/// The networks below a state: how many, their mass, and for which t that holds.
struct Tally {
  Fixed from = 0;
  Fixed below = no_loss;
  Count count = 0;
  double mass = 0;
};

class States {
 public:
  States(std::span<Part const> parts, Fixed slack, double memory_bytes);

  /// All networks at most `slack` below the best. Nothing if stopped. Throws ResourceError if there
  /// are 2^128 or more.
  std::optional<Tally> count(Control& control);

  /// What is known about a state. Safe from several threads once counting has ended.
  Tally const* find(std::size_t part, std::uint32_t u, Set barred, Fixed t) const;

  /// Whether every state is remembered.
  bool whole() const { return whole_; }
  std::size_t size() const { return tallies_.size(); }

  /// The mass of each choice, by part, variable and choice, in units of the best network's: the sum over
  /// networks that use it. Requires `whole()`. Nothing if stopped.
  std::optional<std::vector<std::vector<std::vector<double>>>> choice_masses(Control& control) const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Slot {
    Set barred;
    std::uint32_t u;     // counted through all parts; `none` if the slot is free
    std::uint32_t head;  // newest tally of the state
  };

  Tally tally(std::size_t part, std::uint32_t u, Set barred, Fixed t);
  Tally begin_part(std::size_t part, Fixed t);
  Slot const* slot(std::uint32_t u, Set barred) const;
  void remember(std::size_t part, std::uint32_t u, Set barred, Tally const& tally);
  void grow();
  static std::size_t hash(std::uint32_t u, Set barred) {
    std::uint64_t h = (barred ^ (std::uint64_t{u} << 40 | u)) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ULL;
    return static_cast<std::size_t>(h ^ h >> 32);
  }

  std::span<Part const> parts_;
  Fixed const slack_;
  double const memory_bytes_;
  std::vector<std::uint32_t> base_;           // of each part's live sets
  std::vector<std::vector<double>> weights_;  // exp(-delta) of each part's steps, in their order
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::vector<Tally> tallies_;
  std::vector<std::uint32_t> next_;  // older tally of the same state
  // Where a part begins there is one state with very many intervals.
  std::vector<std::map<Fixed, Tally>> beginnings_;
  std::size_t beginning_count_ = 0;
  bool whole_ = true;
  Control* control_ = nullptr;
};

}  // namespace bayesloom::credible
