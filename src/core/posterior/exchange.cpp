#include "posterior/exchange.hpp"

#include <algorithm>
#include <cmath>

namespace bayesloom::posterior {

Exchange::Exchange(Part const& part) : part_(part), state_(part.size(), 0) {}

/// Finds the members whose families differ, and the graph on them.
void Exchange::join(PartNetwork const& first, PartNetwork const& second) {
  std::size_t const n = part_.size();
  differing_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    state_[i] = first.family[i] != second.family[i] ? 1 : 0;
    if (state_[i] != 0) differing_.push_back(static_cast<std::uint32_t>(i));
  }
  edge_.clear();
  first_.assign(n + 1, 0);
  // The family of lower number comes first, whichever network has it. If the order of the lists changed with an
  // exchange, so would the probability of each region, and detailed balance would not hold.
  for (std::uint32_t const i : differing_)
    for (std::uint32_t const f :
         {std::min(first.family[i], second.family[i]), std::max(first.family[i], second.family[i])})
      for (std::uint32_t const p : part_.of(i, part_.families[i][f]))
        if (state_[p] != 0) {
          edge_.push_back(i);
          edge_.push_back(p);
          ++first_[i + 1];
          ++first_[p + 1];
        }
  for (std::size_t i = 0; i < n; ++i) first_[i + 1] += first_[i];
  around_.resize(first_[n]);
  std::vector<std::uint32_t> at(first_.begin(), first_.end() - 1);
  for (std::size_t e = 0; e < edge_.size(); e += 2) {
    around_[at[edge_[e]]++] = edge_[e + 1];
    around_[at[edge_[e + 1]]++] = edge_[e];
  }
}

void Exchange::grow(std::size_t size, Rng& random) {
  region_.clear();
  region_.push_back(differing_[random.below(differing_.size())]);
  state_[region_.front()] = 2;
  for (std::size_t next = 0; next < region_.size() && region_.size() < size; ++next) {
    std::uint32_t const i = region_[next];
    std::uint32_t const count = first_[i + 1] - first_[i];
    if (count == 0) continue;
    auto const begin = static_cast<std::uint32_t>(random.below(count));
    for (std::uint32_t k = 0; k < count && region_.size() < size; ++k) {
      std::uint32_t const j = around_[first_[i] + (begin + k) % count];
      if (state_[j] != 1) continue;
      state_[j] = 2;
      region_.push_back(j);
    }
  }
  for (std::uint32_t const i : region_) state_[i] = 1;
}

std::uint64_t Exchange::run(PartNetwork& first, double first_heat, PartNetwork& second,
                            double second_heat, std::size_t times, Rng& random,
                            std::uint64_t& tried) {
  std::uint64_t accepted = 0;
  auto const taken = [&](double log_chance) {
    return log_chance >= 0 || random.uniform() < std::exp(log_chance);
  };
  ++tried;
  if (taken((first_heat - second_heat) * (first.loss(part_) - second.loss(part_)))) {
    std::swap(first, second);
    ++accepted;
  }
  join(first, second);
  if (differing_.empty()) return accepted;
  for (; times > 0; --times) {
    ++tried;
    // The logarithm of the size is uniform: most regions are small.
    double const most = static_cast<double>(differing_.size());
    grow(static_cast<std::size_t>(std::ceil(std::pow(most, random.uniform()))), random);
    double gain = 0;
    for (std::uint32_t const i : region_)
      gain += part_.families[i][first.family[i]].loss - part_.families[i][second.family[i]].loss;
    if (!taken((first_heat - second_heat) * gain)) continue;
    auto const exchange = [&] {
      for (std::uint32_t const i : region_) std::swap(first.family[i], second.family[i]);
    };
    exchange();
    if (!first.acyclic(part_, room_) || !second.acyclic(part_, room_)) {
      exchange();
      continue;
    }
    ++accepted;
  }
  first.sort(part_);
  second.sort(part_);
  return accepted;
}

}  // namespace bayesloom::posterior
