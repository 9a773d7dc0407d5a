// Lists networks and puts them together by class key (classes/class_key.hpp).
//
// The walk is that of walk.hpp, written as a recursion so that the key grows with every variable
// taken away instead of being made anew for each network: the last few steps are most of the work.
// It is cut into pieces at states near the root; a thread takes piece after piece, with a table of
// its own, and the tables are merged: the first member of a class is the same for every number of
// threads.
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
