// Variables whose best place has to be looked up again. Any one can be drawn at random in O(1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/rng.hpp"
#include "base/variable.hpp"

namespace bayesloom::orders {

class DirtySet {
 public:
  explicit DirtySet(std::size_t n) : in_(n, 0) { items_.reserve(n); }

  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  bool contains(Variable v) const { return in_[v] != 0; }

  void add(Variable v) {
    if (in_[v]) return;
    in_[v] = 1;
    items_.push_back(v);
  }
  void add_all() {
    for (std::size_t v = 0; v < in_.size(); ++v) add(static_cast<Variable>(v));
  }
  void clear() {
    for (Variable const v : items_) in_[v] = 0;
    items_.clear();
  }

  Variable take_random(Rng& rng) {
    std::size_t const i = rng.below(items_.size());
    Variable const v = items_[i];
    items_[i] = items_.back();
    items_.pop_back();
    in_[v] = 0;
    return v;
  }

 private:
  std::vector<Variable> items_;
  std::vector<std::uint8_t> in_;
};

}  // namespace bayesloom::orders
