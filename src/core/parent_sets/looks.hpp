// How often scoring looks at the clock: by rows counted, not by sets.
//
// One counting of a hundred rows takes a microsecond, one of a million rows of many states a tenth of
// a second. A look costs less than a microsecond; so one is due after some tens of thousands of rows,
// and after some tens of sets where rows are few.
#pragma once

#include <algorithm>
#include <cstddef>

#include "data/encoded_data.hpp"
#include "parent_sets/tuning.hpp"

namespace bayesloom {

/// Countings between two looks, at least one and at most `most`.
inline std::size_t countings_between_looks(EncodedData const& data, std::size_t most) {
  std::size_t const rows = std::max<std::size_t>(1, data.unique_row_count());
  return std::clamp<std::size_t>(tuning::rows_between_looks / rows, 1, most);
}

}  // namespace bayesloom
