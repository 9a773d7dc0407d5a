// One list of variables per variable, all in one array.
//
//   list(i) = items[offsets[i] .. offsets[i+1])
//
// Parents of a network, neighbours in a moral graph and both halves of a CPDAG have this shape. Two
// allocations for any number of variables: a hundred-variable network costs less than a kilobyte, so
// millions of them can be kept, compared and hashed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/variable.hpp"

namespace bayesloom {

class FlatLists {
 public:
  /// No variables yet: `push_back` adds items to the list that `close` ends.
  FlatLists() : offsets_{0} {}

  /// Lists that `arcs` describe: arc (i, j) puts j on the list of i. O(n + arcs); when the arcs come
  /// in ascending order of j, every list is ascending.
  FlatLists(std::size_t variables, std::span<std::pair<Variable, Variable> const> arcs)
      : offsets_(variables + 1, 0), items_(arcs.size()) {
    for (auto const& [i, j] : arcs) ++offsets_[i + 1U];
    for (std::size_t i = 0; i < variables; ++i) offsets_[i + 1] += offsets_[i];
    std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
    for (auto const& [i, j] : arcs) items_[next[i]++] = j;
  }

  void reserve(std::size_t variables, std::size_t items) {
    offsets_.reserve(variables + 1);
    items_.reserve(items);
  }
  void push_back(Variable item) { items_.push_back(item); }
  void close() { offsets_.push_back(static_cast<std::uint32_t>(items_.size())); }

  std::size_t size() const { return offsets_.size() - 1; }
  std::size_t item_count() const { return items_.size(); }
  std::size_t offset(std::size_t i) const { return offsets_[i]; }
  std::span<Variable const> operator[](std::size_t i) const {
    return {items_.data() + offsets_[i], offsets_[i + 1] - offsets_[i]};
  }

  bool operator==(FlatLists const&) const = default;

 private:
  std::vector<std::uint32_t> offsets_;
  std::vector<Variable> items_;
};

/// Item i on the list of j for every item j on the list of i; each list ascending.
FlatLists transposed(FlatLists const& lists);

}  // namespace bayesloom
