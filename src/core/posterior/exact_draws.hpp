// Networks drawn from the posterior, each independent of the others [talvitie2020].
//
// A network is drawn layer by layer: layer 1 are the variables without parents, and each later one those
// with all parents in the layers before, at least one of them in the layer just before. Let U be the
// variables placed, L the last layer, h as in exact_sums.hpp. The weight of all ways to go on with T as
// exactly the next layer is
//
//   prod over i in T of (W_i(U) - W_i(U - L))  times  H(U + T, T)
//   H(U + T, T) = sum over S outside of  (-1)^|S| prod over i in S of W_i(U)  h(U + T + S)
//
// (S are variables that could have been in T), and with A_i = W_i(U), B_i = W_i(U - L) that is
//
//   prod over T of (1 - B_i / A_i)  times  sum over T' containing T of (-1)^|T' - T| prod over T' of A_i h(U + T')
//
// one Moebius transform for each U, shared by all draws that come there: they go on together, layer by
// layer. Parents are then drawn among the families that a layer allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/control.hpp"
#include "posterior/exact_sums.hpp"

namespace bayesloom::posterior {

/// For each draw the family number of each member, draw by draw. Nothing if stopped.
std::optional<std::vector<std::uint32_t>> exact_draws(ExactSums const& sums, std::size_t count,
                                                      std::uint64_t seed, std::size_t threads,
                                                      Control& control);

}  // namespace bayesloom::posterior
