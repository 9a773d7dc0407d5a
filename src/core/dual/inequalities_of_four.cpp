#include "dual/inequalities_of_four.hpp"

#include <algorithm>
#include <initializer_list>
#include <numeric>

namespace bayesloom::dual {

namespace {

using Inequality = std::array<std::uint8_t, 4>;
using Sets = std::initializer_list<unsigned>;  // of variables, one bit each
constexpr unsigned a = 1, b = 2, c = 4, d = 8;

/// The set of the others than `own` in ascending order, as three bits.
unsigned among_others(unsigned set, unsigned own) {
  unsigned const below = set & ((1U << own) - 1);
  return below | (set >> (own + 1) << own);
}

/// The inequality with variable k named names[k].
Inequality renamed(std::array<Sets, 4> const& inequality, std::array<unsigned, 4> const& names) {
  Inequality out{};
  for (unsigned k = 0; k < 4; ++k)
    for (unsigned const minimal : inequality[k]) {
      unsigned set = 0;
      for (unsigned other = 0; other < 4; ++other)
        if ((minimal >> other & 1) != 0) set |= 1U << names[other];
      unsigned const least = among_others(set, names[k]);
      for (unsigned s = 0; s < 8; ++s)
        if ((least & ~s) == 0) out[names[k]] = static_cast<std::uint8_t>(out[names[k]] | 1U << s);
    }
  return out;
}

std::vector<Inequality> all_inequalities() {
  std::array<Sets, 4> const first{Sets{b | c}, Sets{a | c, a | d}, Sets{a | b, a | d}, Sets{b, c}};
  std::array<Sets, 4> const second{Sets{b | c, b | d}, Sets{a | c, a | d}, Sets{a | b, d},
                                   Sets{a | b, c}};
  std::vector<Inequality> inequalities;
  std::array<unsigned, 4> names{};
  std::iota(names.begin(), names.end(), 0U);
  do {
    inequalities.push_back(renamed(first, names));
    inequalities.push_back(renamed(second, names));
  } while (std::next_permutation(names.begin(), names.end()));
  std::sort(inequalities.begin(), inequalities.end());
  inequalities.erase(std::unique(inequalities.begin(), inequalities.end()), inequalities.end());
  return inequalities;
}

}  // namespace

std::vector<Inequality> const& inequalities_of_four() {
  static std::vector<Inequality> const inequalities = all_inequalities();
  return inequalities;
}

}  // namespace bayesloom::dual
