#include "dual/zero_half.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>

namespace bayesloom::dual {

namespace {

/// The candidates of a variable that parities are kept for: a word has that many bits.
constexpr std::size_t most_support = 64;

class ZeroHalfSearch {
 public:
  ZeroHalfSearch(FractionalNetwork const& shares, Problem const& whole,
                 ZeroHalfOptions const& options, Rng& rng, Control& control)
      : shares_(shares),
        problem_(shares.problem()),
        whole_(whole),
        options_(options),
        rng_(rng),
        control_(control) {}

  std::vector<std::shared_ptr<CutRule const>> run() {
    collect();
    if (rows_.empty()) return {};
    std::vector<std::size_t> starts(rows_.size());
    std::iota(starts.begin(), starts.end(), std::size_t{0});
    rng_.shuffle(std::span<std::size_t>(starts));
    starts.resize(std::min(starts.size(), options_.starts));
    for (std::size_t const start : starts) {
      if (control_.should_stop()) break;
      search(start);
    }
    return made();
  }

 private:
  struct Odd {
    Index variable;
    Word bits;     // of its candidates with an odd weight
    double share;  // and theirs
  };
  struct Row {
    std::size_t number;  // of a cluster, or behind them of a cut
    std::vector<Odd> odd;
    double margin;
    bool needs_odd;
    WideVarSet variables;
  };

  /// Inequalities with little margin, with the parity of their weights.
  void collect() {
    std::size_t const words = problem_.universe->words;
    for (std::size_t k = 0; k < problem_.clusters.size(); ++k) {
      Cluster const& cluster = problem_.clusters[k];
      Row row{k,
              {},
              -static_cast<double>(cluster.need),
              cluster.need % 2 == 1,
              WideVarSet(problem_.universe->n)};
      LocalInequality const& inequality = problem_.local(cluster);
      for (auto const& member : inequality.members) {
        Index const i = member.variable;
        Word bits = 0;
        with_test(shares_.mask(0), inequality.masks.data() + member.first, words, member.test,
                  [&](auto&& is_blocked) {
                    for (std::size_t c = shares_.begin(i); c < shares_.end(i); ++c) {
                      if (is_blocked(c)) continue;
                      row.margin += shares_.share(c);
                      if (c - shares_.begin(i) < most_support)
                        bits |= Word{1} << (c - shares_.begin(i));
                    }
                  });
        if (bits != 0) row.odd.push_back({i, bits, share_of(i, bits)});
      }
      keep(std::move(row));
    }
    for (std::size_t k = 0; k < problem_.cuts.size(); ++k) {
      Cut const& cut = problem_.cuts[k];
      Row row{problem_.clusters.size() + k,
              {},
              -static_cast<double>(cut.need),
              cut.need % 2 != 0,
              WideVarSet(problem_.universe->n)};
      for (auto const& member : cut.rule->members) {
        Index const i = member.variable;
        Word bits = 0;
        for (std::size_t c = shares_.begin(i); c < shares_.end(i); ++c) {
          unsigned const weight = cut.rule->weight(member, shares_.origin(c));
          row.margin += shares_.share(c) * weight;
          if (weight % 2 == 1 && c - shares_.begin(i) < most_support)
            bits |= Word{1} << (c - shares_.begin(i));
        }
        if (bits != 0) row.odd.push_back({i, bits, share_of(i, bits)});
      }
      keep(std::move(row));
    }
    std::size_t const n = problem_.universe->n;
    bits_.assign(n, 0);
    share_.assign(n, 0);
  }

  void keep(Row&& row) {
    if (row.margin >= options_.most_margin || row.odd.empty()) return;
    row.margin = std::max(row.margin, 0.0);
    for (auto const& one : row.odd) row.variables.insert(one.variable);
    rows_.push_back(std::move(row));
  }

  double share_of(Index i, Word bits) const {
    double sum = 0;
    std::size_t const first = shares_.begin(i);
    for (; bits != 0; bits &= bits - 1)
      sum += shares_.share(first + static_cast<std::size_t>(std::countr_zero(bits)));
    return sum;
  }

  /// The share of the candidates whose weight is odd once those of a row change.
  double share_with(Odd const& one) const {
    Word const common = bits_[one.variable] & one.bits;
    double const both = common == 0 ? 0 : share_of(one.variable, common);
    return share_[one.variable] + one.share - 2 * both;
  }

