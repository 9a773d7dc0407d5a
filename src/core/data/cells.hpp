// What a score needs to know of one set of variables. A score declares which (score.hpp):
//
//   cells              how many rows lie in each of its cells
//   moments            the covariance of its columns, through ln det (moments.hpp)
//   moments per cell   both: of the continuous members in each cell of the discrete ones
//   families           of a child with its parents, over the rows that count for both: where values
//                      are missing, or where rows are left out for some children (family_counter.hpp)
//
// A cell of a set S is one combination of states of its variables. Only cells that hold a row
// matter, and only through their counts, in any order: scores are sums over cells. Zeros may stand
// among the counts (kernels write them freely); they mean nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayesloom {

struct Moments {
  double log_det = 0;       ///< ln det of the covariance; per cell: the sum of count * ln det
  std::size_t columns = 0;  ///< columns of the covariance
  bool singular = false;    ///< some column is determined by others, as far as numbers tell
};

struct Cells {
  std::vector<std::uint32_t> counts;  ///< zeros allowed
  std::uint32_t ones = 0;             ///< further cells, with one row each
  double states = 1;                  ///< possible cells: the product of the cardinalities
  std::size_t variables = 0;          ///< how many variables the set has
  Moments moments;                    ///< of scores that read them

  // Of a family alone, where rows differ by family:
  std::vector<std::uint32_t> given;  ///< its rows in each cell of its parents; zeros allowed
  std::uint32_t rows = 0;            ///< rows that have a value of each of its variables
  std::uint32_t part = 0;            ///< which rows count for its child (EncodedData::part_of)

  /// Cells that hold at least one row.
  std::size_t seen() const {
    std::size_t seen = ones;
    for (auto const count : counts) seen += count > 0;
    return seen;
  }
};

}  // namespace bayesloom
