// Best-first search over sets of placed variables, bounded by the prices of a node.
//
// With g(U) the best value of placing U first and h(R) the bound on what the rest can still add
// (dual/remaining_bound.hpp), f = g + h never falls below what a set can lead to, and the first set
// that is complete when it has the largest f is the best network. With plain inequalities h is
// consistent; with inequalities of four a set may be reached by a better way after it was expanded,
// and is then expanded again. This is the search of the order graph [yuan2013] with the bound of the
// relaxation.
//
// Two things keep sets apart that need not be visited. A variable whose best candidate is available
// is placed at once. Otherwise let i point to j if a candidate of j that can still be part of a
// network above the floor contains i: a set of variables that nothing outside points to is placed
// first, the smallest one found. So parts that do not depend on each other are not mixed in every
// possible way.
//
// Sets are expanded in batches: the best of all that are open, the more the longer it goes on. Threads
// share a batch, and what it reaches is sorted into shards by hash, each kept by one thread at a time in
// the order of the batch. A single thread goes through the same batches without the sorting. So the
// search is the same for any number of threads.
//
// Nodes of up to 64 variables. Memory: about 60 bytes for each set that may lead above the floor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "base/set_table.hpp"
#include "dual/problem.hpp"
#include "dual/remaining_bound.hpp"
#include "relaxation/node_result.hpp"
#include "relaxation/options.hpp"

namespace bayesloom::relaxation {

using namespace dual;

class OrderProof {
 public:
  static constexpr std::size_t most_variables = 64;

  /// Of a node with at most `most_variables` variables; only networks above the floor count. `run` will
  /// be asked to use up to so many threads.
  OrderProof(Problem const& node, Fixed floor, double memory_bytes, std::size_t most_threads = 1,
             SetsOptions const& options = {});

  /// Goes on with what is left of the same node, and for networks above a floor that may be higher now. What was
  /// reached stays: no network above the floor has a candidate that went, and bounds worked out with it hold.
  void narrow(Problem const& node, Fixed floor);

  /// Goes on until proved, out of memory, or control says stop, on so many threads: how many changes
  /// nothing but the time. Work: sets looked at.
  void run(Control& control, std::size_t threads = 1);

  /// There is nothing above the floor, or the best of it was found.
  bool proved() const { return proved_; }
  /// It holds all the sets it may hold: running it again is of no use.
  bool full() const { return full_; }
  /// What is known now. If proved, its bound is the value found, or the floor.
  NodeResult result() const;
  std::size_t expanded() const { return expanded_; }

 private:
  struct Candidate {
    VarSet parents;
    Fixed value;
    std::size_t origin;
  };
  struct Reached {
    Fixed value;        // the best way to place the set
    Fixed remaining;    // h of the rest, or more where that does not lead above the floor either
    std::uint8_t last;  // placed last
    bool expanded;
    friend constexpr bool operator==(Reached const& a, Reached const& b) {
      return a.value == b.value;
    }
  };
  static constexpr Reached unreached{nothing, 0, 0, false};
  struct Open {
    Fixed total;
    Fixed value;
    VarSet set;
  };

  /// A way to place a set that was found, on its way to the shard that keeps the set.
  struct Arrival {
    VarSet set;
    Fixed value;
    Fixed most;  // f of the set it was reached from
    Fixed remaining;
    std::uint8_t last;
  };
  /// The sets of one part of all hash values, and those of them that are to be expanded.
  struct Shard {
    SetTable<Reached, unreached> reached;
    std::vector<Open> open;  // a heap
  };
  /// What one thread needs to expand sets.
  struct Worker {
    RemainingBound remaining;
    std::vector<VarSet> parents;  // scratch: by variable
  };
  using Outbox = std::vector<std::vector<Arrival>>;  // by shard

  void number_variables(Problem const& node);
  void list_candidates(Problem const& node);
  RemainingBound bound_of(Problem const& node) const;
  /// The best open sets, best first, each looked at once; `proved_` if the best of all is complete.
  std::vector<Open> next_batch(Control& control);
  std::size_t batch_size() const;
  Fixed remaining_of(Reached const& known, std::size_t x, Fixed value, Worker& worker) const;
  void expand_alone(std::vector<Open> const& batch);
  void expand_shared(std::vector<Open> const& batch, std::size_t threads);
  /// Calls `place(x, candidate)` for each variable to be placed next. Then the worker's bound looks at
  /// the set of the node.
  template <typename Place>
  void expand(Open const& node, Worker& worker, Place const& place) const;
  /// The set is kept by this way, which is better than the one known.
  void keep(Arrival const& arrival, Reached& known, Shard& shard) const;
  static Candidate const* available(std::vector<Candidate> const& list, VarSet placed);
  Candidate const* available(std::size_t x, VarSet placed) const;  ///< the same of `lists_`, faster
  VarSet closed_set(VarSet rest, Fixed margin, Worker& worker) const;
  bool over_memory() const;

  std::size_t shard_number(VarSet set) const { return hash_of(set) >> 40 & (shards_.size() - 1); }
  Shard& shard_of(VarSet set) { return shards_[shard_number(set)]; }
  Shard const& shard_of(VarSet set) const { return shards_[shard_number(set)]; }
  static bool later(Open const& a, Open const& b);

  Fixed floor_;
  double const memory_;
  Fixed base_ = 0;
  std::vector<std::pair<Index, std::size_t>> placed_;
  std::vector<Index> variables_;                     // by number
  std::vector<std::size_t> number_;                  // by variable, of those of the node
  std::vector<std::vector<Candidate>> lists_;        // by number, best loss first
  std::vector<std::vector<Candidate>> first_lists_;  // before any went: of sets reached long ago
  /// By number, for 64 candidates at a time: by variable, which of them hold it.
  std::vector<std::vector<VarSet::Word>> holders_;
  VarSet all_;
  SetsOptions const options_;
  std::vector<Worker> workers_;
  std::vector<Shard> shards_;     // a power of two of them
  std::vector<Outbox> outboxes_;  // by task
  bool proved_ = false, full_ = false;
  Fixed value_ = nothing;
  std::size_t expanded_ = 0;
};

}  // namespace bayesloom::relaxation
