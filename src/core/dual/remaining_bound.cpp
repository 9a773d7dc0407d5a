#include "dual/remaining_bound.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "base/errors.hpp"
#include "dual/options.hpp"

namespace bayesloom::dual {

namespace {

/// A set of inequalities is a row of words; this is inequality k of one word.
Word bit(std::size_t k) { return Word{1} << k; }

}  // namespace

RemainingBound::RemainingBound(std::vector<std::vector<Candidate>> const& lists,
                               std::vector<Inequality> inequalities)
    : inequalities_(std::move(inequalities)) {
  std::stable_sort(inequalities_.begin(), inequalities_.end(),
                   [](Inequality const& a, Inequality const& b) { return a.price > b.price; });
  std::erase_if(inequalities_, [](Inequality const& inequality) { return inequality.price == 0; });
  inequalities_.resize(std::min(inequalities_.size(), remaining.most_inequalities));
  for (auto const& inequality : inequalities_) prices_.push_back(inequality.price);
  words_ = inequalities_.size() / 64 + 1;  // no set of inequalities has all bits
  std::size_t const n = lists.size();
  all_ = VarSet::first(n);
  priced_.resize(n);
  for (std::size_t x = 0; x < n; ++x) prepare(x, lists[x]);
  slots_.assign(n * remaining.slots * (words_ + 1), ~Word{0});
  active_.resize(words_);
  after_.resize(words_);
  bests_.resize(n);
}

bool RemainingBound::blocked(Inequality const& inequality, std::size_t x, VarSet parents) {
  if (inequality.blocks[0] == 0) return (inequality.members & parents).size() >= inequality.need;
  unsigned set = 0, place = 0;
  for (std::size_t const y : inequality.members.without(x)) {
    if (parents.contains(y)) set |= 1U << place;
    ++place;
  }
  return (inequality.blocks[inequality.members.rank(x)] >> set & 1) != 0;
}

void RemainingBound::prepare(std::size_t x, std::vector<Candidate> const& list) {
  auto& out = priced_[x];
  out.members.assign(words_, 0);
  for (std::size_t k = 0; k < inequalities_.size(); ++k)
    if (inequalities_[k].members.contains(x)) out.members[k / 64] |= bit(k % 64);
  std::vector<Word> paid(list.size() * words_, 0);
  std::vector<Fixed> full(list.size());
  for (std::size_t c = 0; c < list.size(); ++c) {
    full[c] = list[c].value;
    for (std::size_t k = 0; k < inequalities_.size(); ++k)
      if (inequalities_[k].members.contains(x) && !blocked(inequalities_[k], x, list[c].parents)) {
        full[c] += inequalities_[k].price;
        paid[c * words_ + k / 64] |= bit(k % 64);
      }
  }
  std::vector<std::size_t> order(list.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return full[a] > full[b]; });
  VarSet reach;
  for (std::size_t const c : order) {
    out.full.push_back(full[c]);
    reach |= list[c].parents;
    out.reach.push_back(reach);
    auto const from = paid.begin() + static_cast<std::ptrdiff_t>(c * words_);
    out.paid.insert(out.paid.end(), from, from + static_cast<std::ptrdiff_t>(words_));
  }
}

Fixed RemainingBound::evaluate(std::size_t x, std::vector<Word> const& active) {
  auto& p = priced_[x];
  Fixed best = nothing;
  auto const look = [&](std::size_t c) {
    // From the full value the prices of inequalities that are no longer active go.
    Fixed value = p.full[c];
    for (std::size_t w = 0; w < words_ && value > best; ++w)
      for (std::size_t const k : VarSet(p.paid[c * words_ + w] & ~active[w]))
        value -= prices_[w * 64 + k];
    if (value <= best) return;
    best = value;
    p.last = c;
  };
  if (p.full.empty()) return best;
  look(p.last);  // often the best again, and then the others need few looks
  for (std::size_t c = 0; c < p.full.size() && p.full[c] > best; ++c) look(c);
  return best;
}

/// Where the maximum for x under the active inequalities is, if it was worked out a while ago; the memory
/// is asked for it. Many are looked up at a time, and most are not in the nearest cache.
Word* RemainingBound::slot_of(std::size_t x, std::vector<Word> const& active) {
  auto const& members = priced_[x].members;
  std::uint64_t hash = 0;
  for (std::size_t w = 0; w < words_; ++w)
    hash = (hash ^ (active[w] & members[w])) * 0x9e3779b97f4a7c15ULL;
  std::size_t const at = x * remaining.slots + (hash ^ hash >> 32) % remaining.slots;
  Word* const slot = slots_.data() + at * (words_ + 1);
  __builtin_prefetch(slot);
  __builtin_prefetch(slot + words_);
  return slot;
}

