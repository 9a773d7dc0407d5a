#include "credible/diagram/annealed_sampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <unordered_map>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "base/rng.hpp"
#include "credible/diagram/diagram_set.hpp"
#include "credible/diagram/tuning.hpp"

namespace bayesloom::credible {

namespace {

/// The variables of all components, by a number of their own.
struct Space {
  struct Place {
    std::size_t component, local;
  };
  std::vector<Component const*> components;
  std::vector<Place> places;                            // by number
  std::vector<std::vector<std::size_t>> numbers;        // by component and local variable
  std::vector<std::size_t> loose;                       // numbers with a choice to make
  std::vector<std::vector<std::size_t>> near;           // by number: who may be its parent or child
  std::unordered_map<std::size_t, std::size_t> choice;  // of a candidate: its place in the list

  explicit Space(std::vector<Component const*> const& given) : components(given) {
    for (std::size_t p = 0; p < given.size(); ++p) {
      auto& own = numbers.emplace_back();
      for (std::size_t x = 0; x < given[p]->size(); ++x) {
        own.push_back(places.size());
        if (given[p]->lists[x].size() > 1) loose.push_back(places.size());
        places.push_back({p, x});
        for (std::size_t i = 0; i < given[p]->lists[x].size(); ++i)
          choice[given[p]->lists[x][i].index] = i;
      }
    }
    near.resize(places.size());
    for (std::size_t p = 0; p < given.size(); ++p) {
      std::vector<VarSet> joined(given[p]->size());
      for (std::size_t x = 0; x < given[p]->size(); ++x)
        for (auto const& c : given[p]->lists[x])
          for (std::size_t const a : c.parents) {
            joined[x].insert(a);
            joined[a].insert(x);
          }
      for (std::size_t x = 0; x < given[p]->size(); ++x)
        for (std::size_t const y : joined[x]) {
          if (given[p]->lists[y].size() > 1) near[numbers[p][x]].push_back(numbers[p][y]);
        }
    }
  }

  std::vector<Choice> const& choices(std::size_t v) const {
    return components[places[v].component]->lists[places[v].local];
  }
};

struct Particle {
  std::vector<std::uint32_t> chosen;  // by number
  Fixed loss = 0;
};

/// Moves one network at a time.
class Chain {
 public:
  Chain(Space const& space, Fixed most)
      : space_(space), most_(most), down_(space.components.size()) {}

  void run(Particle& particle, double rate, std::size_t times, Rng& rng) {
    if (space_.loose.empty()) return;
    rate_ = rate / static_cast<double>(fixed_units_per_nat);
    for (auto& down : down_) down.fill(VarSet());
    for (std::size_t v = 0; v < particle.chosen.size(); ++v) join(v, particle.chosen[v]);
    for (std::size_t i = 0; i < times * space_.loose.size(); ++i) {
      std::size_t const x = space_.loose[rng.below(space_.loose.size())];
      auto const& others = space_.near[x];
      move(particle, x, others.empty() ? x : others[rng.below(others.size())], rng);
    }
  }

 private:
  struct Usable {
    std::uint32_t choice;
    Fixed loss;
    bool meets;  // descendants of the other one
    double weight;
  };

  void join(std::size_t v, std::uint32_t choice) {
    auto const [p, x] = space_.places[v];
    for (std::size_t const y : space_.choices(v)[choice].parents) down_[p][y].insert(x);
  }
  void part(std::size_t v, std::uint32_t choice) {
    auto const [p, x] = space_.places[v];
    for (std::size_t const y : space_.choices(v)[choice].parents) down_[p][y].erase(x);
  }

  /// The descendants of x, itself too, but not through `without`.
  VarSet reach(std::size_t p, std::size_t x, VarSet without) const {
    VarSet found = VarSet::of(x);
    for (VarSet fresh = found; !fresh.empty();) {
      VarSet next;
      for (std::size_t const y : fresh) next |= down_[p][y];
      fresh = next - found - without;
      found |= fresh;
    }
    return found;
  }

