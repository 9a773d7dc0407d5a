#include "credible/credible.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/errors.hpp"
#include "bounds/simple_bound.hpp"
#include "credible/compensated_sum.hpp"
#include "prices/fixing.hpp"

namespace bayesloom::credible {

namespace {

constexpr std::size_t fixed_beyond = 22;

}  // namespace

std::unique_ptr<CredibleSet> CredibleSet::make(ScoreCache const& cache,
                                               CredibleOptions const& options, Control& control) {
  // A candidate that loses more than a known network and the slack is in no credible network.
  // Beyond some variables the completion values take longer than a tight bound, which shows more of
  // them to be of no use.
  ScoreCache const paths = with_orders(cache, options.orders);
  Fixed const bound = simple_bound(cache);
  std::optional<Fixed> known = options.known;
  if (auto const greedy = greedy_network(paths)) {
    Fixed score = 0;
    for (auto const c : *greedy) score += cache.score(c);
    known = std::max(known.value_or(score), score);
  }
  Fixed const limit = known ? bound - *known + options.slack : no_loss;
  std::vector<bool> keep(cache.candidate_count());
  for (std::size_t v = 0; v < cache.variable_count(); ++v) {
    auto const x = static_cast<Variable>(v);
    for (std::size_t c = cache.begin(x); c < cache.end(x); ++c)
      keep[c] = cache.score(cache.begin(x)) - cache.score(c) <= limit;
  }
  if (cache.variable_count() > fixed_beyond && known) {
    keep = prices::fix_candidates(paths, *known, *known - options.slack, control).keep;
  }

  // Fewer candidates part the variables into smaller components, and these show more candidates to
  // be of no use, until nothing changes. A component with the same variables as before needs no
  // second look: of its choices it has lost only such as no live set uses.
  std::map<std::vector<Variable>, Part> settled;
  std::vector<Component> found;
  for (bool changed = true; changed;) {
    changed = false;
    found = components(paths, keep);
    for (auto& component : found) {
      if (settled.contains(component.variables)) continue;
      changed = true;
      std::optional<LiveSets> live;
      if (auto const values =
              completion(component, limit, options.memory_bytes, options.threads, control))
        live = LiveSets::make(component, *values, options.slack, control);
      if (!live) return nullptr;
      if (live->best() >= no_loss)
        throw InfeasibleError("no acyclic network can be made from the candidates of this cache.");
      auto const used = live->used(component);
      for (std::size_t x = 0; x < component.size(); ++x)
        for (std::size_t i = 0; i < component.choices[x].size(); ++i)
          if (!used[x][i]) keep[component.choices[x][i].candidate] = false;
      auto variables = component.variables;
      settled.insert_or_assign(std::move(variables), Part{component, std::move(*live)});
    }
  }

  std::vector<Part> parts;
  Fixed best = bound;
  for (auto const& component : found) {
    auto& part = settled.at(component.variables);
    part.live.tidy(part.component);
    best -= part.live.best();
    parts.push_back(std::move(part));
  }
  return std::unique_ptr<CredibleSet>(new CredibleSet(cache, options, std::move(parts), best));
}

std::vector<std::size_t> CredibleSet::best_network() const {
  std::vector<std::size_t> chosen(cache_.variable_count());
  for (auto const& part : parts_) {
    // From every live set on the way some step loses nothing.
    for (std::uint32_t u = 0; !part.live.last(u);) {
      Step const& step = part.live.steps(u).front();
      chosen[part.component.variables[step.x]] =
          part.component.choices[step.x][step.choice].candidate;
      u = step.child;
    }
  }
  return chosen;
}

std::optional<Tally> CredibleSet::count(Control& control) {
  if (!total_) total_ = states_.count(options_.slack, control);
  return total_;
}

void CredibleSet::candidates(Walk const& walk, std::span<std::uint64_t> out) const {
  auto const choices = walk.choices();
  std::size_t at = 0;
  for (auto const& part : parts_)
    for (std::size_t x = 0; x < part.component.size(); ++x)
      out[part.component.variables[x]] = part.component.choices[x][choices[at++]].candidate;
}

std::optional<std::vector<double>> CredibleSet::candidate_masses(Control& control) const {
  std::vector<double> masses(cache_.candidate_count(), 0.0);
  if (counted() && states_.whole()) {
    auto const found = states_.choice_masses(control);
    if (!found) return std::nullopt;
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (std::size_t x = 0; x < (*found)[p].size(); ++x)
        for (std::size_t i = 0; i < (*found)[p][x].size(); ++i)
          masses[parts_[p].component.choices[x][i].candidate] = (*found)[p][x][i];
    return masses;
  }
  std::vector<CompensatedSum> sums(cache_.candidate_count());
  std::vector<std::uint64_t> chosen(cache_.variable_count());
  auto networks = walk();
  std::uint64_t listed = 0;
  while (networks.next()) {
    candidates(networks, chosen);
    double const mass = std::exp(-to_nats(networks.loss()));
    for (auto const c : chosen) sums[c].add(mass);
    if (++listed % 1024 == 0 && control.should_stop(1024)) return std::nullopt;
  }
  std::transform(sums.begin(), sums.end(), masses.begin(),
                 [](auto const& sum) { return sum.value(); });
  return masses;
}

std::pair<std::vector<double>, double> CredibleSet::estimated_shares(std::uint64_t probes, Rng& rng,
                                                                     Control& control) const {
  auto const found = estimate_masses(parts_, options_.slack, probes, rng, control);
  std::vector<double> shares(cache_.candidate_count(), 0.0);
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (std::size_t x = 0; x < found.shares[p].size(); ++x)
      for (std::size_t i = 0; i < found.shares[p][x].size(); ++i)
        shares[parts_[p].component.choices[x][i].candidate] = found.shares[p][x][i];
  return {std::move(shares), found.effective};
}

Classes CredibleSet::classes(Fixed loss, Control& control) const {
  return Classes::make(cache_, parts_, loss, &states_, options_.threads, options_.memory_bytes,
                       control);
}

}  // namespace bayesloom::credible
