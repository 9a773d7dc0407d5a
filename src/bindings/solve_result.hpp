// A solver's answer as Python sees it: plain numbers; bayesloom.search makes a SearchResult of it.
#pragma once

#include <nanobind/nanobind.h>

#include "control.hpp"
#include "graph/solve_result.hpp"

namespace bayesloom {

inline Report to_dict(SolveResult const& result, PyControl const& control) {
  nb::list candidates;
  for (auto const c : result.candidates) candidates.append(c);
  Report out;
  out["candidates"] = candidates;
  out["score"] = result.score;
  out["bound"] = result.bound;
  out["work"] = result.work;
  out["interrupted"] = control.interrupted();
  return out;
}

}  // namespace bayesloom
