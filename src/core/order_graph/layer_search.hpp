// Frontier breadth-first branch and bound on one component [malone2011, Algorithm 1].
#pragma once

#include <string>

#include "base/control.hpp"
#include "order_graph/by_component.hpp"
#include "order_graph/order_graph.hpp"
#include "order_graph/scratch.hpp"

namespace bayesloom::order_graph {

/// The best network of a component, or `known` if there is none better; a valid bound if stopped.
/// Keeps its files in `directory` and resumes from what is finished there.
ComponentResult search_layers(Component const& component, ComponentResult const& known,
                              dual::RemainingBound const& remaining, BfbnbOptions const& options,
                              std::string const& directory, Scratch& scratch, Control& control);

}  // namespace bayesloom::order_graph
