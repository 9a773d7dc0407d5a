// A good network to begin with: insert moves on the order, with restarts.
//
// A known network prunes the exact search, and nothing else in this room depends on how good it is.
// From an order each member gets its best candidate among those before it. A move takes one member
// out and puts it back where the loss is least; when no move helps, a few members are moved at random
// and the descent begins again from the best order so far [lee2017]. The effort is counted, not
// timed, and the random numbers are always the same: the outcome does not depend on the machine.
#pragma once

#include "base/control.hpp"
#include "order_graph/by_component.hpp"

namespace bayesloom {

/// The better of `known` and what the search finds within about `tests` looks at a candidate.
ComponentResult improved(Component const& component, ComponentResult const& known,
                         std::uint64_t tests, Control& control);

}  // namespace bayesloom