/// The maximum for x under the active inequalities, from the slot if they were the same.
Fixed RemainingBound::best_of(std::size_t x, std::vector<Word> const& active, Word* slot) {
  auto const& members = priced_[x].members;
  bool same = true;
  for (std::size_t w = 0; w < words_ && same; ++w) same = slot[w] == (active[w] & members[w]);
  if (!same) {
    for (std::size_t w = 0; w < words_; ++w) slot[w] = active[w] & members[w];
    slot[words_] = static_cast<Word>(evaluate(x, active));
  }
  return static_cast<Fixed>(slot[words_]);
}

Fixed RemainingBound::of(VarSet placed) {
  placed_ = placed;
  sum_ = 0;
  std::fill(active_.begin(), active_.end(), 0);
  for (std::size_t k = 0; k < inequalities_.size(); ++k) {
    std::size_t const there = (inequalities_[k].members & placed).size();
    if (there >= inequalities_[k].need) continue;
    active_[k / 64] |= bit(k % 64);
    sum_ -= static_cast<Fixed>(inequalities_[k].need - there) * inequalities_[k].price;
  }
  std::array<Word*, VarSet::capacity> slots;
  for (std::size_t const x : all_ - placed) slots[x] = slot_of(x, active_);
  for (std::size_t const x : all_ - placed) sum_ += bests_[x] = best_of(x, active_, slots[x]);
  return sum_;
}

Fixed RemainingBound::after(std::size_t x, Fixed least) {
  Fixed sum = sum_ - bests_[x];
  after_ = active_;
  VarSet changed;
  for (std::size_t w = 0; w < words_; ++w)
    for (std::size_t const k : VarSet(active_[w] & priced_[x].members[w])) {
      Inequality const& inequality = inequalities_[w * 64 + k];
      sum += inequality.price;
      if ((inequality.members & placed_).size() + 1 < inequality.need) continue;
      after_[w] &= ~bit(k);
      changed |= inequality.members;
    }
  changed = (changed - placed_).without(x);
  if (sum <= least) return sum;
  std::array<Word*, VarSet::capacity> slots;
  for (std::size_t const y : changed) slots[y] = slot_of(y, after_);
  for (std::size_t const y : changed) {
    if (sum <= least) break;
    sum += best_of(y, after_, slots[y]) - bests_[y];  // which only falls
  }
  return sum;
}

VarSet RemainingBound::parents_within(std::size_t x, Fixed margin) const {
  auto const& p = priced_[x];
  auto const stop = std::partition_point(p.full.begin(), p.full.end(),
                                         [&](Fixed full) { return bests_[x] - full < margin; });
  if (stop == p.full.begin()) return {};
  return p.reach[static_cast<std::size_t>(stop - p.full.begin()) - 1];
}

std::vector<Fixed> remaining_bounds(ScoreCache const& cache, std::span<Cluster const> clusters,
                                    VarSet placed) {
  std::size_t const n = cache.variable_count();
  if (n > VarSet::capacity)
    throw InputError("the remaining bound is for at most 64 variables, got " + std::to_string(n) +
                     ".");
  std::vector<std::vector<RemainingBound::Candidate>> lists(n);
  for (std::size_t x = 0; x < n; ++x) {
    auto const v = static_cast<Variable>(x);
    for (std::size_t c = cache.begin(v); c < cache.end(v); ++c) {
      VarSet parents;
      for (Variable const p : cache.parents(c)) parents.insert(p);
      lists[x].push_back({parents, cache.score(c) - cache.score(cache.begin(v))});
    }
  }
  std::vector<RemainingBound::Inequality> inequalities;
  for (auto const& cluster : clusters)
    inequalities.push_back(
        {VarSet(cluster.members.words()[0]), cluster.need, cluster.price, cluster.blocks});
  RemainingBound bound(lists, std::move(inequalities));
  placed &= VarSet::first(n);
  std::vector<Fixed> out{bound.of(placed)};
  for (std::size_t const x : VarSet::first(n) - placed) out.push_back(bound.after(x));
  return out;
}

}  // namespace bayesloom::dual
