// Runs the islands of a search and takes the best of what they found.
#pragma once

#include <functional>

#include "order_search/island.hpp"
#include "order_search/order_search.hpp"

namespace bayesloom::order_search {

/// Calls `search(island, start)` for every island: island i draws from stream i of the seed, and
/// only the first begins with the order of the limits; the others, and the first if there is none,
/// get a random order. `search` returns when it is done or the island says stop.
OrderSearchResult run_islands(
    ScoreCache const& cache, OrderSearchLimits const& limits, Control& control,
    std::function<void(Island&, std::vector<Variable> const& start)> const& search);

}  // namespace bayesloom::order_search
