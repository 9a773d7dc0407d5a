// Groups networks by class key while they are listed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "credible/classes/class_key.hpp"
#include "credible/classes/classes.hpp"

namespace bayesloom::credible {

/// Classes by key, with open addressing; all that changes with one more member lies in one place.
class ClassTable {
 public:
  explicit ClassTable(std::size_t width) : width_(width) {}

  /// At most: while the table grows there are 4/3 slots for each class and twice as many again, and
  /// 5/4 of the choices beside the choices themselves.
  static double bytes_per_class(std::size_t width) {
    return 4.0 * sizeof(Slot) + 9.0 * static_cast<double>(width);
  }

  std::size_t size() const { return used_; }

  /// Adds members of a class; true if it is new here.
  bool add(ClassKey const& key, Fixed loss, std::uint64_t members, std::uint64_t order,
           std::span<std::uint32_t const> choices);
  void add_all(ClassTable const& other);

  /// Best first, then as the walk meets them. The table is empty after that. `candidate(i, c)` is
  /// the candidate of the cache that choice c of place i stands for.
  template <typename Candidate>
  PartClasses take(ScoreCache const& cache, std::vector<Variable> variables,
                   Candidate const& candidate) {
    PartClasses found = take_choices();
    found.variables = std::move(variables);
    for (auto const& entry : found.entries)
      for (std::size_t i = 0; i < width_; ++i) {
        std::uint32_t& choice = found.choices[entry.first + i];
        choice = static_cast<std::uint32_t>(candidate(i, choice) - cache.begin(found.variables[i]));
      }
    return found;
  }

 private:
  struct Slot {
    ClassKey key;
    Fixed loss = 0;
    std::uint64_t members = 0;  // 0 if the slot is free
    std::uint64_t order = 0;
    std::size_t first = 0;
  };

  PartClasses take_choices();
  Slot& find(ClassKey const& key);
  void grow();

  std::size_t width_;
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::size_t used_ = 0;
  std::vector<std::uint32_t> choices_;  // of the representatives
  bool even_ = true;
};

// Called for every network: worth being inline.

inline ClassTable::Slot& ClassTable::find(ClassKey const& key) {
  std::size_t const mask = slots_.size() - 1;
  std::size_t at = key.a & mask;
  while (slots_[at].members != 0 && !(slots_[at].key == key)) at = (at + 1) & mask;
  return slots_[at];
}

inline bool ClassTable::add(ClassKey const& key, Fixed loss, std::uint64_t members,
                            std::uint64_t order, std::span<std::uint32_t const> choices) {
  Slot& slot = find(key);
  if (slot.members == 0) {
    slot = {key, loss, members, order, choices_.size()};
    // By a quarter at a time: both copies are there for a moment.
    if (choices_.size() + width_ > choices_.capacity())
      choices_.reserve(choices_.size() / 4 * 5 + 1024 * width_);
    choices_.insert(choices_.end(), choices.begin(), choices.end());
    if (4 * ++used_ > 3 * slots_.size()) grow();
    return true;
  }
  slot.members += members;
  even_ &= slot.loss == loss;
  // Its best member stands for a class: of scores that are not equivalent members differ.
  if (loss < slot.loss || (loss == slot.loss && order < slot.order)) {
    slot.loss = loss;
    slot.order = order;
    std::copy(choices.begin(), choices.end(),
              choices_.begin() + static_cast<std::ptrdiff_t>(slot.first));
  }
  return false;
}

}  // namespace bayesloom::credible