  /// The choices of v that meet nothing of `own` and lose at most `most`, by their weights.
  void list(std::size_t v, VarSet own, VarSet other, Fixed most, std::vector<Usable>& out) const {
    out.clear();
    std::uint32_t i = 0;
    for (auto const& choice : space_.choices(v)) {
      if (choice.loss > most) break;
      if (!choice.parents.meets(own)) {
        Fixed const first = out.empty() ? choice.loss : out.front().loss;
        double const weight = std::exp(-rate_ * static_cast<double>(choice.loss - first));
        out.push_back({i, choice.loss, choice.parents.meets(other), weight});
      }
      ++i;
    }
  }

  /// Draws the choices of x and y anew; of x alone if they are one.
  void move(Particle& particle, std::size_t x, std::size_t y, Rng& rng) {
    auto const [p, a] = space_.places[x];
    std::size_t const b = space_.places[y].local;
    bool const two = x != y;
    Fixed const had = space_.choices(x)[particle.chosen[x]].loss +
                      (two ? space_.choices(y)[particle.chosen[y]].loss : 0);
    Fixed const spare = most_ - particle.loss + had;
    part(x, particle.chosen[x]);
    if (two) part(y, particle.chosen[y]);
    VarSet const below_x = reach(p, a, two ? VarSet::of(b) : VarSet());
    VarSet const below_y = two ? reach(p, b, VarSet::of(a)) : VarSet();
    list(x, below_x, below_y, spare, xs_);
    if (two) {
      list(y, below_y, below_x, spare, ys_);
    } else {
      ys_.assign(1, {0, 0, false, 1});
    }
    all_.assign(1, 0);
    free_.assign(1, 0);
    for (auto const& other : ys_) {
      all_.push_back(all_.back() + other.weight);
      free_.push_back(free_.back() + (other.meets ? 0 : other.weight));
    }
    double total = 0;
    std::size_t fitting = ys_.size();
    sums_.clear();
    fits_.clear();
    for (auto const& one : xs_) {
      while (fitting > 0 && one.loss + ys_[fitting - 1].loss > spare) --fitting;
      total += one.weight * (one.meets ? free_ : all_)[fitting];
      sums_.push_back(total);
      fits_.push_back(fitting);
    }
    auto const drawn = [&](std::vector<double> const& sums, std::size_t end, double at) {
      auto const last = sums.begin() + static_cast<std::ptrdiff_t>(end);
      return static_cast<std::size_t>(std::upper_bound(sums.begin(), last, at) - sums.begin());
    };
    // Rounding may lead just behind the end, where nothing has weight: then all stays as it is.
    std::size_t const i = drawn(sums_, sums_.size(), rng.uniform() * total);
    if (i < xs_.size()) {
      auto const& sums = xs_[i].meets ? free_ : all_;
      std::size_t const k = drawn(sums, fits_[i] + 1, rng.uniform() * sums[fits_[i]]);
      if (k <= fits_[i]) {
        particle.chosen[x] = xs_[i].choice;
        if (two) particle.chosen[y] = ys_[k - 1].choice;
        particle.loss += xs_[i].loss + ys_[k - 1].loss - had;
      }
    }
    join(x, particle.chosen[x]);
    if (two) join(y, particle.chosen[y]);
  }

  Space const& space_;
  Fixed const most_;
  double rate_ = 0;                           // for a unit of loss
  std::vector<std::array<VarSet, 64>> down_;  // by component and local variable
  std::vector<Usable> xs_, ys_;               // scratch
  std::vector<double> all_, free_, sums_;
  std::vector<std::size_t> fits_;
};

/// Systematic resampling: `size` numbers, number i about weights[i] / sum of weights * size times.
std::vector<std::size_t> resample(std::vector<double> const& weights, std::size_t size, Rng& rng) {
  double total = 0, passed = 0;
  for (double const w : weights) total += w;
  std::vector<std::size_t> out;
  double const first = rng.uniform();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    passed += weights[i];
    while (out.size() < size &&
           (first + static_cast<double>(out.size())) / static_cast<double>(size) * total < passed)
      out.push_back(i);
  }
  while (out.size() < size) out.push_back(weights.size() - 1);
  return out;
}

/// All networks of the smaller set.
class SmallerSet {
 public:
  struct Drawn {
    std::vector<std::uint64_t> candidates;  // one per variable of the cache
    Fixed loss;
  };

