// Cluster inequalities on four variables that k-cluster inequalities do not imply.
//
// Of four variables a, b, c, d no network blocks more than two, so at least two are not blocked, if
// what blocks them is one of
//
//   a by bc        b by ac, ad     c by ab, ad     d by b, c        12 ways to name the four
//   a by bc, bd    b by ac, ad     c by ab, d      d by ab, c       6 ways
//
// where "b by ac, ad" means that b takes a and c as parents, or a and d, and perhaps more. To check
// it is enough to look at all orders, with all variables before one as its parents. These are all
// there are: of the inequalities "at least k of four are not blocked" that cannot be made stronger,
// the others are plain inequalities of four variables or sums of plain inequalities of fewer.
// [cussens2011] lists the facets for few variables; whether these are among them was not checked.
// The relaxation with plain inequalities alone is often half-integral, and then these cut.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace bayesloom::dual {

/// For each inequality and member: bit s is set if the set s of the other three, in ascending
/// order, blocks it.
std::vector<std::array<std::uint8_t, 4>> const& inequalities_of_four();

}  // namespace bayesloom::dual
