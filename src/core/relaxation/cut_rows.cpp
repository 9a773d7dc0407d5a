#include "relaxation/cut_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/fixed_point.hpp"

namespace bayesloom::relaxation {

namespace {

/// Prices that are higher, and values that add up to more, are not looked at: they would not fit.
constexpr double most_price = 0x1p58, most_sum = 0x1p60;

void put(CutRow& row, std::vector<std::int32_t> const& by_weight, std::size_t first,
         std::vector<std::int16_t> const& weights) {
  // The commonest weight of a member goes from both sides.
  std::vector<std::int16_t> sorted = weights;
  std::sort(sorted.begin(), sorted.end());
  std::int16_t common = sorted.front();
  std::size_t most = 0;
  for (std::size_t k = 0; k < sorted.size();) {
    std::size_t end = k;
    while (end < sorted.size() && sorted[end] == sorted[k]) ++end;
    if (end - k > most) {
      most = end - k;
      common = sorted[k];
    }
    k = end;
  }
  row.least -= common;
  for (std::size_t k = 0; k < weights.size(); ++k)
    if (weights[k] != common) {
      row.columns.push_back(by_weight[first + k]);
      row.values.push_back(static_cast<std::int16_t>(weights[k] - common));
    }
}

}  // namespace

CutRows::CutRows(Problem problem, int finest) : problem_(std::move(problem)) {
  problem_.replace_prices({});
  owner_.resize(columns());
  for (Index const i : problem_.variables)
    std::fill(owner_.begin() + static_cast<std::ptrdiff_t>(problem_.begin[i]),
              owner_.begin() + static_cast<std::ptrdiff_t>(problem_.end[i]), i);
  tops_.assign(problem_.universe->n, nothing);
  // Prices add up to what a network loses, or some times as much.
  Fixed sum = 1;
  for (Index const i : problem_.variables) {
    Fixed largest = 0;
    for (std::size_t c = problem_.begin[i]; c < problem_.end[i]; ++c)
      largest = std::max(largest, -problem_.value[c]);
    sum += largest;
  }
  finer_ = std::clamp(57 - static_cast<int>(std::bit_width(static_cast<Word>(sum))), 0, finest);
}

void CutRows::add(Cluster const& cluster) {
  Cluster free = cluster;
  free.price = 0;
  CutRow row{{std::make_shared<Cluster const>(free), nullptr}, {}, {}, 0, 0};
  row.least = static_cast<std::int64_t>(cluster.need);
  LocalInequality const& local = problem_.local(free);
  std::vector<std::int32_t> places;
  std::vector<std::int16_t> weights;
  for (auto const& member : local.members) {
    places.clear();
    weights.clear();
    with_test(problem_.masks.data(), local.masks.data() + member.first, problem_.universe->words,
              member.test, [&](auto&& is_blocked) {
                for (std::size_t c = problem_.begin[member.variable];
                     c < problem_.end[member.variable]; ++c) {
                  places.push_back(static_cast<std::int32_t>(c));
                  weights.push_back(is_blocked(c) ? 0 : 1);
                }
              });
    put(row, places, 0, weights);
  }
  problem_.clusters.push_back(std::move(free));
  rows_.push_back(std::move(row));
}

void CutRows::add(std::shared_ptr<CutRule const> const& cut) {
  if (!problem_.add_cut(cut)) return;
  CutRow row{{nullptr, cut}, {}, {}, problem_.cuts.back().need, 0};
  std::vector<std::int32_t> places;
  std::vector<std::int16_t> weights;
  for (auto const& member : cut->members) {
    Index const i = member.variable;
    if (problem_.begin[i] == problem_.end[i]) continue;
    places.clear();
    weights.clear();
    for (std::size_t c = problem_.begin[i]; c < problem_.end[i]; ++c) {
      places.push_back(static_cast<std::int32_t>(c));
      weights.push_back(cut->weight(member, problem_.origin[c]));
    }
    put(row, places, 0, weights);
  }
  rows_.push_back(std::move(row));
}

void CutRows::remove(std::vector<std::int32_t> const& numbers) {
  // The problem has its clusters and its cuts in the order of their rows.
  std::vector<std::uint8_t> gone(rows_.size(), 0);
  for (auto const k : numbers) gone[static_cast<std::size_t>(k)] = 1;
  std::vector<std::uint8_t> gone_clusters, gone_cuts;
  for (std::size_t k = 0; k < rows_.size(); ++k)
    (rows_[k].rule.cluster ? gone_clusters : gone_cuts).push_back(gone[k]);
  auto const drop = [](auto& items, std::vector<std::uint8_t> const& out) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < items.size(); ++k)
      if (out[k] == 0) {
        if (k != kept) items[kept] = std::move(items[k]);
        ++kept;
      }
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(kept), items.end());
  };
  drop(problem_.clusters, gone_clusters);
  drop(problem_.cuts, gone_cuts);
  drop(rows_, gone);
}

