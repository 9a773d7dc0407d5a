#include "credible/averages/listed_sums.hpp"

namespace bayesloom::credible {

namespace {

struct CandidateSums {
  std::vector<double> sums;
  void add(std::span<std::uint64_t const> candidates, double weight) {
    for (auto const c : candidates) sums[c] += weight;
  }
  std::vector<double> take() {
    std::vector<double> out(sums.size(), 0.0);
    out.swap(sums);
    return out;
  }
};

}  // namespace

std::optional<std::vector<double>> listed_candidate_weights(CredibleSet const& set,
                                                            Control& control) {
  std::size_t const size = set.cache().candidate_count();
  return sum_over_networks(
      set, size, [size] { return CandidateSums{std::vector<double>(size, 0.0)}; }, control);
}

}  // namespace bayesloom::credible
