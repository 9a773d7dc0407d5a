#include "credible/classes/classes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "credible/loss_list.hpp"
#include "credible/tuning.hpp"

namespace bayesloom::credible {

namespace {

/// How many ways there are to take one class of each part with losses of at most `limit` in all: at
/// least and at most, where lists of products had to be rounded.
std::pair<Count, Count> products_within(std::span<PartClasses const> parts, Fixed limit) {
  if (std::any_of(parts.begin(), parts.end(), [](auto& part) { return part.entries.empty(); }))
    return {0, 0};
  // The longest list stays as it is.
  auto const longest = std::max_element(parts.begin(), parts.end(), [](auto& a, auto& b) {
    return a.entries.size() < b.entries.size();
  });
  Fixed const first = longest->entries.front().loss;
  LossList others = LossList::one();
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    if (part == longest) continue;
    std::vector<LossList::Entry> entries;
    for (auto const& entry : part->entries) entries.push_back({entry.loss, 1});
    others = others.times(LossList(std::move(entries)), limit - first + LossList::margin);
  }
  auto const count = [&](Fixed most) {
    Count sum = 0;
    for (auto const& entry : others.entries()) {
      auto const fit =
          std::upper_bound(longest->entries.begin(), longest->entries.end(), most - entry.loss,
                           [](Fixed loss, auto const& of) { return loss < of.loss; });
      sum = checked_sum(
          sum, checked_product(entry.count, static_cast<Count>(fit - longest->entries.begin())));
    }
    return sum;
  };
  return {count(limit - others.error()), count(limit + others.error())};
}

}  // namespace

Classes::Classes(std::vector<PartClasses> parts, Fixed limit, bool best_first)
    : parts_(std::move(parts)), limit_(limit), best_first_(best_first) {
  auto const [low, high] = products_within(parts_, limit_);
  count_ = low;
  whole_ =
      low == high && std::all_of(parts_.begin(), parts_.end(), [](auto& p) { return p.whole; });
}

ClassWalk::ClassWalk(Classes const& classes) : classes_(classes), at_(classes.parts().size(), 0) {
  if (classes.best_first() && classes.parts().size() > 1 && classes.count() <= tuning::most_sorted)
    sort_all();
}

bool ClassWalk::next_product() {
  if (ended_) return false;
  auto const parts = classes_.parts();
  if (!begun_) {
    begun_ = true;
    loss_ = 0;
    for (auto const& part : parts) {
      if (part.entries.empty()) return !(ended_ = true);
      loss_ += part.entries.front().loss;
    }
    return !(ended_ = loss_ > classes_.limit());
  }
  // Entries are in the order of loss, so what fits with the best of the parts behind is all that
  // must be looked at.
  for (std::size_t p = at_.size(); p-- > 0;) {
    auto const& entries = parts[p].entries;
    Fixed const without = loss_ - entries[at_[p]].loss;
    if (at_[p] + 1 < entries.size() && without + entries[at_[p] + 1].loss <= classes_.limit()) {
      ++at_[p];
      loss_ = without + entries[at_[p]].loss;
      return true;
    }
    at_[p] = 0;
    loss_ = without + entries[0].loss;
  }
  ended_ = true;
  return false;
}

void ClassWalk::sort_all() {
  auto const parts = classes_.parts();
  std::vector<Fixed> losses;
  while (next_product()) {
    losses.push_back(loss_);
    for (std::size_t const i : at_) sorted_.push_back(static_cast<std::uint32_t>(i));
  }
  // Among equal losses as a listing of whole networks, the last part in the outer loop, meets them.
  rows_.resize(losses.size());
  std::iota(rows_.begin(), rows_.end(), std::size_t{0});
  std::sort(rows_.begin(), rows_.end(), [&](std::size_t a, std::size_t b) {
    if (losses[a] != losses[b]) return losses[a] < losses[b];
    for (std::size_t p = parts.size(); p-- > 0;) {
      std::uint32_t const i = sorted_[a * parts.size() + p], j = sorted_[b * parts.size() + p];
      if (i != j) return parts[p].entries[i].order < parts[p].entries[j].order;
    }
    return false;
  });
}

bool ClassWalk::next() {
  if (rows_.empty()) return next_product();
  if (row_ == rows_.size()) return false;
  std::size_t const begin = rows_[row_++] * at_.size();
  loss_ = 0;
  for (std::size_t p = 0; p < at_.size(); ++p) {
    at_[p] = sorted_[begin + p];
    loss_ += classes_.parts()[p].entries[at_[p]].loss;
  }
  return true;
}

Count ClassWalk::members() const {
  Count product = 1;
  for (std::size_t p = 0; p < at_.size(); ++p)
    product = checked_product(product, classes_.parts()[p].entries[at_[p]].members);
  return product;
}

void ClassWalk::candidates(ScoreCache const& cache, std::span<std::uint64_t> out) const {
  for (std::size_t p = 0; p < at_.size(); ++p) {
    auto const& part = classes_.parts()[p];
    std::size_t at = part.entries[at_[p]].first;
    for (Variable const v : part.variables) out[v] = cache.begin(v) + part.choices[at++];
  }
}

}  // namespace bayesloom::credible
