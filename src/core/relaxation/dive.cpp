#include "relaxation/dive.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "dual/smoothed_bound.hpp"
#include "relaxation/tree.hpp"

namespace bayesloom::relaxation {

NodeResult dive(Problem node, Fixed floor, DiveOptions const& options, Ascent& ascent,
                Control& control) {
  std::size_t const words = node.universe->words;
  std::vector<std::pair<double, Index>> open;
  WideVarSet held(node.universe->n);  // once: between a candidate and its subsets decoding decides
  std::vector<Word> allowed(words);
  while (!control.should_stop() && node.bound() > floor && !node.infeasible()) {
    double const temperature =
        std::max(1.0, static_cast<double>(node.bound() - floor) /
                          static_cast<double>(node.variables.size()) / options.temperature);
    FractionalNetwork const shares = SmoothedBound(node, temperature).fractional_network(node);
    auto const largest = [&](Index i) {
      std::size_t top = shares.begin(i);
      for (std::size_t c = top; c < shares.end(i); ++c)
        if (shares.share(c) > shares.share(top)) top = c;
      return top;
    };
    open.clear();
    for (Index const i : node.variables)
      if (double const share = shares.share(largest(i));
          share < options.decided && !held.contains(i))
        open.emplace_back(-share, i);
    if (open.empty()) return decode(node, control);
    std::sort(open.begin(), open.end());
    open.resize((open.size() + options.at_a_time - 1) / options.at_a_time);
    WideVarSet around(node.universe->n);
    for (auto const& [share, i] : open) {
      Word const* const mask = shares.mask(largest(i));
      std::copy(mask, mask + words, allowed.begin());
      node.remove(i, [&](std::size_t c) { return !node.within(c, allowed.data()); });
      held.insert(i);
      around.insert(i);
    }
    auto limits = AscentOptions::at(temperature, floor, options.rounds, options.passes);
    limits.additions = options.additions;
    limits.around = &around;
    ascent.run(node, limits);
  }
  return {};
}

}  // namespace bayesloom::relaxation
