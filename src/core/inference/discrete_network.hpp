// A network of discrete variables with its conditional probability tables, as inference reads it.
//
// The table of v has an axis for each parent, in ascending order, and one for v itself, which varies
// fastest: P(v = k | parents = j) = table[j r_v + k].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/variable.hpp"

namespace bayesloom {

class DiscreteNetwork {
 public:
  /// Tables one after the other. Throws InputError if sizes do not agree or there is a cycle.
  DiscreteNetwork(std::vector<std::uint32_t> cardinalities,
                  std::vector<std::vector<Variable>> parents, std::vector<double> tables);

  std::size_t size() const { return cardinalities_.size(); }
  std::size_t cardinality(Variable v) const { return cardinalities_[v]; }
  std::vector<Variable> const& parents(Variable v) const { return parents_[v]; }
  std::vector<Variable> const& children(Variable v) const { return children_[v]; }
  /// Parents first.
  std::vector<Variable> const& order() const { return order_; }
  double const* table(Variable v) const { return tables_.data() + first_[v]; }

 private:
  std::vector<std::uint32_t> cardinalities_;
  std::vector<std::vector<Variable>> parents_;
  std::vector<std::vector<Variable>> children_;
  std::vector<Variable> order_;
  std::vector<std::size_t> first_;
  std::vector<double> tables_;
};

}  // namespace bayesloom
