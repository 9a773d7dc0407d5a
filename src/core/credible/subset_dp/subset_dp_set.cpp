#include "credible/subset_dp/subset_dp_set.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/errors.hpp"
#include "credible/averages/listed_sums.hpp"
#include "credible/classes/classes.hpp"
#include "credible/known_network.hpp"
#include "credible/subset_dp/class_listing.hpp"
#include "credible/subset_dp/completion.hpp"
#include "credible/subset_dp/probe.hpp"
#include "credible/subset_dp/pruned_layers.hpp"
#include "credible/subset_dp/tuning.hpp"
#include "credible/subset_dp/walk.hpp"
#include "dual/simple_bound.hpp"

namespace bayesloom::credible {

namespace {

/// A known network, and cluster prices that fit it; what completion values are made from.
struct Guide {
  std::vector<std::size_t> network;
  std::vector<dual::Cluster> clusters{};
  bool priced = false;
};

/// Puts the candidates of a best network of a part into one of all variables.
void put_best(Component const& component, LiveSets const& live, std::vector<std::size_t>& network) {
  // From every live set on the way some step loses nothing.
  for (std::uint32_t u = 0; !live.last(u);) {
    Step const& step = live.steps(u).front();
    network[component.variables[step.x]] = component.lists[step.x][step.choice].index;
    u = step.child;
  }
}

/// Values of a component: of all its sets, or of pruned layers where that is less. Nothing if stopped or
/// if there are too many.
std::unique_ptr<Completion> values_of(Component const& component, ScoreCache const& paths,
                                      Guide const& guide, SubsetDpOptions const& options,
                                      Control& control) {
  // What the known network loses here, no best network exceeds, since all its candidates are kept.
  Fixed limit = options.max_loss;
  for (auto const v : component.variables)
    limit += paths.score(paths.begin(v)) - paths.score(guide.network[v]);
  bool const dense = fits_dense(component, options.memory_bytes);
  if (!dense ||
      (guide.priced && component.size() > std::min(tuning::layers_from, options.dense_up_to))) {
    double most = options.memory_bytes / tuning::bytes_per_layer_set;
    if (dense && options.dense_up_to > 0)
      most = std::min(most, std::exp2(static_cast<double>(component.size())) / tuning::layer_cost);
    auto values = pruned_layers(component, prices_of(guide.clusters, component), limit,
                                static_cast<std::size_t>(most), options.threads, control);
    if (values || !dense || control.stopped()) return values;
  }
  return dense_completion(component, options.threads, control);
}

/// From the choices of a walk to candidates of the cache.
class Candidates {
 public:
  explicit Candidates(std::span<Part const> parts) {
    for (auto const& part : parts)
      for (std::size_t x = 0; x < part.component.size(); ++x)
        places_.push_back({part.component.variables[x], part.component.lists[x].data()});
  }
  void of(Walk const& walk, std::span<std::uint64_t> out) const {
    auto const choices = walk.choices();
    for (std::size_t i = 0; i < places_.size(); ++i)
      out[places_[i].variable] = places_[i].choices[choices[i]].index;
  }

 private:
  struct Place {
    Variable variable;
    Choice const* choices;
  };
  std::vector<Place> places_;
};

class StatesWalk final : public NetworkWalk {
 public:
  StatesWalk(std::span<Part const> parts, Fixed within, States const& states)
      : candidates_(parts), walk_(parts, within, &states) {}
  void seek(Count rank) { walk_.seek(rank); }
  bool next() override { return walk_.next(); }
  Fixed loss() const override { return walk_.loss(); }
  void candidates(std::span<std::uint64_t> out) const override { candidates_.of(walk_, out); }

 private:
  Candidates const candidates_;
  Walk walk_;
};

class StatesSampler final : public NetworkSampler {
 public:
  StatesSampler(std::span<Part const> parts, Fixed max_loss, States const& states, bool even,
                std::uint64_t seed)
      : candidates_(parts), walk_(parts, max_loss, &states), even_(even), rng_(seed) {}
  std::optional<Fixed> draw(std::span<std::uint64_t> out) override {
    even_ ? walk_.draw_even(rng_) : walk_.draw(rng_);
    candidates_.of(walk_, out);
    return walk_.loss();
  }