  void flip(Row const& row) {
    for (auto const& one : row.odd) {
      Index const i = one.variable;
      double const before = share_[i];
      bits_[i] ^= one.bits;
      share_[i] = share_of(i, bits_[i]);
      odd_variables_.erase(i);
      if (bits_[i] != 0) odd_variables_.insert(i);
      cost_ += std::min(share_[i], 1 - share_[i]) - std::min(before, 1 - before);
      odd_ ^= (before > 0.5) != (share_[i] > 0.5);
    }
    odd_ ^= row.needs_odd;
  }

  /// What it costs to turn over the f of i, less what it costs where i has no odd candidate.
  static double turn(double share) { return std::abs(1 - 2 * share); }

  /// The sum if row k changes sides.
  double cost_with(std::size_t k) {
    Row const& row = rows_[k];
    double cost = cost_ + (inside_[k] ? -row.margin : row.margin);
    bool odd = odd_ ^ row.needs_odd;
    double least_turn = 1;
    for (auto const& one : row.odd) {
      double const before = share_[one.variable], now = share_with(one);
      cost += std::min(now, 1 - now) - std::min(before, 1 - before);
      odd ^= (before > 0.5) != (now > 0.5);
      least_turn = std::min(least_turn, turn(now));
    }
    if (odd) return cost;
    for (Index const i : by_turn_) {
      if (turn(share_[i]) >= least_turn) break;
      if (row.variables.contains(i)) continue;
      least_turn = turn(share_[i]);
      break;
    }
    return cost + least_turn;
  }

  void sort_turns() {
    by_turn_.clear();
    for (Index const i : touched_)
      if (share_[i] > 0) by_turn_.push_back(i);
    std::sort(by_turn_.begin(), by_turn_.end(), [&](Index a, Index b) {
      double const x = turn(share_[a]), y = turn(share_[b]);
      return x < y || (x == y && a < b);
    });
  }

  void change(std::size_t k) {
    Row const& row = rows_[k];
    flip(row);
    cost_ += inside_[k] ? -row.margin : row.margin;
    inside_[k] = !inside_[k];
    for (auto const& one : row.odd)
      if (std::find(touched_.begin(), touched_.end(), one.variable) == touched_.end())
        touched_.push_back(one.variable);
    if (inside_[k]) {
      chosen_.push_back(k);
    } else {
      std::erase(chosen_, k);
    }
    sort_turns();
  }

  void search(std::size_t start) {
    inside_.assign(rows_.size(), false);
    until_.assign(rows_.size(), 0);
    for (Index const i : touched_) {
      bits_[i] = 0;
      share_[i] = 0;
    }
    touched_.clear();
    odd_variables_ = WideVarSet(problem_.universe->n);
    chosen_.clear();
    cost_ = 0;
    odd_ = false;
    change(start);
    for (std::size_t step = 1; step <= options_.steps; ++step) {
      double best = 9;
      std::size_t next = rows_.size();
      for (std::size_t k = 0; k < rows_.size(); ++k) {
        if (until_[k] > step || (inside_[k] && chosen_.size() == 1)) continue;
        if (!inside_[k] && cost_ < 9 && !near(rows_[k])) continue;
        double const cost = cost_with(k);
        if (cost < best - 1e-9) {
          best = cost;
          next = k;
        }
      }
      if (next == rows_.size() || (chosen_.size() >= options_.most_rules && !inside_[next])) break;
      until_[next] = step + options_.tabu;
      change(next);
      if (best > 1 - options_.least_violation) continue;
      auto key = chosen_;
      std::sort(key.begin(), key.end());
      found_.emplace(best, std::move(key));
      if (best < options_.good) break;
    }
  }

  /// Whether a row has a variable in common with those chosen: any other only adds to the sum.
  bool near(Row const& row) const { return row.variables.meets(odd_variables_); }

