// A table of some of the rows of another: every k-th unique row, with its weight, so that a table whose rows
// follow some order is met at all of its parts. What was set from outside is not told.
#pragma once

#include <cstddef>

#include "data/encoded_data.hpp"

namespace bayesloom {

/// About `rows` unique rows, one at least, and no more than there are.
EncodedData row_sample(EncodedData const& data, std::size_t rows);

}  // namespace bayesloom
