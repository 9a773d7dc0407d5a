#include "credible/averages/pair_weights.hpp"

#include <algorithm>
#include <bit>

#include "base/errors.hpp"
#include "credible/averages/listed_sums.hpp"

namespace bayesloom::credible {

namespace {

/// Adds the pairs of one network after the other, each with a weight.
class PairSums {
 public:
  PairSums(ScoreCache const& cache, PairFeature feature)
      : cache_(cache),
        feature_(feature),
        n_(cache.variable_count()),
        words_((n_ + 63) / 64),
        sums_(n_ * n_, 0.0),
        sets_(n_ * words_),
        found_(n_) {}

  void add(std::span<std::uint64_t const> candidates, double weight) {
    std::fill(sets_.begin(), sets_.end(), 0);
    if (feature_ == PairFeature::blanket) {
      blankets(candidates);
    } else {
      std::fill(found_.begin(), found_.end(), false);
      for (std::size_t v = 0; v < n_; ++v) descend(candidates, v);
    }
    for (std::size_t a = 0; a < n_; ++a)
      for (std::size_t w = 0; w < words_; ++w)
        for (std::uint64_t left = sets_[a * words_ + w]; left != 0; left &= left - 1) {
          std::size_t const b = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
          // Ancestors were found by descendant.
          sums_[feature_ == PairFeature::blanket ? a * n_ + b : b * n_ + a] += weight;
        }
  }

  std::vector<double> take() {
    for (std::size_t v = 0; v < n_; ++v) sums_[v * n_ + v] = 0;
    std::vector<double> sums(n_ * n_, 0.0);
    sums.swap(sums_);
    return sums;
  }

 private:
  void put(std::size_t a, std::size_t b) {
    sets_[a * words_ + b / 64] |= std::uint64_t{1} << b % 64;
  }

  void blankets(std::span<std::uint64_t const> candidates) {
    for (std::size_t v = 0; v < n_; ++v) {
      auto const parents = cache_.parents(candidates[v]);
      for (Variable const p : parents) {
        put(p, v);
        put(v, p);
        for (Variable const q : parents) put(p, q);
      }
    }
  }

  void descend(std::span<std::uint64_t const> candidates, std::size_t v) {
    if (found_[v]) return;
    found_[v] = true;
    for (Variable const p : cache_.parents(candidates[v])) {
      descend(candidates, p);
      put(v, p);
      for (std::size_t w = 0; w < words_; ++w) sets_[v * words_ + w] |= sets_[p * words_ + w];
    }
  }

  ScoreCache const& cache_;
  PairFeature const feature_;
  std::size_t const n_, words_;
  std::vector<double> sums_;
  std::vector<std::uint64_t> sets_;
  std::vector<bool> found_;
};

}  // namespace

std::optional<std::vector<double>> pair_weights(CredibleSet const& set, PairFeature feature,
                                                Control& control) {
  std::size_t const n = set.cache().variable_count();
  return sum_over_networks(set, n * n, [&] { return PairSums(set.cache(), feature); }, control);
}

std::vector<double> pair_counts(ScoreCache const& cache, std::span<std::uint64_t const> networks,
                                PairFeature feature) {
  std::size_t const n = cache.variable_count();
  for (auto const c : networks)
    if (c >= cache.candidate_count()) throw InputError("there is no such candidate.");
  PairSums sums(cache, feature);
  for (std::size_t at = 0; at + n <= networks.size(); at += n)
    sums.add(networks.subspan(at, n), 1.0);
  return sums.take();
}

}  // namespace bayesloom::credible
