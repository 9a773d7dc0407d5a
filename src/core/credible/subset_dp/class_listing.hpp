// Lists networks and groups them by class key (classes/class_key.hpp).
//
// The traversal is that of walk.hpp, written as a recursion so that the key is updated with every variable removed
// instead of recomputed for each network: the last few steps are most of the work. The tree is cut into pieces at
// states near the root. Each thread fills its own table, and the tables are merged such that the first member of a
// class does not depend on the number of threads.
#pragma once

#include "base/control.hpp"
#include "credible/classes/classes.hpp"
#include "credible/subset_dp/states.hpp"

namespace bayesloom::credible {

/// The classes found until time or memory ended; `whole` tells. There is always one, with a best
/// network. `states`, if not null, must be of these parts.
Classes classes_by_states(ScoreCache const& cache, std::span<Part const> parts, Fixed max_loss,
                          States const* states, std::size_t threads, double memory_bytes,
                          Control& control);

}  // namespace bayesloom::credible
