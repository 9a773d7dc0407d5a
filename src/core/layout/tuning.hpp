// Every tuned number of the layout. Run benchmarks/tables/drawing before and after a change.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayesloom::layout::tuning {

/// Steps, 0 or more, of network simplex and of crossing reduction that are taken even if the program
/// was told to stop: what it has found by then deserves a good picture. 20 million: 50 milliseconds.
inline constexpr std::uint64_t least_steps = 20'000'000;

// Network simplex (network_simplex.cpp)

/// Steps over vertices and arcs, 0 or more, that each use of it may take in one part; layers and
/// places of then are valid, with edges that are longer than they need be. 200 million: half a second.
inline constexpr std::uint64_t simplex_steps = 200'000'000;

// Crossings (crossings.cpp)

/// Visits of neighbours, 1 or more, after which nothing new is begun. 150 million: half a second.
inline constexpr std::uint64_t crossing_steps = 150'000'000;
/// Starts, 1 or more: the first two from the top and from the bottom, the others shuffled.
inline constexpr std::size_t starts = 12;
/// Sweeps of a start, 1 or more, and those without a better order after which it ends.
inline constexpr std::size_t most_sweeps = 24;
inline constexpr std::size_t patience = 6;
/// Disturbances of the best order, 0 or more; the layers of each, 1 or more, and the vertices shuffled
/// in each layer, 1 or more, or a quarter of the layer if that is more.
inline constexpr std::size_t disturbances = 4000;
inline constexpr std::size_t disturbed_layers = 4;
inline constexpr std::size_t disturbed_vertices = 6;
/// Orders with as few crossings, 1 or more, of which the one with short edges in a narrow drawing
/// is taken, and the vertices up to which there is a choice.
inline constexpr std::size_t orders = 16;
inline constexpr std::size_t chosen_up_to = 1500;
/// Parts that hang on one variable, 0 or more, that are tried next to it, and the share of the
/// drawing's width, 0 to 1, within which one is near.
inline constexpr std::size_t parts_drawn_near = 4;
inline constexpr double near = 0.05;
/// Seed of all that is shuffled.
inline constexpr std::uint64_t seed = 1;

// Coordinates (coordinates.cpp)

/// Cost of a pixel sideways between two boxes, a box and a bend, two bends: above 0, straight long
/// edges come first.
inline constexpr int weight_by_bends[] = {1, 2, 8};
/// Rounds, 0 or more, in which straight runs move to the middle of the places that are as good.
inline constexpr std::size_t centring_rounds = 12;

// Distances in pixels of the drawing, all above 0 (coordinates.cpp, routes.cpp, packing.cpp)

inline constexpr double box_gap = 22;         ///< between two boxes of a layer
inline constexpr double edge_box_gap = 12;    ///< between a box and an edge that passes
inline constexpr double edge_gap = 10;        ///< between two edges that pass
inline constexpr double least_rise = 44;      ///< between two layers, at least
inline constexpr double most_rise = 110;      ///< and at most
inline constexpr double rise_per_run = 0.16;  ///< of the widest edge between two layers
inline constexpr double clearance = 5;        ///< between a curve and a box it does not belong to
inline constexpr double port_gap = 11;        ///< between two edges at one side of a box
inline constexpr double corner = 8;           ///< of a box, where no edge ends
inline constexpr double part_gap = 36;        ///< between two parts
inline constexpr double single_gap = 12;      ///< between two variables without edges
inline constexpr double margin = 12;          ///< around all
/// Edges beside a bend, 1 or more, that are looked at for one that bounds its channel.
inline constexpr std::size_t edges_passed = 64;
/// Sideways pixels per pixel down at which an edge leaves or enters a box, at most.
inline constexpr double steepest_end = 1.0;
/// Width by height that is wanted of a drawing of several parts.
inline constexpr double aspect = 1.6;

}  // namespace bayesloom::layout::tuning
