// Orders from two orders [lee2017 section 5].
//
// cx  cycle crossover: at every place the variable of one of the parents; places form cycles on
// which
//     both hold the same variables, and for each cycle the leading parent is drawn anew
// rx  rank crossover: variables sorted by the sum of their two places, ties in random order
// ob  order-based crossover: n/2 random variables keep their place of the first parent, the others
//     fill the gaps in the order of the second
//
// The printed rule of cx overwrites the place just filled; see docs/papers/lee2017.md, 3.
#pragma once

#include <span>
#include <vector>

#include "base/rng.hpp"
#include "base/variable.hpp"
#include "order_search/order_search.hpp"

namespace bayesloom::order_search {

std::vector<Variable> cross(Crossover kind, std::span<Variable const> first,
                            std::span<Variable const> second, Rng& rng);

}  // namespace bayesloom::order_search
