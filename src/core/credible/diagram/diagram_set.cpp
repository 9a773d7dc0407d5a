#include "credible/diagram/diagram_set.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/errors.hpp"
#include "credible/averages/compensated_sum.hpp"
#include "credible/averages/listed_sums.hpp"
#include "credible/diagram/tuning.hpp"
#include "credible/known_network.hpp"

namespace bayesloom::credible {

namespace {

/// Networks that were found near the best.
class NearWalk final : public NetworkWalk {
 public:
  NearWalk(NearNetworks const& near, Fixed within) : near_(near), within_(within) {}
  bool next() override {
    while (next_ < near_.size() && near_.losses[next_] > within_) ++next_;
    if (next_ == near_.size()) return false;
    ++next_;
    return true;
  }
  Fixed loss() const override { return near_.losses[next_ - 1]; }
  void candidates(std::span<std::uint64_t> out) const override {
    auto const first = std::span(near_.candidates).subspan((next_ - 1) * near_.width);
    std::copy_n(first.begin(), near_.width, out.begin());
  }

 private:
  NearNetworks const& near_;
  Fixed const within_;
  std::size_t next_ = 0;
};

/// The networks of diagrams, with losses below the best and candidates of the cache.
class DiagramsWalk final : public NetworkWalk {
 public:
  using Candidates =
      std::function<void(std::span<std::vector<std::uint32_t> const>, std::span<std::uint64_t>)>;
  DiagramsWalk(std::span<Diagram const> diagrams, Fixed least, Fixed within, Candidates candidates)
      : walk_(diagrams, least + within), least_(least), candidates_(std::move(candidates)) {}
  bool next() override { return walk_.next(); }
  Fixed loss() const override { return walk_.loss() - least_; }
  void candidates(std::span<std::uint64_t> out) const override { candidates_(walk_.chosen(), out); }

 private:
  DiagramWalk walk_;
  Fixed const least_;
  Candidates const candidates_;
};

}  // namespace

std::unique_ptr<DiagramSet> DiagramSet::make(ScoreCache const& cache, DiagramOptions const& options,
                                             Control& control) {
  ScoreCache const paths = with_orders(cache, options.orders);
  auto network = known_network(paths, options.known);
  Fixed const known = score_of(cache, network);
  auto costs =
      dual::reduced_cost_fixing(paths, known, known - options.max_loss, options.pace, control);
  return std::unique_ptr<DiagramSet>(
      new DiagramSet(cache, paths, options, std::move(network), std::move(costs)));
}

DiagramSet::DiagramSet(ScoreCache const& cache, ScoreCache const& paths,
                       DiagramOptions const& options, std::vector<std::size_t> network,
                       ReducedCosts costs)
    : CredibleSet(cache, options.max_loss, 1, options.memory_bytes),
      network_(std::move(network)),
      costs_(std::move(costs)),
      best_(score_of(cache_, network_)),
      components_(credible::components(paths, costs_.keep)) {
  for (auto const& component : components_) {
    own_.push_back(loss_in(component));
    least_ += own_.back();
    diagrams_.emplace_back(component, costs_, memory_bytes_);
  }
}

Fixed DiagramSet::loss_in(Component const& component) const {
  Fixed own = 0;
  for (Variable const v : component.variables)
    own += cache_.score(cache_.begin(v)) - cache_.score(network_[v]);
  return own;
}

void DiagramSet::adopt_best() {
  for (std::size_t p = 0; p < components_.size(); ++p) {
    Diagram const& diagram = diagrams_[p];
    Fixed const least = diagram.least(diagram.root()), gain = own_[p] - least;
    if (gain <= 0) continue;
    DiagramWalk walk(std::span(&diagram, 1), least);
    if (!walk.next()) throw InternalError("a diagram has no network as good as its best.");
    auto const& chosen = walk.chosen()[0];
    for (std::size_t x = 0; x < components_[p].size(); ++x)
      network_[components_[p].variables[x]] =
          components_[p].lists[x][diagram.flat().place[chosen[x]]].index;
    own_[p] = least;
    least_ -= gain;
    best_ += gain;
    costs_.gap -= gain;
  }
}

std::vector<Component const*> DiagramSet::components() const {
  std::vector<Component const*> out;
  for (auto const& component : components_) out.push_back(&component);
  return out;
}

std::size_t DiagramSet::state_count() const {
  std::size_t total = 0;
  for (auto const& diagram : diagrams_) total += diagram.node_count();
  return total;
}

NetworkCount DiagramSet::count(Control& control) {
  if (whole()) {
    make_count_exact(control);
    return *counted_;
  }
  bool all = true;
  losses_ = LossList::one();
  for (std::size_t p = 0; p < diagrams_.size(); ++p) {
    all &= diagrams_[p].build(costs_.gap + max_loss_ + LossList::margin,
                              own_[p] + max_loss_ + LossList::margin, control);
    losses_ = losses_.times(diagrams_[p].losses(), least_ + max_loss_ + LossList::margin);
  }
  if (all) adopt_best();
  counted_ = counted_within(max_loss_);
  counted_->whole = all;
  if (all) make_count_exact(control);
  return *counted_;
}

void DiagramSet::make_count_exact(Control& control) {
  if (counted_->low == counted_->high || counted_->high > tuning::most_walked) return;
  constexpr std::uint64_t stride = tuning::walked_between_looks;
  DiagramWalk walk(diagrams_, least_ + max_loss_, true);
  Count count = 0;
  CompensatedSum weight;
  auto const add = [&](Fixed loss, Count number) {
    count = checked_sum(count, number);
    weight.add(static_cast<double>(number) * std::exp(to_nats(least_ - loss)));
  };
  for (std::uint64_t steps = 1; walk.next(); ++steps) {
    if (walk.tail() == nullptr) {
      add(walk.loss(), 1);
    } else {
      for (auto const& entry : walk.tail()->entries()) {
        if (walk.loss() + entry.loss > least_ + max_loss_) break;
        add(walk.loss() + entry.loss, entry.count);
      }
    }
    if (steps % stride == 0 && control.should_stop(stride)) return;
  }
  counted_->low = counted_->high = counted_->nearest = count;
  counted_->weight = weight.value();
}

NetworkCount DiagramSet::counted_within(Fixed loss) const {
  Fixed const most = least_ + loss, error = losses_.error();
  NetworkCount found{losses_.within(most - error), losses_.within(most + error),
                     losses_.within(most), 0, whole()};
  for (auto const& entry : losses_.entries())
    if (entry.loss <= most)
      found.weight += static_cast<double>(entry.count) * std::exp(to_nats(least_ - entry.loss));
  return found;
}

std::optional<Count> DiagramSet::count_within(Fixed loss, Control& /*control*/) {
  if (!whole()) return std::nullopt;
  return losses_.within(least_ + loss);
}

double DiagramSet::weight(double rate) const {
  double sum = 0;
  for (auto const& entry : losses_.entries())
    if (entry.loss <= least_ + max_loss_)
      sum += static_cast<double>(entry.count) * std::exp(rate * to_nats(least_ - entry.loss));
  return sum;
}

void DiagramSet::candidates(std::span<std::vector<std::uint32_t> const> chosen,
                            std::span<std::uint64_t> out) const {
  for (std::size_t p = 0; p < components_.size(); ++p) {
    auto const& place = diagrams_[p].flat().place;
    for (std::size_t x = 0; x < components_[p].size(); ++x)
      out[components_[p].variables[x]] = components_[p].lists[x][place[chosen[p][x]]].index;
  }
}

Count DiagramSet::find_near_best(std::size_t most, Control& control) {
  near_ = networks_near_best(cache_, components_, network_, max_loss_, most, control);
  Count const known = std::max<Count>(near_.size(), counted_ ? counted_->low : 0);
  if (counted_) counted_->low = known;
  return known;
}

std::unique_ptr<NetworkWalk> DiagramSet::walk(Fixed within) const {
  if (near_.size() > 0 && !whole()) return std::make_unique<NearWalk>(near_, within);
  return std::make_unique<DiagramsWalk>(
      diagrams_, least_, within,
      [this](auto const& chosen, auto const& out) { candidates(chosen, out); });
}

/// Networks with probability proportional to exp(-rate * loss), those over the limit thrown away;
/// with `even` more are thrown away until each is as likely as the other.
class DiagramSampler final : public NetworkSampler {
 public:
  DiagramSampler(DiagramSet const& set, double rate, bool even, std::uint64_t seed)
      : set_(set), rate_(rate), even_(even), draw_(set.diagrams_, base(set), rate), rng_(seed) {}

