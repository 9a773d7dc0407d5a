// The parent sets of one child that were scored, found again in constant time.
//
// A set may be expanded: every parent that could be added to it was scored. What is worth going
// back to is kept with it, best first: the additions that raise the score, and a few more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "cache/cache_builder.hpp"

namespace bayesloom {

/// One parent added to a set, and the score of the larger set.
struct Addition {
  Variable parent;
  Fixed score;
};

/// Best first, ties by parent.
inline bool better(Addition const& a, Addition const& b) {
  return a.score != b.score ? a.score > b.score : a.parent < b.parent;
}

class SetStore {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  SetStore() : slots_(16, 0) {}

  std::size_t size() const { return list_.size(); }
  CandidateList const& list() const { return list_; }
  Fixed score(std::size_t number) const { return list_.scores[number]; }

  /// The number of a set (ascending), or `none`.
  std::size_t find(std::span<Variable const> set) const;

  /// The number of a set, which is added if it is new.
  std::size_t add(std::span<Variable const> set, Fixed score);

  /// The additions of an expanded set, or nothing; stays where it is as others are added.
  std::vector<Addition> const* additions(std::size_t number) const {
    return expansion_[number] == 0 ? nullptr : &additions_[expansion_[number] - 1];
  }
  std::vector<Addition> const& set_additions(std::size_t number, std::vector<Addition> additions);

  /// Adds to the additions of an expanded set, which stay best first.
  void more_additions(std::size_t number, std::span<Addition const> more);

  /// About how much memory it takes.
  std::size_t bytes() const;

 private:
  std::size_t slot_of(std::span<Variable const> set) const;
  void grow();

  CandidateList list_;
  std::vector<std::uint32_t> expansion_;  // of each set: number of its additions plus one
  std::deque<std::vector<Addition>> additions_;
  std::size_t addition_count_ = 0;
  std::vector<std::uint32_t> slots_;  // number of a set plus one; a power of two of them
};

}  // namespace bayesloom