  std::shared_ptr<CutRule const> make(std::vector<std::size_t> const& key) {
    // The state of the search anew, by the definition.
    for (Index const i : touched_) {
      bits_[i] = 0;
      share_[i] = 0;
    }
    touched_.clear();
    odd_variables_ = WideVarSet(problem_.universe->n);
    chosen_.clear();
    cost_ = 0;
    odd_ = false;
    inside_.assign(rows_.size(), false);
    for (std::size_t const k : key) change(k);
    if (!odd_) {
      if (by_turn_.empty()) return nullptr;
      turned_ = by_turn_.front();
    }
    std::vector<Index> halved;
    for (Index const i : touched_)
      if ((share_[i] > 0.5) != (!odd_ && i == turned_)) halved.push_back(i);
    std::vector<Cluster> clusters;
    std::vector<std::shared_ptr<CutRule const>> cuts;
    for (std::size_t const k : key) {
      std::size_t const number = rows_[k].number;
      if (number < problem_.clusters.size()) {
        clusters.push_back(problem_.clusters[number]);
      } else {
        cuts.push_back(problem_.cuts[number - problem_.clusters.size()].rule);
      }
    }
    // Those that are not in the problem: whatever makes their sum of weights even.
    for (auto const& [variable, candidates] : problem_.elsewhere) {
      unsigned sum = 0;
      for (auto const& cut : cuts) {
        unsigned most = 0;
        for (std::size_t const c : candidates) most = std::max(most, cut->weight(variable, c));
        sum += most;
      }
      if (sum % 2 == 1) halved.push_back(variable);
    }
    std::sort(halved.begin(), halved.end());
    return make_cut(whole_, std::move(clusters), std::move(cuts), std::move(halved),
                    options_.most_weight);
  }

  /// By how much the shares violate a cut.
  double violation(CutRule const& rule) const {
    std::int64_t need = rule.need;
    for (auto const& [variable, candidates] : problem_.elsewhere) {
      unsigned most = 0;
      for (std::size_t const c : candidates) most = std::max(most, rule.weight(variable, c));
      need -= most;
    }
    double sum = static_cast<double>(need);
    for (auto const& member : rule.members)
      for (std::size_t c = shares_.begin(member.variable); c < shares_.end(member.variable); ++c)
        sum -= shares_.share(c) * rule.weight(member, shares_.origin(c));
    return sum;
  }

  std::vector<std::shared_ptr<CutRule const>> made() {
    std::vector<std::pair<double, std::shared_ptr<CutRule const>>> cuts;
    std::unordered_set<std::uint64_t> known;
    for (auto const& cut : problem_.cuts) known.insert(cut.rule->hash());
    std::size_t tried = 0;
    for (auto const& [cost, key] : found_) {
      if (tried++ >= 3 * options_.most_cuts || control_.should_stop(0)) break;
      auto cut = make(key);
      if (!cut || !known.insert(cut->hash()).second) continue;
      double const by = violation(*cut);
      if (by >= options_.least_violation) cuts.emplace_back(by, std::move(cut));
    }
    std::stable_sort(cuts.begin(), cuts.end(),
                     [](auto const& a, auto const& b) { return a.first > b.first; });
    if (cuts.size() > options_.most_cuts) cuts.resize(options_.most_cuts);
    std::vector<std::shared_ptr<CutRule const>> out;
    for (auto& entry : cuts) out.push_back(std::move(entry.second));
    return out;
  }

  FractionalNetwork const& shares_;
  Problem const& problem_;
  Problem const& whole_;
  ZeroHalfOptions const& options_;
  Rng& rng_;
  Control& control_;
  std::vector<Row> rows_;
  // The rows chosen: by row whether it is; by variable the candidates with an odd sum and their share.
  std::vector<bool> inside_;
  std::vector<std::size_t> chosen_, until_;
  std::vector<Word> bits_;
  std::vector<double> share_;
  std::vector<Index> touched_, by_turn_;
  WideVarSet odd_variables_;  // with any bits
  double cost_ = 0;
  bool odd_ = false;
  Index turned_ = 0;
  std::set<std::pair<double, std::vector<std::size_t>>> found_;
};

}  // namespace

std::vector<std::shared_ptr<CutRule const>> zero_half_cuts(FractionalNetwork const& shares,
                                                           Problem const& whole,
                                                           ZeroHalfOptions const& options, Rng& rng,
                                                           Control& control) {
  return ZeroHalfSearch(shares, whole, options, rng, control).run();
}

}  // namespace bayesloom::dual
