#include "posterior/local_sums.hpp"

#include <algorithm>
#include <cmath>

#include "posterior/tuning.hpp"

namespace bayesloom::posterior {

LocalSums::LocalSums(Part const& part, std::size_t table_bytes)
    : part_(&part), members_(part.size()) {
  std::vector<std::uint32_t> place(part.size());
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    auto& member = members_[i];
    member.up = part.parents[i];
    std::ranges::sort(member.up);
    auto const repeated = std::ranges::unique(member.up);
    member.up.erase(repeated.begin(), repeated.end());
    for (std::size_t k = 0; k < member.up.size(); ++k) {
      place[member.up[k]] = static_cast<std::uint32_t>(k);
      members_[member.up[k]].down.push_back(static_cast<std::uint32_t>(i));
    }
    member.words = std::max<std::size_t>(1, (member.up.size() + 63) / 64);
    most_words_ = std::max(most_words_, member.words);
    member.sets.assign(part.families[i].size() * member.words, 0);
    for (std::size_t f = 0; f < part.families[i].size(); ++f)
      for (std::uint32_t const p : part.of(i, part.families[i][f]))
        member.sets[f * member.words + place[p] / 64] |= Word{1} << place[p] % 64;
    for (std::size_t f = 0; f < part.families[i].size(); ++f)
      member.by_key.emplace(part.families[i][f].key, static_cast<std::uint32_t>(f));
    for (auto const& family : part.families[i]) member.weights.push_back(std::exp(-family.loss));
    std::size_t const bits = member.up.size();
    // A list of three families is summed as fast as a table is looked up.
    if (bits > tuning::table_bits || part.families[i].size() < 4) continue;
    std::size_t const size = std::size_t{1} << bits;
    if (bytes + size * sizeof(double) > table_bytes) continue;
    bytes += size * sizeof(double);
    member.table.assign(size, 0.0);
    for (std::size_t f = 0; f < part.families[i].size(); ++f)
      member.table[member.sets[f]] += std::exp(-part.families[i][f].loss);
    for (std::size_t bit = 1; bit < size; bit *= 2)
      for (std::size_t base = 0; base < size; base += 2 * bit)
        for (std::size_t set = base; set < base + bit; ++set)
          member.table[set + bit] += member.table[set];
  }
}

/// Calls take(number, family, how many are left) for the families that tau sums, best first, until it returns
/// false.
template <typename Take>
void LocalSums::go_through(Member const& member, std::span<Family const> families,
                           Word const* inside, Word const* touched, Take const& take) const {
  std::size_t const count = families.size(), words = member.words;
  for (std::size_t f = 0; f < count; ++f) {
    Word const* const set = member.sets.data() + f * words;
    Word outside = 0, met = touched == nullptr ? 1 : 0;
    for (std::size_t w = 0; w < words; ++w) {
      outside |= set[w] & ~inside[w];
      if (touched != nullptr) met |= set[w] & touched[w];
    }
    if (outside == 0 && met != 0 && !take(f, families[f], count - f - 1)) return;
  }
}

double LocalSums::sum_of_weights(Member const& member, Word const* inside, Word const* touched) {
  Word const* set = member.sets.data();
  double const* const weights = member.weights.data();
  std::size_t const count = member.weights.size(), words = member.words;
  double sum = 0;
  for (std::size_t f = 0; f < count; ++f, set += words) {
    Word outside = set[0] & ~inside[0], met = set[0] & touched[0];
    for (std::size_t w = 1; w < words; ++w) {
      outside |= set[w] & ~inside[w];
      met |= set[w] & touched[w];
    }
    if (outside != 0 || met == 0) continue;
    sum += weights[f];
    if (static_cast<double>(count - f) * weights[f] < tuning::left_out * sum) break;
  }
  return sum;
}

double LocalSums::log_sum(std::size_t i, Word const* inside, Word const* touched) const {
  auto const& member = members_[i];
  if (!member.table.empty()) {
    double const all = member.table[inside[0]];
    if (all < tuning::least_sum) {
      // Weights have underflowed, or few of their digits are left.
    } else if (touched == nullptr) {
      return std::log(all);
    } else {
      double const rest = member.table[inside[0] & ~touched[0]];
      double const difference = all - rest;
      if (difference > 0 && difference >= tuning::least_difference * all)
        return std::log(difference);
    }
  }
  if (touched != nullptr) {
    double const sum = sum_of_weights(member, inside, touched);
    if (sum >= tuning::least_sum) return std::log(sum);
  }
  double best = 0, sum = 0;
  go_through(member, part_->families[i], inside, touched,
             [&](std::size_t, Family const& family, std::size_t left) {
               if (sum == 0) best = family.loss;
               double const weight = std::exp(best - family.loss);
               sum += weight;
               return static_cast<double>(left) * weight >= tuning::left_out * sum;
             });
  return sum > 0 ? std::log(sum) - best : none;
}

std::uint32_t LocalSums::draw(std::size_t i, Word const* inside, Word const* touched,
                              Rng& random) const {
  auto const& member = members_[i];
  auto const families = std::span<Family const>(part_->families[i]);
  double const log_total = log_sum(i, inside, touched);
  double wanted = random.uniform();
  std::uint32_t found = 0;
  go_through(member, families, inside, touched,
             [&](std::size_t f, Family const& family, std::size_t) {
               found = static_cast<std::uint32_t>(f);
               return (wanted -= std::exp(-family.loss - log_total)) >= 0;
             });
  return found;
}

}  // namespace bayesloom::posterior
