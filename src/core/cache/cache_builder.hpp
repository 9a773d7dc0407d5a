// Makes a score cache: collect candidates in any order, then `finish` checks, sorts and packs them.
//
// Lists of different variables may be filled from different threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "cache/score_cache.hpp"

namespace bayesloom {

/// The candidates of one variable as they come.
struct CandidateList {
  std::vector<Fixed> scores;
  std::vector<std::uint64_t> ends;  ///< parents of candidate i end at ends[i]
  std::vector<Variable> parents;

  std::size_t size() const { return scores.size(); }
  void add(Fixed score, std::span<Variable const> set) {
    scores.push_back(score);
    parents.insert(parents.end(), set.begin(), set.end());
    ends.push_back(parents.size());
  }
  std::span<Variable const> set(std::size_t i) const {
    std::size_t const at = i == 0 ? 0 : ends[i - 1];
    return std::span(parents).subspan(at, ends[i] - at);
  }
};

/// A parent set that was added twice: the i-th and j-th candidate added to a variable, i < j.
/// Readers of text files catch it to say which lines these are.
struct DuplicateCandidate : InputError {
  DuplicateCandidate(std::string const& message, Variable v, std::size_t i, std::size_t j)
      : InputError(message), variable(v), earlier(i), later(j) {}
  Variable variable;
  std::size_t earlier;
  std::size_t later;
};

class CacheBuilder {
 public:
  /// Cardinalities may be left out (all unknown). Throws InputError unless there are 1 to
  /// `max_variables` names, all different, valid UTF-8, not empty and without NUL, and for cardinalities beyond
  /// `max_cardinality`.
  explicit CacheBuilder(std::vector<std::string> names,
                        std::vector<std::uint32_t> cardinalities = {});

  CandidateList& list(Variable v) { return lists_[v]; }

  /// Throws InputError for a variable without candidates, a parent that is out of range, the
  /// variable itself, or not ascending, a parent set that occurs twice, or scores whose sum could
  /// leave the fixed-point range. A score finer than a double is rounded to one, so that every
  /// cache survives a text file unchanged. Uses the lists up. `where` starts a message about the sum.
  ScoreCache finish(std::string info, std::string const& where = "") &&;

 private:
  void check(Variable v) const;

  std::vector<std::string> names_;
  std::vector<std::uint32_t> cardinalities_;
  std::vector<CandidateList> lists_;
};

/// Candidates as flat arrays, in any order within a variable; the layout of CacheArrays with scores in
/// nats.
struct GivenArrays {
  std::span<std::uint64_t const> first;
  std::span<double const> scores;
  std::span<std::uint64_t const> parent_first;
  std::span<Variable const> parents;
};

/// Throws InputError as CacheBuilder does, and for offsets that do not fit and scores that are not
/// finite.
ScoreCache cache_from_arrays(std::vector<std::string> names,
                             std::vector<std::uint32_t> cardinalities, GivenArrays const& given,
                             std::string info);

/// One list of candidates for each variable.
ScoreCache cache_from_lists(std::vector<std::string> names,
                            std::span<std::uint32_t const> cardinalities,
                            std::vector<CandidateList> lists);

/// Throws InputError where names cannot be those of a cache; says which. `where` starts the
/// message.
void check_names(std::span<std::string const> names, std::string const& where);

/// Throws InputError where sums of these scores could leave the fixed-point range.
void check_score_range(CacheArrays const& arrays, std::string const& where);

}  // namespace bayesloom
