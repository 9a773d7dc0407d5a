// Networks as lines of JSON, one each:
//
//   {"score":-1204.5,"parents":{"rain":[],"wet":["rain"]}}
//
// The text of every candidate in use is made once; a line is these texts put together, which is what
// makes a million lines a second possible.
#pragma once

#include <string>
#include <vector>

#include "credible/credible.hpp"

namespace bayesloom::credible {

class JsonLines {
 public:
  explicit JsonLines(CredibleSet const& set);

  /// Appends the walk's current network.
  void append(Walk const& walk, std::string& out) const;

 private:
  CredibleSet const& set_;
  std::vector<std::vector<std::string>> texts_;  // by place in the walk, then by choice
  std::vector<std::size_t> places_;              // in the walk, by variable of the cache
};

}  // namespace bayesloom::credible
