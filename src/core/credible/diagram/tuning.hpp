// Every tuned number of the diagram backend: unit, range, and the benchmark to run before and after a
// change. `table1` is benchmarks/tables/liao2018/table1, `stages` benchmarks/micro/credible_stages.py.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/fixed_point.hpp"
#include "credible/count.hpp"

namespace bayesloom::credible::tuning {

// Building (diagram.cpp)

/// Variables, 2 or more: smaller subproblems are gone through faster than they are priced [table1:
/// bands].
inline constexpr std::size_t priced_from = 16;
/// Nodes, 0 or more, made without prices of their own where those of the whole are tight: what is done
/// by then is done sooner [stages].
inline constexpr std::size_t nodes_without_prices = 1500;
/// The prices of the whole are tight if their gap times this is below the limit; 1 or more [stages].
inline constexpr Fixed tight_gap = 10;
/// Losses, 1 or more: longer lists are rounded once half of the memory is in use [table1: lung-cancer].
inline constexpr std::size_t long_list = 2048;
/// Steps, 1 or more: limits of subproblems are rounded up to 1 / this of the whole limit, so that more
/// of them are alike [table1].
inline constexpr Fixed limit_steps = 1024;
/// Bytes of a node and of each of its branches, about [table1].
inline constexpr double bytes_per_node = 200, bytes_per_branch = 64;
/// Clusters, 0 or more for each variable, that a quick bound is raised by (subproblem.cpp) [stages].
inline constexpr std::size_t clusters_per_variable = 4;

// Prices of a subproblem (subproblem_bound.cpp): as in relaxation/options.hpp, a node's gap for each
// variable is the scale of temperatures [stages]

/// Scale / temperature, above 0, of the first and last smoothed steps.
inline constexpr double first_temperature = 2, last_temperature = 12;
/// Rounds of new clusters, attempts at them in each, and passes over all of them, 1 or more.
inline constexpr std::size_t rounds = 2, additions = 5, passes_of_prices = 4;
/// Last temperature / gain, above 0, of an exact step that is worth making.
inline constexpr double least_gain = 4;

// Listing (diagram_set.cpp, diagram_classes.cpp)

/// Networks, 0 or more, gone through one by one if rounded losses leave their number open [table1].
inline constexpr Count most_walked = 100'000'000;
/// Steps of that walk between two checks of the clock, 1 or more [stages].
inline constexpr std::uint64_t walked_between_looks = 1024;
/// Networks, 0 or more, listed for one sum; of more, some are drawn [table1].
inline constexpr Count most_listed = 5'000'000;
/// Networks, 1 or more, listed of a component with too many to list, for a lower bound on classes.
inline constexpr std::uint64_t some_for_classes = 200'000;
/// Draws, 1 or more, that may be thrown away in a row before drawing is given up.
inline constexpr std::size_t most_tries = 1'000'000;

// Sequential Monte Carlo (diagram_ways.cpp, diagram_estimates.cpp)

/// Variables, 1 or more: parts of so many are counted, not walked through [table1].
inline constexpr std::size_t counted_up_to = 12;
/// Per nat, above 0: a guess of how fast networks become more with the loss [table1].
inline constexpr double growth = 1.5;
/// Particles of the first systems and of the largest, 2 or more.
inline constexpr std::size_t fewest_particles = 16, most_particles = 8192;
/// Systems of one size, 1 or more, before the next has twice as many particles.
inline constexpr std::size_t systems_of_a_size = 4;
/// Particles of a system for posteriors, 2 or more: copies of one particle say little more than it
/// does.
inline constexpr std::size_t particles_for_shares = 64;

// Annealed sampling (annealed_sampling.cpp)

/// Per nat, above 0: the rate falls by so much at a time [table1].
inline constexpr double rate_step = 0.2;
/// Passes of moves, 1 or more, at each rate; a pass moves as many variables as there are [table1].
inline constexpr std::size_t passes = 2;
/// And at the first rate, 2 or more; the second half of them tells what share is in the smaller set.
inline constexpr std::size_t first_passes = 100;
/// Above 1: at the first rate about one sample in so many is in the smaller set [table1].
inline constexpr double beyond = 4;
/// Nats, above 0: a smaller set with less loss than this counts as so wide when growth is guessed.
inline constexpr double least_far = 0.02;

}  // namespace bayesloom::credible::tuning