 private:
  Candidates const candidates_;
  Walk walk_;
  bool const even_;
  Rng rng_;
};

}  // namespace

std::unique_ptr<SubsetDpSet> SubsetDpSet::make(ScoreCache const& cache,
                                               SubsetDpOptions const& options, Control& control,
                                               dual::ReducedCosts const* costs) {
  // A candidate that loses more than a known network and the limit is in no credible network.
  // Beyond some variables the completion values take longer than a tight bound, which shows more of
  // them to be of no use.
  ScoreCache const paths = with_orders(cache, options.orders);
  Fixed const bound = simple_bound(cache);
  Guide guide{known_network(paths, options.known)};
  Fixed const known = score_of(cache, guide.network);
  std::vector<bool> keep(cache.candidate_count());
  for (std::size_t v = 0; v < cache.variable_count(); ++v) {
    auto const x = static_cast<Variable>(v);
    for (std::size_t c = cache.begin(x); c < cache.end(x); ++c)
      keep[c] = cache.score(cache.begin(x)) - cache.score(c) <= bound - known + options.max_loss;
  }
  if (costs != nullptr || cache.variable_count() > options.dense_up_to) {
    dual::ReducedCosts own;
    if (costs == nullptr)
      own = dual::reduced_cost_fixing(paths, known, known - options.max_loss, dual::Pace::slow,
                                      control);
    auto const& found = costs == nullptr ? own : *costs;
    keep = found.keep;
    guide.clusters = found.clusters;
    guide.priced = true;
  }

  // Fewer candidates part the variables into smaller components, and these show more candidates to
  // be of no use, until nothing changes. A component with the same variables as before needs no
  // second look: of its choices it has lost only such as no live set uses.
  std::map<std::vector<Variable>, Part> done;
  std::vector<Component> found;
  for (bool changed = true; changed;) {
    changed = false;
    found = credible::components(paths, keep);
    for (auto& component : found) {
      if (done.contains(component.variables)) continue;
      changed = true;
      std::optional<LiveSets> live;
      if (auto const values = values_of(component, paths, guide, options, control))
        live = LiveSets::make(component, *values, options.max_loss, options.memory_bytes,
                              options.threads, control);
      if (!live) return nullptr;
      if (live->best() >= no_loss)
        throw InfeasibleError("no acyclic network can be made from the candidates of this cache.");
      auto const used = live->used(component, options.threads);
      for (std::size_t x = 0; x < component.size(); ++x)
        for (std::size_t i = 0; i < component.lists[x].size(); ++i)
          if (!used[x][i]) keep[component.lists[x][i].index] = false;
      put_best(component, *live, guide.network);
      auto variables = component.variables;
      done.insert_or_assign(std::move(variables), Part{component, std::move(*live)});
    }
  }

  std::vector<Part> parts;
  Fixed best = bound;
  for (auto const& component : found) {
    auto& part = done.at(component.variables);
    part.live.tidy(part.component, options.threads);
    best -= part.live.best();
    parts.push_back(std::move(part));
  }
  return std::unique_ptr<SubsetDpSet>(new SubsetDpSet(cache, options, std::move(parts), best));
}

std::vector<std::size_t> SubsetDpSet::best_network() const {
  std::vector<std::size_t> chosen(cache_.variable_count());
  for (auto const& part : parts_) put_best(part.component, part.live, chosen);
  return chosen;
}

std::vector<Component const*> SubsetDpSet::components() const {
  std::vector<Component const*> out;
  for (auto const& part : parts_) out.push_back(&part.component);
  return out;
}

NetworkCount SubsetDpSet::count(Control& control) {
  if (!total_) total_ = states_.count(max_loss_, control);
  if (!total_) return {};
  return {total_->count, total_->count, total_->count, total_->weight, true};
}

std::optional<Count> SubsetDpSet::count_within(Fixed loss, Control& control) {
  auto const found = states_.count(loss, control);
  if (!found) return std::nullopt;
  return found->count;
}

CountEstimate SubsetDpSet::estimate(std::uint64_t probes, std::uint64_t seed, Control& control) {
  Rng rng(seed);
  return estimate_count(parts_, max_loss_, probes, rng, threads_, control);
}

std::unique_ptr<NetworkWalk> SubsetDpSet::walk(Fixed within) const {
  return std::make_unique<StatesWalk>(parts_, within, states_);
}

std::unique_ptr<NetworkWalk> SubsetDpSet::walk_from(Count rank) const {
  if (!drawable()) return nullptr;
  auto walk = std::make_unique<StatesWalk>(parts_, max_loss_, states_);
  if (rank > 0) walk->seek(rank);
  return walk;
}

std::unique_ptr<NetworkSampler> SubsetDpSet::sampler(bool even, std::uint64_t seed) const {
  if (!drawable()) throw ResourceError("only from a set that was counted networks can be drawn.");
  return std::make_unique<StatesSampler>(parts_, max_loss_, states_, even, seed);
}

std::optional<std::vector<double>> SubsetDpSet::candidate_weights(Control& control) const {
  if (!drawable()) return listed_candidate_weights(*this, control);
  auto const found = states_.choice_weights(control);
  if (!found) return std::nullopt;
  std::vector<double> weights(cache_.candidate_count(), 0.0);
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (std::size_t x = 0; x < (*found)[p].size(); ++x)
      for (std::size_t i = 0; i < (*found)[p][x].size(); ++i)
        weights[parts_[p].component.lists[x][i].index] = (*found)[p][x][i];
  return weights;
}

Shares SubsetDpSet::estimated_shares(std::uint64_t draws, std::uint64_t seed, Control& control) {
  Rng rng(seed);
  auto const found = estimate_weights(parts_, max_loss_, draws, rng, threads_, control);
  Shares out{std::vector<double>(cache_.candidate_count(), 0.0), found.effective};
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (std::size_t x = 0; x < found.shares[p].size(); ++x)
      for (std::size_t i = 0; i < found.shares[p][x].size(); ++i)
        out.of_candidate[parts_[p].component.lists[x][i].index] = found.shares[p][x][i];
  return out;
}

Classes SubsetDpSet::classes(Fixed within, std::uint64_t /*most*/, Control& control) const {
  return classes_by_states(cache_, parts_, within, &states_, threads_, memory_bytes_, control);
}

}  // namespace bayesloom::credible
