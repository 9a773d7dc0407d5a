// Best-first search over sets of placed variables, bounded by the prices of a node.
//
// With U the variables placed so far and R the rest, g(U) the best value of placing U first, and a
// cluster C active while fewer than `need` of its members are placed,
//
//   h(R) = sum over x in R of max over P of [ loss(x, P) + prices of the active clusters that hold
//   x
//          and fewer than need members of P ]  -  sum over active C of (need - placed members)
//          price
//
// never falls below what R can still add: the first `need` members of C in any order have fewer
// than need parents inside, and those already placed are among them; a rule of four counts each
// member placed as not blocked. So f = g + h never falls below what a set can lead to, and the
// first set that is complete when it has the largest f is the best network. With plain rules h is
// even consistent: placing x with parents in U gives it the price of every active cluster that
// holds it, and takes one price off each. With rules of four a set may be reached by a better way
// after it was expanded, and is then expanded again. This is the search of the order graph
// [yuan2013] with the bound of the relaxation.
//
// Two rules keep sets apart that need not be visited. A variable whose best candidate is available
// is placed at once. Otherwise let i point to j if a candidate of j that can still be part of a
// network above the floor contains i: a set of variables that nothing outside points to is placed
// first, the smallest one found. So parts that do not depend on each other are not mixed in every
// possible way.
//
// Nodes of up to 64 variables. Memory: about 60 bytes for each set that may lead above the floor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "prices/node.hpp"
#include "relaxation/answer.hpp"

namespace bayesloom::relaxation {

using namespace prices;

class OrderProof {
 public:
  static constexpr std::size_t most_variables = 64;

  /// Of a node with at most `most_variables` variables; only networks above the floor count.
  OrderProof(Node const& node, Fixed floor, double memory_bytes);

  /// Goes on until proved, out of memory, or control says stop. Work: sets looked at.
  void run(Control& control);

  /// There is nothing above the floor, or the best of it was found.
  bool proved() const { return proved_; }
  /// It holds all the sets it may hold: running it again is of no use.
  bool full() const { return full_; }
  /// What is known now. If proved, its bound is the value found, or the floor.
  Answer answer() const;
  std::size_t expanded() const { return expanded_; }

 private:
  struct Candidate {
    Word parents;
    Fixed loss;
    std::size_t origin;
  };
  struct Entry {
    Word set = 0;
    Fixed value = nothing;  // the best way to place the set, or `nothing` where the slot is free
    Fixed ahead = 0;        // h of the rest
    std::uint8_t last = 0;  // placed last
    bool expanded = false;
  };
  struct Open {
    Fixed total;
    Fixed value;
    Word set;
  };
  /// What bounds one variable: candidates by their priced value with all clusters active, which no
  /// other set of active clusters exceeds.
  struct Priced {
    std::vector<Fixed> full, loss;
    std::vector<Word> paid;     // by candidate: clusters that pay it, `words_` each
    std::vector<Word> reach;    // by candidate: parents in it and all before it
    std::vector<Word> members;  // clusters that hold the variable
  };
  struct Slot {
    Fixed value = nothing;
    bool filled = false;
  };

  void number_variables(Node const& node);
  void load_clusters(Node const& node);
  void prepare(std::size_t x);
  bool blocked(std::size_t k, std::size_t x, Word parents) const;
  Fixed ahead(Word placed);
  Fixed best_of(std::size_t x);
  Fixed evaluate(std::size_t x) const;
  void expand(Open const& node);
  void place(Open const& node, std::size_t x, Candidate const& candidate);
  Candidate const* available(std::size_t x, Word placed) const;
  Word closed_set(Word rest, Fixed slack);
  Entry& entry(Word set);
  void grow();
  bool over_memory() const;

  static bool later(Open const& a, Open const& b);

  Fixed const floor_;
  double const memory_;
  Fixed base_ = 0;
  std::vector<std::pair<Index, std::size_t>> placed_;
  std::vector<Index> variables_;               // by number
  std::vector<std::vector<Candidate>> lists_;  // by number, best loss first
  std::vector<Priced> priced_;
  std::vector<Word> clusters_;  // their members
  std::vector<std::size_t> needs_;
  std::vector<std::array<std::uint8_t, 4>> blocks_;
  std::vector<Fixed> prices_;
  std::size_t words_ = 0;  // of a set of clusters
  Word all_ = 0;
  std::vector<Word> active_;  // scratch: clusters
  std::vector<Slot> slots_;   // recent values by variable and active clusters
  std::vector<Word> keys_;
  std::vector<Fixed> bests_;   // scratch: of the set evaluated last
  std::vector<Word> parents_;  // scratch: by variable
  std::vector<Entry> table_;
  std::size_t count_ = 0;
  std::vector<Open> open_;
  bool proved_ = false, full_ = false;
  Fixed value_ = nothing;
  std::size_t expanded_ = 0;
};

}  // namespace bayesloom::relaxation
