// Ways to leave a local optimum.
//
// swaps    exchanges pairs of variables at random places: not easily undone by inserts [lee2017
//          section 4]
// inserts  puts random variables at random places. One insert disturbs few variables, so the climb
//          that follows costs microseconds, not the milliseconds of a climb from afar; with orders of
//          magnitude more trials per second it is the better choice on large instances
//
// and one that costs nothing:
//
// neutral  keeps the network, or turns random covered edges to get another member of its
// equivalence
//          class, and lays it out in a random order with parents first. The score stays (under a
//          score that treats the class alike), the neighbours change.
#pragma once

#include <cstddef>
#include <vector>

#include "order_search/climb.hpp"

namespace bayesloom::order_search {

/// Disturbs the climber's order `times` times.
void shake(Climber& climber, Rng& rng, Shake kind, std::size_t times);

/// The number of disturbances for a share of n: at least 1.
std::size_t shake_times(double share, std::size_t n);

/// Lays the state's network, or another member of its class, out in a random order.
void neutral_move(Climber& climber, Island& island, OrderState const& state);

/// A random order with parents first of the network given by the choices. O(n + edges).
std::vector<Variable> random_topological_order(CandidateTable const& table,
                                               std::span<Rank const> choice, Rng& rng);

/// Turns covered edges x -> y, those where y has the parents of x and x itself, `tries` times at a
/// random y, where both new parent sets are candidates and the score does not fall by more than
/// `leeway`. Returns the change of the score.
Fixed turn_covered_edges(CandidateTable const& table, std::vector<Rank>& choice, std::size_t tries,
                         Fixed leeway, Rng& rng);

}  // namespace bayesloom::order_search
