#include "inference/discrete_network.hpp"

#include <utility>

#include "base/errors.hpp"

namespace bayesloom {

DiscreteNetwork::DiscreteNetwork(std::vector<std::uint32_t> cardinalities,
                                 std::vector<std::vector<Variable>> parents,
                                 std::vector<double> tables)
    : cardinalities_(std::move(cardinalities)),
      parents_(std::move(parents)),
      children_(cardinalities_.size()),
      tables_(std::move(tables)) {
  std::size_t const n = cardinalities_.size();
  if (parents_.size() != n || n > max_variables)
    throw InputError("there must be one set of parents for each variable.");
  std::vector<std::size_t> open(n);
  std::size_t cells = 0;
  for (std::size_t v = 0; v < n; ++v) {
    std::size_t own = cardinalities_[v];
    for (Variable const p : parents_[v]) {
      if (p >= n) throw InputError("a parent is no variable of the network.");
      own *= cardinalities_[p];
      children_[p].push_back(static_cast<Variable>(v));
    }
    open[v] = parents_[v].size();
    first_.push_back(cells);
    cells += own;
  }
  if (cells != tables_.size()) throw InputError("the tables do not have the size of the network.");
  for (std::size_t v = 0; v < n; ++v)
    if (open[v] == 0) order_.push_back(static_cast<Variable>(v));
  for (std::size_t k = 0; k < order_.size(); ++k)
    for (Variable const child : children_[order_[k]])
      if (--open[child] == 0) order_.push_back(child);
  if (order_.size() != n) throw InputError("the network has a cycle.");
}

}  // namespace bayesloom
