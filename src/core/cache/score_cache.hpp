// The score cache: for each variable its candidate parent sets with their local scores.
//
// It is the one thing that statistics hand to search. Solvers run through it millions of times, so
// it is four flat arrays, never changed once made and shared by every copy:
//
//   first         n + 1   candidates of variable v are first[v] .. first[v + 1] - 1
//   scores        m       local score of each candidate, fixed-point (base/fixed_point.hpp)
//   parent_first  m + 1   where the parents of each candidate begin, and where the last ones end
//   parents       any     variables, ascending within a candidate
//
// Order within a variable is canonical: best score first; among equals fewer parents first, then
// parents in lexicographic order. Two caches with the same content are equal array by array.
//
// Offsets are 64 bits wide: 32 would save a sixth of the memory of a typical cache, and put a cap
// of four billion parents on one that only a large machine can hold, where a cap is least welcome.
//
// The arrays are owned, or a read-only memory map where a file is too large; `storage` keeps them.
// Invariants, kept by whoever makes one (cache_builder.cpp, binary_file.cpp): every variable has a
// candidate; parents are in range, strictly ascending and never contain the variable itself; no
// parent set occurs twice for a variable; the largest scores sum to at most `max_nats`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/fixed_point.hpp"
#include "base/variable.hpp"

namespace bayesloom {

struct CacheArrays {
  std::span<std::uint64_t const> first;
  std::span<Fixed const> scores;
  std::span<std::uint64_t const> parent_first;
  std::span<Variable const> parents;
};

/// What a cache knows besides its candidates.
struct CacheLabels {
  std::vector<std::string> names;
  std::vector<std::uint32_t> cardinalities;  ///< 0 where unknown, as in text files
  std::string info;                          ///< JSON text, made and read by Python
};

class ScoreCache {
 public:
  ScoreCache(CacheLabels labels, CacheArrays arrays, std::shared_ptr<void const> storage)
      : labels_(std::make_shared<CacheLabels const>(std::move(labels))),
        arrays_(arrays),
        storage_(std::move(storage)) {}

  std::size_t variable_count() const { return labels_->names.size(); }
  std::size_t candidate_count() const { return arrays_.scores.size(); }
  std::span<std::string const> names() const { return labels_->names; }
  std::string const& name(Variable v) const { return labels_->names[v]; }
  std::span<std::uint32_t const> cardinalities() const { return labels_->cardinalities; }
  std::string const& info() const { return labels_->info; }
  CacheArrays const& arrays() const { return arrays_; }

  /// Candidates of v: begin(v) .. end(v) - 1, best first.
  std::size_t begin(Variable v) const { return arrays_.first[v]; }
  std::size_t end(Variable v) const { return arrays_.first[v + std::size_t{1}]; }

  Fixed score(std::size_t candidate) const { return arrays_.scores[candidate]; }
  std::span<Variable const> parents(std::size_t candidate) const {
    std::uint64_t const at = arrays_.parent_first[candidate];
    return arrays_.parents.subspan(at, arrays_.parent_first[candidate + 1] - at);
  }

  /// The size of the largest candidate.
  std::size_t max_parents_seen() const;

  /// The candidate of v with exactly these parents (ascending), if there is one. Looks at each
  /// candidate of v once.
  std::optional<std::size_t> find(Variable v, std::span<Variable const> wanted) const;

  /// The best candidate of v all of whose parents are allowed; `allowed` has one flag per variable.
  std::optional<std::size_t> best_within(Variable v, std::span<bool const> allowed) const;

  /// The same candidates under another info text.
  ScoreCache with_info(std::string info) const;

  /// A number that changes with names, cardinalities, candidates and scores; not with the info.
  std::uint64_t digest() const;

  /// Same names, cardinalities, candidates, scores and info text.
  friend bool operator==(ScoreCache const& a, ScoreCache const& b);

 private:
  std::shared_ptr<CacheLabels const> labels_;
  CacheArrays arrays_;
  std::shared_ptr<void const> storage_;
};

}  // namespace bayesloom