CutRows::Wide CutRows::lay_prices(std::vector<double> const& duals, Fixed less) {
  values_ = problem_.value;
  for (Fixed& value : values_) value *= Fixed{1} << finer_;
  double const units = fixed_units_per_nat * static_cast<double>(Fixed{1} << finer_);
  whole_.assign(rows_.size(), 0);
  double room = most_sum;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    double const price = std::round(duals[r] * units) - static_cast<double>(less);
    if (!(price >= 1)) continue;
    CutRow const& row = rows_[r];
    double largest = std::abs(static_cast<double>(row.least));
    for (auto const value : row.values) largest = std::max(largest, std::abs(double{1} * value));
    room -= price * largest;
    if (price > most_price || room < 0) continue;  // any prices give a bound: without this one
    whole_[r] = static_cast<Fixed>(price);
  }
  Wide sum = static_cast<Wide>(problem_.base) * (Fixed{1} << finer_);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    Fixed const price = whole_[r];
    if (price == 0) continue;
    CutRow const& row = rows_[r];
    for (std::size_t k = 0; k < row.columns.size(); ++k)
      values_[static_cast<std::size_t>(row.columns[k])] += price * row.values[k];
    sum -= static_cast<Wide>(price) * row.least;
  }
  return sum;
}

Fixed CutRows::price(std::vector<double> const& duals, std::vector<std::uint8_t> const& open) {
  Wide sum = lay_prices(duals, 0);
  bool possible = true;
  for (Index const i : problem_.variables) {
    Fixed const top = top_of(i, open);
    possible = possible && top != nothing;
    sum += top;
    tops_[i] = top == nothing ? top : top >> finer_;
  }
  // Whole units again. Scores are whole, so a bound may be rounded down; of what a candidate stands below the
  // best no more than there is.
  Fixed const part = (Fixed{1} << finer_) - 1;
  for (Fixed& value : values_) value = (value + part) >> finer_;
  sum >>= finer_;
  if (!possible || sum < nothing) return nothing;
  return static_cast<Fixed>(std::min<Wide>(sum, -Wide{nothing}));
}

Fixed CutRows::top_of(Index i, std::vector<std::uint8_t> const& open) const {
  Fixed top = nothing;
  for (std::size_t c = problem_.begin[i]; c < problem_.end[i]; ++c)
    if (open[c] != 0) top = std::max(top, values_[c]);
  return top;
}

std::vector<double> CutRows::begin_refining(std::vector<double> const& duals,
                                            std::vector<std::uint8_t> const& open, Fixed less) {
  coarse_ = lay_prices(duals, less << finer_);
  below_.assign(columns(), 0);
  std::vector<double> out(columns(), 0);
  for (Index const i : problem_.variables) {
    Fixed const top = top_of(i, open);
    coarse_ += top;
    for (std::size_t c = problem_.begin[i]; c < problem_.end[i]; ++c) {
      if (open[c] == 0) continue;
      below_[c] = top - values_[c];
      out[c] = std::ldexp(static_cast<double>(below_[c]), -finer_);
    }
  }
  return out;
}

Fixed CutRows::refine(std::vector<double> const& more, std::vector<std::uint8_t> const& open,
                      int finer) {
  std::vector<Wide> values(columns());
  for (std::size_t c = 0; c < values.size(); ++c)
    values[c] = -(static_cast<Wide>(below_[c]) << finer);
  Wide sum = coarse_ * (Wide{1} << finer);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    double const price = std::round(std::ldexp(more[r], finer_ + finer));
    if (!(price >= 1 && price < most_price)) continue;
    CutRow const& row = rows_[r];
    auto const whole = static_cast<Fixed>(price);
    for (std::size_t k = 0; k < row.columns.size(); ++k)
      values[static_cast<std::size_t>(row.columns[k])] += static_cast<Wide>(whole) * row.values[k];
    sum -= static_cast<Wide>(whole) * row.least;
    if (finer == 0) whole_[r] += whole;
  }
  for (Index const i : problem_.variables) {
    std::optional<Wide> top;
    for (std::size_t c = problem_.begin[i]; c < problem_.end[i]; ++c)
      if (open[c] != 0 && (!top || values[c] > *top)) top = values[c];
    if (!top) return nothing;
    sum += *top;
  }
  sum >>= finer_ + finer;
  return static_cast<Fixed>(std::clamp<Wide>(sum, nothing, -Wide{nothing}));
}

PriceList CutRows::prices() const {
  PriceList out;
  for (std::size_t r = 0; r < rows_.size(); ++r)
    if (whole_[r] > 0) out.emplace_back(rows_[r].rule, whole_[r]);
  return out;
}

Problem const& CutRows::priced() {
  problem_.priced = values_;
  problem_.best = tops_;
  return problem_;
}

}  // namespace bayesloom::relaxation