  explicit SmallerSet(Fixed within) : max_loss(within) {}
  virtual ~SmallerSet() = default;
  Fixed const max_loss;
  /// How many have a loss of at most so much.
  virtual double count(Fixed loss) const = 0;
  /// The sum of exp(-rate * loss), and networks drawn in proportion to it.
  virtual double weight(double rate) const = 0;
  virtual std::vector<Drawn> draw(double rate, std::size_t size, Rng& rng) const = 0;
};

/// Listed, where they cannot be drawn by rate.
class ListedSet final : public SmallerSet {
 public:
  explicit ListedSet(CredibleSet const& set)
      : SmallerSet(set.max_loss()), width_(set.cache().variable_count()) {
    for (auto const walk = set.walk(set.max_loss()); walk->next();) {
      candidates_.resize(candidates_.size() + width_);
      walk->candidates(std::span(candidates_).last(width_));
      losses_.push_back(walk->loss());
    }
  }
  double count(Fixed loss) const override {
    return static_cast<double>(
        std::count_if(losses_.begin(), losses_.end(), [&](Fixed own) { return own <= loss; }));
  }
  double weight(double rate) const override {
    auto const all = weights(rate);
    return std::accumulate(all.begin(), all.end(), 0.0);
  }
  std::vector<Drawn> draw(double rate, std::size_t size, Rng& rng) const override {
    std::vector<Drawn> out;
    for (std::size_t const row : resample(weights(rate), size, rng)) {
      auto const own = std::span(candidates_).subspan(row * width_, width_);
      out.push_back({{own.begin(), own.end()}, losses_[row]});
    }
    return out;
  }

 private:
  std::vector<double> weights(double rate) const {
    std::vector<double> out;
    for (Fixed const loss : losses_) out.push_back(std::exp(-rate * to_nats(loss)));
    return out;
  }

  std::size_t const width_;
  std::vector<std::uint64_t> candidates_;
  std::vector<Fixed> losses_;
};

/// Drawn from diagrams, however many there are.
class DrawnSet final : public SmallerSet {
 public:
  explicit DrawnSet(DiagramSet& set) : SmallerSet(set.max_loss()), set_(set) {}
  double count(Fixed loss) const override {
    Control control;
    return static_cast<double>(set_.count_within(std::min(loss, max_loss), control).value_or(0));
  }
  double weight(double rate) const override { return set_.weight(rate); }
  std::vector<Drawn> draw(double rate, std::size_t size, Rng& rng) const override {
    auto const sampler = set_.sampler_by_rate(rate, rng());
    std::vector<Drawn> out;
    for (std::size_t i = 0; i < size; ++i) {
      Drawn drawn{std::vector<std::uint64_t>(set_.cache().variable_count()), 0};
      auto const loss = sampler->draw(drawn.candidates);
      if (!loss) break;
      drawn.loss = *loss;
      out.push_back(std::move(drawn));
    }
    return out;
  }

