// Exhaustive enumeration child by child, for scores with bounds by parent states. Private to the room.
//
// The same result as exhaustive.hpp, found in another order: by levels while these are small, then each child
// by itself (child_search.hpp), children on threads, with a checkpoint between them.
#pragma once

#include "base/control.hpp"
#include "data/encoded_data.hpp"
#include "parent_sets/parent_sets.hpp"
#include "score/score.hpp"

namespace bayesloom {

/// Whether the score has the bounds it takes, and the options do not say otherwise.
bool by_child_pays(EncodedData const& data, ScoreSpec const& spec,
                   ExhaustiveOptions const& options);

/// By levels while they are small, then child by child. A child whose turn did not come, because the
/// work was stopped, has the sets of the levels.
ExhaustiveResult exhaustive_by_child(EncodedData const& data, ScoreSpec const& spec,
                                     ExhaustiveOptions const& options, Control& control);

}  // namespace bayesloom
