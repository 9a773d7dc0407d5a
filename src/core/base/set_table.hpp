// A map from sets of variables to values, by open addressing: a third of the time of a map of
// nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/var_set.hpp"

namespace bayesloom {

/// Well mixed bits of a set: each depends on every variable. A product alone has low bits that do not
/// see the variables of high number.
inline std::uint64_t hash_of(VarSet set) {
  std::uint64_t hash = (set.bits() + 1) * 0x9e3779b97f4a7c15ULL;
  hash = (hash ^ hash >> 32) * 0xff51afd7ed558ccdULL;
  return hash ^ hash >> 32;
}

/// `free` is a value that no set has.
template <typename Value, Value free>
class SetTable {
 public:
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }

  Value const* find(VarSet set) const {
    if (entries_.empty()) return nullptr;
    Entry const& here = entries_[slot(set)];
    return here.value == free ? nullptr : &here.value;
  }
  Value* find(VarSet set) { return const_cast<Value*>(std::as_const(*this).find(set)); }
  /// The value of a set, until the next one comes in. Where there is none it is `free`, and another
  /// must be put in its place.
  Value& operator[](VarSet set) {
    if (4 * (count_ + 1) > 3 * entries_.size()) grow();
    Entry& here = entries_[slot(set)];
    if (here.value == free) {
      here.set = set;
      ++count_;
    }
    return here.value;
  }
  /// Asks the memory for the place of a set that will be looked up soon.
  void prefetch(VarSet set) const {
    if (!entries_.empty()) __builtin_prefetch(&entries_[hash_of(set) & (entries_.size() - 1)]);
  }
  /// Of a set that is not there.
  void insert(VarSet set, Value value) { (*this)[set] = value; }
  /// The smaller one stays if the set is there.
  void insert_least(VarSet set, Value value) {
    if (Value* const known = find(set)) {
      if (value < *known) *known = value;
    } else {
      insert(set, value);
    }
  }

  template <typename Body>
  void for_each(Body&& body) const {
    for (auto const& here : entries_)
      if (here.value != free) body(here.set, here.value);
  }

  /// What it may take once `more` sets have come in: growing holds the old and the new table at once.
  double bytes_with(std::size_t more) const {
    double const now = static_cast<double>(entries_.size() * sizeof(Entry));
    return 4 * (count_ + more) > 3 * entries_.size() ? 3 * now : now;
  }

 private:
  struct Entry {
    VarSet set;
    Value value = free;
  };

  void grow() {
    std::vector<Entry> old(entries_.empty() ? 64 : 2 * entries_.size());
    old.swap(entries_);
    for (auto const& here : old)
      if (here.value != free) entries_[slot(here.set)] = here;
  }

  std::size_t slot(VarSet set) const {
    std::size_t const mask = entries_.size() - 1;
    std::size_t at = hash_of(set) & mask;
    while (entries_[at].set != set && entries_[at].value != free) at = (at + 1) & mask;
    return at;
  }

  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

}  // namespace bayesloom