 private:
  DiagramSet& set_;
};

/// A rate at which one sample in `beyond` is near, if numbers grow as they do there.
double first_rate(SmallerSet const& near) {
  double const far = std::max(to_nats(near.max_loss), tuning::least_far);
  double const growth =
      std::log(near.count(near.max_loss) / std::max(near.count(near.max_loss / 2), 1.0)) /
      (far / 2);
  return growth + std::log(tuning::beyond) / far;
}

/// The estimate of one particle system; nothing if stopped.
std::optional<double> run(Space const& space, Fixed best, Fixed max_loss, SmallerSet const& near,
                          std::size_t size, Rng rng, Control& control) {
  double rate = first_rate(near), count = near.weight(rate);
  std::size_t const n = space.places.size();
  std::vector<Particle> particles;
  for (auto const& drawn : near.draw(rate, size, rng)) {
    Particle particle{std::vector<std::uint32_t>(n), best + drawn.loss};
    for (std::size_t v = 0; v < n; ++v) {
      auto const [p, x] = space.places[v];
      auto const found = space.choice.find(drawn.candidates[space.components[p]->variables[x]]);
      if (found == space.choice.end())
        throw InputError(
            "the smaller set has a network with a candidate that the larger set does not use.");
      particle.chosen[v] = static_cast<std::uint32_t>(found->second);
    }
    particles.push_back(std::move(particle));
  }
  if (particles.size() < size) return std::nullopt;
  Chain chain(space, best + max_loss);
  std::size_t within = 0, seen = 0;
  for (std::size_t i = 0; i < tuning::first_passes; ++i)
    for (auto& particle : particles) {
      chain.run(particle, rate, 1, rng);
      if (control.should_stop(space.loose.size())) return std::nullopt;
      if (2 * i < tuning::first_passes) continue;
      within += particle.loss - best <= near.max_loss ? 1 : 0;
      ++seen;
    }
  count *= static_cast<double>(seen) / static_cast<double>(std::max<std::size_t>(within, 1));
  while (rate > 0) {
    double const next = std::max(0.0, rate - tuning::rate_step);
    std::vector<double> weights;
    double sum = 0;
    for (auto const& particle : particles) {
      weights.push_back(std::exp((rate - next) * to_nats(particle.loss - best)));
      sum += weights.back();
    }
    count *= sum / static_cast<double>(size);
    std::vector<Particle> drawn;
    for (std::size_t const i : resample(weights, size, rng)) drawn.push_back(particles[i]);
    particles = std::move(drawn);
    rate = next;
    for (auto& particle : particles) {
      chain.run(particle, rate, tuning::passes, rng);
      if (control.should_stop(tuning::passes * space.loose.size())) return std::nullopt;
    }
  }
  return count;
}

std::unique_ptr<SmallerSet> smaller_set(CredibleSet& near) {
  if (!near.whole()) throw InputError("the smaller set must be counted.");
  if (auto* const diagrams = dynamic_cast<DiagramSet*>(&near))
    return std::make_unique<DrawnSet>(*diagrams);
  return std::make_unique<ListedSet>(near);
}

}  // namespace

std::optional<CountEstimate> annealed_count(CredibleSet const& set, CredibleSet& near,
                                            AnnealingOptions const& options, Control& control) {
  Space const space(set.components());
  auto const known = smaller_set(near);
  Fixed best = 0;  // loss of the best network, as the components count it
  for (std::size_t v = 0; auto const c : set.best_network())
    best += set.cache().score(set.cache().begin(static_cast<Variable>(v++))) - set.cache().score(c);
  Rng const rng(options.seed);
  std::vector<std::optional<double>> found(options.runs);
  parallel_for(options.threads, options.runs, control, [&](std::size_t task, std::size_t) {
    found[task] =
        run(space, best, set.max_loss(), *known, options.particles, rng.split(task), control);
  });
  double sum = 0, squares = 0, ended = 0;
  for (auto const& one : found) {
    if (!one) continue;
    sum += *one;
    squares += *one * *one;
    ++ended;
  }
  if (ended < 2) return std::nullopt;
  CountEstimate out;
  out.count = sum / ended;
  out.error = std::sqrt(std::max(0.0, squares / ended - out.count * out.count) / (ended - 1));
  out.probes = static_cast<std::uint64_t>(ended) * options.particles;
  out.effective = std::min(static_cast<double>(out.probes),
                           out.error > 0 ? out.count * out.count / (out.error * out.error)
                                         : static_cast<double>(out.probes));
  return out;
}

}  // namespace bayesloom::credible
