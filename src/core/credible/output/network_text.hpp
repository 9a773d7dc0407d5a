// A network as a line of JSON, from its candidates; the text of each candidate is made when first
// used.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cache/score_cache.hpp"

namespace bayesloom::credible {

/// Appends `text` in quotes.
void append_quoted(std::string const& text, std::string& out);
/// Appends `"name":["parent",...]` of a candidate of variable v.
void append_parents(ScoreCache const& cache, Variable v, std::size_t candidate, std::string& out);

class NetworkText {
 public:
  explicit NetworkText(ScoreCache const& cache) : cache_(cache), texts_(cache.candidate_count()) {}
  void append_line(Fixed score, std::span<std::uint64_t const> candidates, std::string& out);

 private:
  ScoreCache const& cache_;
  std::vector<std::string> texts_;  // by candidate
};

}  // namespace bayesloom::credible
