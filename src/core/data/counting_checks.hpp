// Counting from outside: one set, a timed enumeration, and every kernel; for tests and benchmarks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/cells.hpp"
#include "data/encoded_data.hpp"
#include "data/set_counter.hpp"

namespace bayesloom {

/// The cells of a set of variables, the last of them as a leaf. With `merge`, rows that agree on all
/// variables not in it and not yet counted are put together. Throws InputError for a variable that
/// there is not.
Cells count_one_set(EncodedData const& data, std::span<Variable const> variables, CountingForm form,
                    bool merge);

/// Counts with zeros left out and ones spelled out.
std::vector<std::uint32_t> spelled_out(Cells const& cells);

/// Nanoseconds per counted set and how many were counted, over all sets of `size` variables (at most
/// `most` of them), walked as an enumeration walks them: prefixes pushed, last variables counted as
/// leaves, in falling order.
std::pair<double, std::uint64_t> time_counting(EncodedData const& data, std::size_t size,
                                               std::uint64_t most, CountingForm form, bool merge);

/// What each bit kernel of this processor counts for the same cells and plane. Throws InputError if
/// the cells are no whole blocks.
std::vector<std::pair<std::string, std::vector<std::uint64_t>>> count_with_every_kernel(
    std::span<std::uint64_t const> cells, std::span<std::uint64_t const> plane, unsigned shift);

/// What each bit kernel of this processor counts of planes against others, each of `words` words. Throws InputError
/// if they are no whole planes.
std::vector<std::pair<std::string, std::vector<std::uint32_t>>> count_tables_with_every_kernel(
    std::span<std::uint64_t const> a, std::span<std::uint64_t const> b, std::size_t words,
    unsigned shift);

}  // namespace bayesloom
