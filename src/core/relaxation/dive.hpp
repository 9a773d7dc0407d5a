// A good network of a node by rounding, where decoding the prices alone leaves much to chance.
//
// The fractional network (shares.hpp) is decided for most variables. Those among the others that
// are nearest to a decision are held to their largest candidate and its subsets, which no cycle
// rules out that the candidate itself is free of; prices are balanced again around them, and so on
// until all are decided. Then the node is decoded.
#pragma once

#include "base/control.hpp"
#include "dual/ascent.hpp"
#include "dual/problem.hpp"
#include "relaxation/node_result.hpp"
#include "relaxation/options.hpp"

namespace bayesloom::relaxation {

using namespace dual;

/// A network of the node, or nothing if the bound sinks to the floor on the way, placing gets
/// stuck, or control says stop.
NodeResult dive(Problem node, Fixed floor, DiveOptions const& options, Ascent& ascent,
                Control& control);

}  // namespace bayesloom::relaxation
