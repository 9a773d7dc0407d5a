// The law of exchanges between temperatures: where all networks are equally probable, they go from one pair
// of networks to another as often as back.
//
// Prints the largest difference between the two counts in standard errors (test_moves.py).
#include "posterior/exchange.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace bayesloom;
using namespace bayesloom::posterior;

int main() {
  // Five members of two families each. Member 2 has parent 0 or 1; members 3 and 4 have parent 2 or none. The
  // second family of 4 is so bad that the network at temperature 1 keeps the first; all others weigh the same.
  std::vector<std::vector<std::vector<std::uint32_t>>> const parents = {
      {{}, {}}, {{}, {}}, {{0}, {1}}, {{2}, {}}, {{2}, {}}};
  Part part;
  for (std::uint32_t v = 0; v < 5; ++v) {
    part.variables.push_back(static_cast<Variable>(v));
    auto& families = part.families.emplace_back();
    auto& flat = part.parents.emplace_back();
    for (std::size_t f = 0; f < 2; ++f) {
      auto const first = static_cast<std::uint32_t>(flat.size());
      flat.insert(flat.end(), parents[v][f].begin(), parents[v][f].end());
      double const loss = v == 4 && f == 1 ? 700.0 : 0.0;
      families.push_back({f, 0, loss, first, static_cast<std::uint32_t>(flat.size())});
    }
  }
  constexpr std::uint32_t states = 16;  // which families of members 0 to 3 the first network has
  constexpr int runs = 20'000;
  Exchange exchange(part);
  Rng random(1);
  std::uint64_t tried = 0;
  std::vector<double> count(states * states, 0.0);
  for (std::uint32_t state = 0; state < states; ++state) {
    std::vector<std::uint32_t> of_first(5), of_second(5);
    for (std::uint32_t v = 0; v < 5; ++v) {
      of_first[v] = state >> v & 1;
      of_second[v] = 1 - of_first[v];
    }
    PartNetwork const begin_first(part, of_first), begin_second(part, of_second);
    for (int run = 0; run < runs; ++run) {
      PartNetwork first = begin_first, second = begin_second;
      exchange.run(first, 1.0, second, 0.0, 1, random, tried);
      std::uint32_t reached = 0;
      for (std::uint32_t v = 0; v < 5; ++v) reached |= first.family[v] << v;
      count[state * states + reached] += 1;  // member 4 never changes, so reached < states
    }
  }
  double most = 0;
  for (std::uint32_t a = 0; a < states; ++a)
    for (std::uint32_t b = 0; b < a; ++b) {
      double const there = count[a * states + b], back = count[b * states + a];
      most = std::max(most, std::abs(there - back) / std::sqrt(std::max(1.0, there + back)));
    }
  std::printf("%.2f\n", most);
}
