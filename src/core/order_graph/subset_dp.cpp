// Dense dynamic programming over subsets [silander2006], blocked for the cache.
//
// The n variables are split into b low ones and n - b high ones. A block is one choice H of high
// variables with all 2^b choices of low ones: contiguous in memory. For a block, s*(x, H + L) for
// all L at once is a table of 2^b entries: put each candidate inside H + low at its low part, then
// take maxima over subsets,
//
//   t[L] = max over L' inside L of t[L'],      one pass per low variable.
//
// That costs the same however long the candidate lists are. A block needs itself and the blocks
// with one high variable less, so blocks with equally many high variables are independent: threads
// share them. Time O(b n 2^n / b) table steps, memory 8 bytes for each of 2^n subsets.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "bounds/simple_bound.hpp"
#include "order_graph/order_graph.hpp"

namespace bayesloom {

namespace {

// Far below any score, and two of them still fit in 64 bits.
constexpr Fixed impossible = std::numeric_limits<Fixed>::min() / 4;

constexpr std::size_t low_variables = 12;  // a table of 32 KB stays in the nearest cache

struct Candidate {
  std::uint64_t high;
  std::uint32_t low;
  Fixed score;
};

class SubsetDp {
 public:
  SubsetDp(ScoreCache const& cache, std::size_t threads, Control& control)
      : cache_(cache),
        control_(control),
        threads_(threads),
        n_(cache.variable_count()),
        low_(std::min(n_, low_variables)),
        block_(std::size_t{1} << low_),
        best_(std::size_t{1} << n_, impossible),
        candidates_(n_) {
    for (std::size_t x = 0; x < n_; ++x) {
      auto const v = static_cast<Variable>(x);
      for (std::size_t c = cache.begin(v); c < cache.end(v); ++c) {
        std::uint64_t set = 0;
        for (auto const p : cache.parents(c)) set |= std::uint64_t{1} << p;
        candidates_[x].push_back(
            {set >> low_, static_cast<std::uint32_t>(set & (block_ - 1)), cache.score(c)});
      }
    }
  }

  /// Fills best_; false if stopped.
  bool run() {
    best_[0] = 0;
    std::size_t const high = n_ - low_;
    std::vector<std::vector<std::uint64_t>> by_count(high + 1);
    for (std::uint64_t h = 0; h < (std::uint64_t{1} << high); ++h)
      by_count[static_cast<std::size_t>(std::popcount(h))].push_back(h);
    std::vector<std::vector<Fixed>> tables(threads_, std::vector<Fixed>((low_ + 1) * block_));
    for (auto const& blocks : by_count) {
      parallel_for(threads_, blocks.size(), control_, [&](std::size_t task, std::size_t w) {
        expand(blocks[task], tables[w]);
        control_.should_stop(block_);
      });
      if (control_.stopped()) return false;
    }
    return true;
  }

  Fixed optimum() const { return best_.back(); }

  /// Walks back from the full set, choosing at each step the first variable that explains best(U).
  std::vector<std::size_t> network() const {
    std::vector<std::size_t> chosen(n_);
    std::uint64_t set = best_.size() - 1;
    while (set != 0) {
      for (std::uint64_t left = set; left != 0; left &= left - 1) {
        auto const x = static_cast<std::size_t>(std::countr_zero(left));
        std::uint64_t const rest = set & ~(std::uint64_t{1} << x);
        auto const candidate = best_candidate(x, rest);
        if (best_[rest] > impossible && candidate &&
            best_[rest] + cache_.score(*candidate) == best_[set]) {
          chosen[x] = *candidate;
          set = rest;
          break;
        }
      }
    }
    return chosen;
  }

 private:
  std::optional<std::size_t> best_candidate(std::size_t x, std::uint64_t allowed) const {
    std::size_t c = cache_.begin(static_cast<Variable>(x));
    for (auto const& candidate : candidates_[x]) {
      std::uint64_t const set = candidate.high << low_ | candidate.low;
      if ((set & ~allowed) == 0) return c;
      ++c;
    }
    return std::nullopt;
  }

