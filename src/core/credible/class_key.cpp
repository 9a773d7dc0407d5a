#include "credible/class_key.hpp"

#include <algorithm>
#include <bit>

namespace bayesloom::credible {

namespace {

std::uint64_t mix(std::uint64_t z) {  // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// The random word of a pair (x = 65535, which is no variable) or a triple.
ClassKey word(std::size_t a, std::size_t b, std::size_t x = 65535) {
  std::uint64_t const id =
      std::uint64_t{std::min(a, b)} << 32 | std::uint64_t{std::max(a, b)} << 16 | x;
  return {mix(id + 0x9e3779b97f4a7c15ULL), mix(id + 0x3c6ef372fe94f82aULL)};
}

}  // namespace

ClassKeys::ClassKeys(ScoreCache const& cache, Component const& component)
    : component_(component), words_((cache.variable_count() + 63) / 64) {
  std::vector<bool> inside(cache.variable_count(), false);
  for (Variable const v : component.variables) inside[v] = true;
  for (std::size_t i = 0; i < component.size(); ++i) {
    Variable const x = component.variables[i];
    auto& list = entries_.emplace_back();
    for (auto const& choice : component.choices[i]) {
      Entry entry{{}, std::vector<std::uint64_t>(words_, 0)};
      auto const parents = cache.parents(choice.candidate);
      for (std::size_t p = 0; p < parents.size(); ++p) {
        entry.parents[parents[p] / 64] |= std::uint64_t{1} << parents[p] % 64;
        entry.alone ^= word(parents[p], x);
        for (std::size_t q = p + 1; q < parents.size(); ++q)
          if (inside[parents[p]] || inside[parents[q]])
            entry.alone ^= word(parents[p], parents[q], x);
      }
      list.push_back(std::move(entry));
    }
  }
}

ClassKey ClassKeys::joined(std::size_t x, std::size_t i, std::size_t a, std::size_t j) const {
  ClassKey key;
  auto const& here = entries_[x][i].parents;
  auto const& above = entries_[a][j].parents;
  for (std::size_t w = 0; w < words_; ++w)
    for (std::uint64_t both = here[w] & above[w]; both != 0; both &= both - 1)
      key ^=
          word(component_.variables[a], w * 64 + static_cast<std::size_t>(std::countr_zero(both)),
               component_.variables[x]);
  return key;
}

}  // namespace bayesloom::credible
