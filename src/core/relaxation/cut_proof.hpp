// Branch and cut over a whole cache, and its proof as the body of a certificate (docs/certificate.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/control.hpp"
#include "cache/score_cache.hpp"
#include "dual/linear_program.hpp"
#include "dual/problem.hpp"
#include "relaxation/cut_tree.hpp"
#include "relaxation/options.hpp"

namespace bayesloom {

struct CutProof {
  Fixed bound = 0;                      ///< no network scores above it
  bool found = false;                   ///< is there a network above the known score?
  Fixed score = 0;                      ///< of the best one
  std::vector<std::size_t> candidates;  ///< and its candidates, by variable
  std::uint64_t nodes = 0;
  std::size_t cuts = 0;
  std::string
      body;  ///< that no network scores above the known; empty if it is not proved, or some does
  int finer = 0;  ///< the head of its certificate says that
};

/// Looks for networks that score above `known`. Lists of prices take out candidates, in turn.
CutProof cut_proof(ScoreCache const& cache, Fixed known,
                   std::span<std::vector<dual::Cluster> const> lists, std::uint64_t seed,
                   relaxation::CutTreeOptions const& options, dual::LinearProgram& program,
                   Control& control);

}  // namespace bayesloom
