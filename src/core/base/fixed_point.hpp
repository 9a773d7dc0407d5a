// Local scores as whole numbers.
//
//   fixed = round(score * 2^30)        unit: 2^-30 nat, about 1e-9
//
// Inside search every sum of local scores is exact: ties are ties, every solver agrees with every
// other to the last bit, and no result depends on the number of threads or the order of summation.
// A double of magnitude below 2^23 (eight million nats) is rounded by at most 2^-31; a larger one
// has a coarser grid than ours and is kept exactly. Either way `to_nats(to_fixed(x))` survives any
// further round trip unchanged, which is why text files of a score cache are exact.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "base/errors.hpp"

namespace bayesloom {

using Fixed = std::int64_t;

inline constexpr double fixed_units_per_nat = 1073741824.0;  // 2^30

/// No single score, and no sum of scores over a network, may exceed this magnitude in nats.
/// That leaves two bits of the 64: `no_score` stays apart from any sum it gets into.
inline constexpr double max_nats = 2147483648.0;  // 2^31

/// Below every score and every sum of scores, also after a score or another `no_score` is added.
inline constexpr Fixed no_score = -(Fixed{1} << 62);
inline constexpr bool is_score(Fixed sum) { return sum >= -(Fixed{1} << 61); }

inline Fixed to_fixed(double nats) {
  if (!(std::abs(nats) <= max_nats))
    throw InputError("a score of " + std::to_string(nats) +
                     " nats is outside the range of -2^31 to 2^31 that Bayesloom works with.");
  return static_cast<Fixed>(std::llround(nats * fixed_units_per_nat));
}

inline double to_nats(Fixed fixed) { return static_cast<double>(fixed) / fixed_units_per_nat; }

}  // namespace bayesloom
