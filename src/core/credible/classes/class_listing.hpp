// Lists the networks over some parts and puts them together by class key (class_key.hpp).
//
// The walk is that of walk.hpp, written as a recursion so that the key grows with every variable
// taken away instead of being made anew for each network: the last few steps are most of the work.
// It is cut into pieces at states near the root; a thread takes piece after piece.
#pragma once

#include "credible/classes/classes.hpp"

namespace bayesloom::credible {

struct ListedClasses {
  Classes::PartClasses classes;
  bool even = true;   ///< whether members of one class have the same loss
  bool whole = true;  ///< whether nothing was stopped or left out for want of memory
};

ListedClasses list_classes(ScoreCache const& cache, std::span<Part const> parts, Fixed slack,
                           States const* states, std::size_t threads, double memory_bytes,
                           Control& control);

}  // namespace bayesloom::credible
