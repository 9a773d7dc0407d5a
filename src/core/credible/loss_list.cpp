#include "credible/loss_list.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "credible/tuning.hpp"

namespace bayesloom::credible {

namespace {

/// Adds up neighbours with equal losses.
void merge(std::vector<LossList::Entry>& entries) {
  std::size_t kept = 0;
  for (auto const& entry : entries) {
    if (kept > 0 && entries[kept - 1].loss == entry.loss)
      entries[kept - 1].count = checked_sum(entries[kept - 1].count, entry.count);
    else
      entries[kept++] = entry;
  }
  entries.resize(kept);
}

}  // namespace

LossList LossList::one() {
  LossList list;
  list.entries_.push_back({0, 1});
  return list;
}

LossList::LossList(std::vector<Entry> entries) : entries_(std::move(entries)) {
  std::sort(entries_.begin(), entries_.end(),
            [](Entry const& a, Entry const& b) { return a.loss < b.loss; });
  merge(entries_);
  if (entries_.size() > longest) round();
}

Count LossList::within(Fixed t) const {
  Count sum = 0;
  for (auto const& entry : entries_) {
    if (entry.loss > t) break;
    sum = checked_sum(sum, entry.count);
  }
  return sum;
}

LossList LossList::times(LossList const& other, Fixed most) const {
  LossList out;
  if (empty() || other.empty()) return out;
  if (rounded_ != other.rounded_) {
    LossList copy = rounded_ ? other : *this;
    copy.round();
    return copy.times(rounded_ ? *this : other, most);
  }
  out.error_ = error_ + other.error_;
  out.rounded_ = rounded_;
  bool const fewer = entries_.size() < other.entries_.size();
  auto const& few = fewer ? entries_ : other.entries_;
  auto const& many = fewer ? other.entries_ : entries_;
  Fixed const first = least() + other.least();
  if (first > most) return out;
  if (rounded_) {
    std::vector<Count> sums(static_cast<std::size_t>((most - first) / grid) + 1, 0);
    for (auto const& a : few)
      for (auto const& b : many) {
        Fixed const loss = a.loss + b.loss;
        if (loss > most) break;
        Count& sum = sums[static_cast<std::size_t>((loss - first) / grid)];
        sum = checked_sum(sum, checked_product(a.count, b.count));
      }
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (sums[i] != 0) out.entries_.push_back({first + static_cast<Fixed>(i) * grid, sums[i]});
    return out;
  }
  auto const before = [](Entry const& x, Entry const& y) { return x.loss < y.loss; };
  if (few.size() * many.size() > tuning::rounded_before * longest) {
    // Certainly to be rounded.
    LossList a = *this, b = other;
    a.round();
    b.round();
    return a.times(b, most);
  }
  for (auto const& a : few)
    for (auto const& b : many) {
      Fixed const loss = a.loss + b.loss;
      if (loss > most) break;
      out.entries_.push_back({loss, checked_product(a.count, b.count)});
    }
  if (few.size() > 1) {
    std::sort(out.entries_.begin(), out.entries_.end(), before);
    merge(out.entries_);
  }
  if (out.entries_.size() > longest) out.round();
  return out;
}

void LossList::add(LossList other) {
  if (other.empty()) return;
  if (empty()) {
    *this = std::move(other);
    return;
  }
  if (rounded_ && !other.rounded_) other.round();
  if (!rounded_ && other.rounded_) round();
  error_ = std::max(error_, other.error_);
  std::vector<Entry> both;
  both.reserve(entries_.size() + other.entries_.size());
  std::merge(entries_.begin(), entries_.end(), other.entries_.begin(), other.entries_.end(),
             std::back_inserter(both),
             [](Entry const& a, Entry const& b) { return a.loss < b.loss; });
  merge(both);
  entries_ = std::move(both);
  if (!rounded_ && entries_.size() > longest) round();
}

void LossList::shorten(std::size_t most) {
  if (!rounded_ && entries_.size() > most) round();
  entries_.shrink_to_fit();
}

void LossList::round() {
  Fixed most = 0;
  for (auto& entry : entries_) {
    Fixed const to = (entry.loss + grid / 2) / grid * grid;
    most = std::max(most, std::abs(to - entry.loss));
    entry.loss = to;
  }
  merge(entries_);
  rounded_ = true;
  error_ += most;
}

}  // namespace bayesloom::credible