  /// t[L] = s*(x, H + L) for all L.
  void tabulate(std::size_t x, std::uint64_t high, Fixed* t) const {
    std::fill_n(t, block_, impossible);
    for (auto const& candidate : candidates_[x])
      if ((candidate.high & ~high) == 0) t[candidate.low] = std::max(t[candidate.low], candidate.score);
    for (std::size_t bit = 1; bit < block_; bit *= 2)
      for (std::size_t base = 0; base < block_; base += 2 * bit)
        for (std::size_t l = base; l < base + bit; ++l) t[l + bit] = std::max(t[l + bit], t[l]);
  }

  void expand(std::uint64_t high, std::vector<Fixed>& tables) {
    Fixed* const best = best_.data() + high * block_;
    Fixed* const spare = tables.data() + low_ * block_;
    for (std::uint64_t left = high; left != 0; left &= left - 1) {
      auto const bit = static_cast<std::size_t>(std::countr_zero(left));
      std::uint64_t const rest = high & ~(std::uint64_t{1} << bit);
      Fixed const* const before = best_.data() + rest * block_;
      tabulate(low_ + bit, rest, spare);
      for (std::size_t l = 0; l < block_; ++l) best[l] = std::max(best[l], before[l] + spare[l]);
    }
    for (std::size_t x = 0; x < low_; ++x) tabulate(x, high, tables.data() + x * block_);
    for (std::size_t l = 1; l < block_; ++l) {
      Fixed value = best[l];
      for (std::size_t left = l; left != 0; left &= left - 1) {
        auto const x = static_cast<std::size_t>(std::countr_zero(left));
        std::size_t const rest = l & ~(std::size_t{1} << x);
        value = std::max(value, best[rest] + tables[x * block_ + rest]);
      }
      best[l] = std::max(value, impossible);
    }
    best[0] = std::max(best[0], impossible);
  }

  ScoreCache const& cache_;
  Control& control_;
  std::size_t const threads_, n_, low_, block_;
  std::vector<Fixed> best_;
  std::vector<std::vector<Candidate>> candidates_;
};

}  // namespace

double subset_dp_bytes(std::size_t n, std::size_t threads) {
  double const tables = static_cast<double>(threads) * 13 * 4096 * 8;
  return std::exp2(static_cast<double>(n)) * 8 + tables;
}

SolveResult subset_dp(ScoreCache const& cache, SubsetDpOptions const& options, Control& control) {
  std::size_t const n = cache.variable_count();
  std::size_t const threads = thread_count(options.threads);
  double const bytes = subset_dp_bytes(n, threads);
  if (n > 40 || (options.memory_bytes > 0 && bytes > options.memory_bytes)) {
    auto const gigabytes = [](double b) { return std::to_string(static_cast<long long>(b / 1e9)); };
    throw ResourceError(
        "dp keeps 2^n scores in memory: for the " + std::to_string(n) +
        " variables of this score cache it needs " +
        (n > 40 ? "more than 8,000" : gigabytes(bytes)) + " GB" +
        (n > 40 ? "" : ", and " + gigabytes(options.memory_bytes) + " GB are allowed") + ".");
  }
  SubsetDp dp(cache, threads, control);
  SolveResult result;
  if (dp.run()) {
    if (dp.optimum() == impossible)
      throw InfeasibleError("no acyclic network can be made from the candidates of this cache.");
    result.candidates = dp.network();
    result.score = result.bound = dp.optimum();
  } else {
    auto const greedy = greedy_network(cache);
    if (greedy) {
      result.candidates = *greedy;
      for (auto const c : *greedy) result.score += cache.score(c);
    }
    result.bound = simple_bound(cache);
  }
  result.work = control.work();
  return result;
}

}  // namespace bayesloom