  std::optional<Fixed> draw(std::span<std::uint64_t> out) override {
    Fixed const limit = set_.least_ + set_.max_loss_;
    for (std::size_t i = 0; i < tuning::most_tries; ++i) {
      Fixed const loss = draw_.draw(rng_);
      if (loss > limit) continue;
      if (even_ && rng_.uniform() >= std::exp(rate_ * to_nats(loss - limit))) continue;
      set_.candidates(draw_.chosen(), out);
      return loss - set_.least_;
    }
    return std::nullopt;
  }

 private:
  static std::vector<std::vector<Fixed>> base(DiagramSet const& set) {
    std::vector<std::vector<Fixed>> out;
    for (auto const& component : set.components_) {
      auto& own = out.emplace_back();
      for (Variable const v : component.variables)
        own.push_back(set.cache_.score(set.cache_.begin(v)) - set.cache_.score(set.network_[v]));
    }
    return out;
  }

  DiagramSet const& set_;
  double const rate_;
  bool const even_;
  DiagramDraw draw_;
  Rng rng_;
};

std::unique_ptr<NetworkSampler> DiagramSet::sampler_by_rate(double rate, std::uint64_t seed) const {
  return std::make_unique<DiagramSampler>(*this, rate, false, seed);
}

std::unique_ptr<NetworkSampler> DiagramSet::sampler(bool even, std::uint64_t seed) const {
  if (!counted_) throw ResourceError("only from a set that was counted networks can be drawn.");
  if (!even) return sampler_by_rate(1.0, seed);
  // Networks grow about as exp(rate * loss) near the limit.
  double const all = static_cast<double>(losses_.within(least_ + max_loss_)) + 1;
  double const half = static_cast<double>(losses_.within(least_ + max_loss_ / 2)) + 1;
  double const rate =
      max_loss_ > 1 ? std::log(all / half) / to_nats(max_loss_ - max_loss_ / 2) : 0.0;
  return std::make_unique<DiagramSampler>(*this, rate, true, seed);
}

bool DiagramSet::listable() const { return whole() && counted_->high <= tuning::most_listed; }

std::optional<std::vector<double>> DiagramSet::candidate_weights(Control& control) const {
  if (!listable()) return std::nullopt;
  return listed_candidate_weights(*this, control);
}

}  // namespace bayesloom::credible
