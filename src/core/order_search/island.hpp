// One independent search: its random numbers, its share of the work, the best network it has seen.
//
// Work is counted per island and compared with the island's own share of the limit, so what an
// island finds under a work limit depends on seed and limit alone, however many threads there are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "order_search/order_search.hpp"
#include "order_search/tuning.hpp"
#include "orders/order_state.hpp"

namespace bayesloom::order_search {

using namespace orders;

class Island {
 public:
  struct Budget {
    std::uint64_t work = std::numeric_limits<std::uint64_t>::max();
    std::optional<Fixed> target;
    double patience = 0;  ///< see OrderSearchLimits
    Exchange* exchange = nullptr;
  };

  Island(CandidateTable const& shared, Control& watched, Budget limits, Rng stream,
         Fixed upper_bound)
      : table(shared), rng(stream), control_(watched), budget_(limits), bound_(upper_bound) {}

  Island(Island const&) = delete;
  Island& operator=(Island const&) = delete;

  CandidateTable const& table;
  Rng rng;

  /// Counts work (variables looked up) and tells whether to stop.
  bool spend(std::uint64_t work) {
    used_ += work;
    pending_ += work;
    if (pending_ >= tuning::work_between_looks || used_ >= budget_.work) poll();
    return stopped_;
  }
  bool stopped() const { return stopped_; }

  /// Remembers the network if it is the best so far. True if it is.
  bool offer(OrderState const& state) {
    if (!order_.empty() && state.score <= score_) return false;
    order_ = state.order;
    choice_ = state.choice;
    score_ = state.score;
    if (budget_.exchange) budget_.exchange->offer({table.candidates(choice_), order_, score_});
    improved();
    return true;
  }

  /// The order of a network that another solver found and that is better than all of ours; else
  /// empty.
  std::vector<Variable> better_elsewhere() const {
    if (!budget_.exchange || !found() || budget_.exchange->score() <= score_) return {};
    return budget_.exchange->best().order;
  }

  bool found() const { return !order_.empty(); }
  std::vector<Variable> const& order() const { return order_; }
  std::vector<Rank> const& choice() const { return choice_; }
  Fixed score() const { return score_; }
  std::vector<TraceEntry> const& trace() const { return trace_; }
  std::uint64_t work() const { return used_; }

 private:
  void poll() {
    bool const over = control_.should_stop(pending_);
    pending_ = 0;
    double const waited = static_cast<double>(used_);
    bool const out_of_patience =
        budget_.patience > 0 && found() && waited > budget_.patience * patience_base_;
    stopped_ = stopped_ || over || used_ >= budget_.work || out_of_patience;
  }

  void improved() {
    patience_base_ = std::max(static_cast<double>(used_),
                              tuning::least_patience * static_cast<double>(table.size()));
    poll();
    trace_.push_back({control_.seconds(), control_.work(), score_});
    if (score_ == bound_ || (budget_.target && score_ >= *budget_.target)) stopped_ = true;
  }

  Control& control_;
  Budget const budget_;
  Fixed const bound_;
  std::uint64_t used_ = 0;
  std::uint64_t pending_ = 0;
  bool stopped_ = false;
  double patience_base_ = 0;
  std::vector<Variable> order_;
  std::vector<Rank> choice_;
  Fixed score_ = 0;
  std::vector<TraceEntry> trace_;
};

}  // namespace bayesloom::order_search
