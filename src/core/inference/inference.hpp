// Exact answers of a discrete network for many rows of evidence, by variable elimination.
//
//   joint          P(targets | row)
//   each           P(t | row) of each target by itself; messages go forth and back [dechter1999]
//   modes          the most probable state of each hidden target by itself
//   most_probable  the states of the targets that are most probable together, all else summed out
//   draw           states of all hidden variables, drawn from P(hidden | row)
//   evidence       ln P(row)
//
// Rows hold a code per variable, negative where it is hidden. Rows with the same hidden variables share
// a plan if they follow each other. Work is shared among threads by rows; the answers are the same for
// every number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "inference/discrete_network.hpp"
#include "inference/plan.hpp"

namespace bayesloom {

struct Question {
  Ask ask = Ask::evidence;
  std::vector<Variable> targets;
  std::size_t draws = 1;   // of each row
  std::uint64_t seed = 0;  // of draws
};

struct Answers {
  std::vector<double> values;       // joint, each: one table after the other, row by row
  std::vector<std::int32_t> codes;  // modes, most_probable, draw: whole rows
  std::vector<double>
      logs;  // ln P(row), minus infinity if impossible; of most_probable with the targets
};

/// Throws ResourceError if tables need more than `memory` bytes. If the control says stop, the rest is
/// not filled in.
Answers infer(DiscreteNetwork const& network, std::span<std::int32_t const> rows,
              Question const& question, std::size_t threads, double memory, Control& control);

}  // namespace bayesloom
