// The equivalence classes of a set by diagrams.
//
// Networks are listed and put together by class key (class_key.hpp), component by component: the
// classes of the whole are the products, and are counted by loss without being listed.
//
// A component with too many networks to list may fall apart further. Once all are counted, the
// diagram tells for each choice the least loss of a network with it:
//
//   least with c  =  least loss outside the node  +  loss of c  +  sum of the least of the children
//
// Choices above the limit are in no credible network. Without them the variables may part into
// several strong components, whose products are the same networks.
#include <algorithm>
#include <utility>

#include "credible/classes/class_table.hpp"
#include "credible/diagram/diagram_set.hpp"
#include "credible/diagram/tuning.hpp"
#include "credible/tuning.hpp"

namespace bayesloom::credible {

namespace {

constexpr std::uint64_t stride = tuning::listed_between_looks;

/// The key of what a diagram's walk has chosen in one component. From one network to the next few
/// choices change, and only what they have a part in is put together anew.
class RunningKey {
 public:
  RunningKey(ScoreCache const& cache, Component const& component, Diagram const& diagram)
      : component_(component),
        place_(diagram.flat().place),
        keys_(cache, component),
        last_(component.size(), ~std::uint32_t{0}),
        sets_(component.size()),
        parts_(component.size()) {}

  ClassKey of(std::vector<std::uint32_t> const& chosen) {
    VarSet changed;
    for (std::size_t x = 0; x < last_.size(); ++x) {
      if (chosen[x] == last_[x]) continue;
      last_[x] = chosen[x];
      sets_[x] = component_.lists[x][place_[chosen[x]]].parents;
      changed.insert(x);
    }
    for (std::size_t x = 0; x < last_.size(); ++x) {
      if (!sets_[x].with(x).meets(changed)) continue;
      key_ ^= parts_[x];
      parts_[x] = part(x);
      key_ ^= parts_[x];
    }
    return key_;
  }

 private:
  ClassKey part(std::size_t x) const {
    ClassKey key = keys_.alone(x, place_[last_[x]]);
    for (std::size_t const a : sets_[x]) {
      key ^= keys_.joined(x, place_[last_[x]], a, place_[last_[a]]);
    }
    return key;
  }

  Component const& component_;
  std::vector<std::uint32_t> const& place_;  // by flat number
  ClassKeys const keys_;
  std::vector<std::uint32_t> last_;  // by variable: its choice
  std::vector<VarSet> sets_;
  std::vector<ClassKey> parts_;  // by variable: what it adds to the key
  ClassKey key_;
};

/// The classes of the networks of one or more diagrams with a loss of at most `limit`, by losses
/// beyond `least`; `most` networks are listed at most.
PartClasses list_classes(ScoreCache const& cache, std::span<Component const> components,
                         std::span<Diagram const> diagrams, Fixed least, Fixed limit,
                         std::uint64_t most, double memory_bytes, Control& control) {
  std::vector<RunningKey> keys;
  std::vector<Variable> variables;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // component and local variable
  for (std::size_t p = 0; p < components.size(); ++p) {
    keys.emplace_back(cache, components[p], diagrams[p]);
    for (std::size_t x = 0; x < components[p].size(); ++x) {
      variables.push_back(components[p].variables[x]);
      places.emplace_back(p, x);
    }
  }
  ClassTable table(variables.size());
  double const room = memory_bytes / ClassTable::bytes_per_class(variables.size());
  DiagramWalk walk(diagrams, limit);
  std::vector<std::uint32_t> chosen(variables.size());
  bool whole = true;
  // The first is always taken: a component without classes would leave none of the whole.
  for (std::uint64_t listed = 0; walk.next(); ++listed) {
    bool const full = static_cast<double>(table.size()) > room;
    bool const ask = listed % stride == stride - 1;
    if (listed > 0 && (listed == most || full || (ask && control.should_stop(stride)))) {
      whole = false;
      break;
    }
    ClassKey key;
    for (std::size_t p = 0; p < keys.size(); ++p) key ^= keys[p].of(walk.chosen()[p]);
    for (std::size_t at = 0; auto const& own : walk.chosen())
      at = static_cast<std::size_t>(
          std::copy(own.begin(), own.end(), chosen.begin() + static_cast<std::ptrdiff_t>(at)) -
          chosen.begin());
    table.add(key, walk.loss() - least, 1, listed, chosen);
  }
  auto found = table.take(cache, variables, [&](std::size_t i, std::uint32_t flat) {
    auto const [p, x] = places[i];
    return components[p].lists[x][diagrams[p].flat().place[flat]].index;
  });
  found.whole = whole;
  return found;
}

}  // namespace

Classes DiagramSet::classes(Fixed within, std::uint64_t most, Control& control) const {
  bool even = true, complete = whole();
  std::vector<PartClasses> found;
  auto const list = [&](Component const& component, Diagram const& diagram, Fixed own) {
    Fixed const limit = own + within;
    std::uint64_t const stop =
        diagram.losses().within(limit) <= most ? most : std::min(most, tuning::some_for_classes);
    found.push_back(list_classes(cache_, std::span(&component, 1), std::span(&diagram, 1), own,
                                 limit, stop, memory_bytes_, control));
    even &= found.back().even;
  };
  for (std::size_t p = 0; p < components_.size(); ++p) {
    Fixed const limit = own_[p] + within;
    std::vector<Component> parts;
    if (complete && diagrams_[p].losses().within(limit) > most)
      parts = split(components_[p], diagrams_[p].used(limit));
    if (parts.size() < 2) {
      list(components_[p], diagrams_[p], own_[p]);
      continue;
    }
    for (auto const& part : parts) {
      Fixed const own = loss_in(part), reach = within + LossList::margin;
      Diagram diagram(part, costs_, memory_bytes_);
      complete &= diagram.build(costs_.gap + reach, own + reach, control);
      list(part, diagram, own);
    }
  }
  if (!even && found.size() > 1) {
    found.clear();
    complete = whole();
    found.push_back(list_classes(cache_, components_, diagrams_, least_, least_ + within, most,
                                 memory_bytes_, control));
  }
  found.front().whole &= complete;
  return {std::move(found), within, true};
}

}  // namespace bayesloom::credible
