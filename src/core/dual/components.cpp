// The strong components of a problem: no cycle leaves one, so each is solved apart.
#include <algorithm>
#include <vector>

#include "dual/problem.hpp"
#include "graph/strong_components.hpp"

namespace bayesloom::dual {

std::vector<WideVarSet> components(Problem const& problem) {
  Universe const& universe = *problem.universe;
  std::vector<std::vector<Index>> parents(universe.n);
  std::vector<Word> used(universe.words);
  for (Index const i : problem.variables) {
    std::fill(used.begin(), used.end(), 0);
    for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c)
      for (std::size_t w = 0; w < used.size(); ++w) used[w] |= problem.mask(c)[w];
    for (std::size_t w = 0; w < used.size(); ++w)
      for (std::size_t const bit : VarSet(used[w]))
        parents[i].push_back(universe.variable(i, w * 64 + bit));
  }
  StrongComponents const strong(parents, problem.variables);
  std::vector<WideVarSet> parts(strong.count(), WideVarSet(universe.n));
  for (Index const i : problem.variables) parts[strong[i]].insert(i);
  return parts;
}

}  // namespace bayesloom::dual
