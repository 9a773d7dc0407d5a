#include "credible/classes/class_key.hpp"

#include <algorithm>
#include <bit>

namespace bayesloom::credible {

namespace {

std::uint64_t mix(std::uint64_t z) {  // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

constexpr unsigned bits = 21;
constexpr std::size_t nobody = (std::size_t{1} << bits) - 1;
static_assert(max_variables <= nobody);

/// The random word of a pair (x = nobody) or a triple.
ClassKey word(std::size_t a, std::size_t b, std::size_t x = nobody) {
  std::uint64_t const id =
      std::uint64_t{std::min(a, b)} << 2 * bits | std::uint64_t{std::max(a, b)} << bits | x;
  return {mix(id + 0x9e3779b97f4a7c15ULL), mix(id + 0x3c6ef372fe94f82aULL)};
}

}  // namespace

ClassKeys::ClassKeys(ScoreCache const& cache, Component const& component)
    : component_(component), words_((cache.variable_count() + 63) / 64) {
  std::vector<bool> inside(cache.variable_count(), false);
  for (Variable const v : component.variables) inside[v] = true;
  for (std::size_t i = 0; i < component.size(); ++i) {
    Variable const x = component.variables[i];
    first_.push_back(alone_.size());
    for (auto const& choice : component.lists[i]) {
      auto& alone = alone_.emplace_back();
      parents_.resize(alone_.size() * words_, 0);
      std::uint64_t* const set = parents_.data() + (alone_.size() - 1) * words_;
      auto const parents = cache.parents(choice.index);
      for (std::size_t p = 0; p < parents.size(); ++p) {
        set[parents[p] / 64] |= std::uint64_t{1} << parents[p] % 64;
        alone ^= word(parents[p], x);
        for (std::size_t q = p + 1; q < parents.size(); ++q)
          if (inside[parents[p]] || inside[parents[q]]) alone ^= word(parents[p], parents[q], x);
      }
    }
  }
}

ClassKey ClassKeys::joined(std::size_t x, std::size_t i, std::size_t a, std::size_t j) const {
  ClassKey key;
  std::uint64_t const* const here = parents_.data() + (first_[x] + i) * words_;
  std::uint64_t const* const above = parents_.data() + (first_[a] + j) * words_;
  Variable const parent = component_.variables[a];
  if ((here[parent / 64] >> parent % 64 & 1) == 0) return key;  // only an order
  for (std::size_t w = 0; w < words_; ++w)
    for (std::uint64_t both = here[w] & above[w]; both != 0; both &= both - 1)
      key ^=
          word(component_.variables[a], w * 64 + static_cast<std::size_t>(std::countr_zero(both)),
               component_.variables[x]);
  return key;
}

}  // namespace bayesloom::credible
