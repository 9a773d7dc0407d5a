#include "credible/diagram/diagram_set.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "credible/averages/compensated_sum.hpp"

namespace bayesloom::credible {

namespace {

/// So many networks are gone through one by one if rounded losses leave their number open.
constexpr Count most_walked = 100'000'000;

}  // namespace

WideSet::WideSet(ScoreCache cache, ScoreCache const& paths, Fixed slack,
                 std::vector<std::size_t> network, ReducedCosts fixing, double memory_bytes)
    : cache_(std::move(cache)),
      slack_(slack),
      network_(std::move(network)),
      fixing_(std::move(fixing)),
      memory_bytes_(memory_bytes),
      components_(components(paths, fixing_.keep)) {
  for (std::size_t v = 0; v < network_.size(); ++v) best_ += cache_.score(network_[v]);
  for (auto const& component : components_) {
    Fixed own = 0;
    for (Variable const v : component.variables)
      own += cache_.score(cache_.begin(v)) - cache_.score(network_[v]);
    own_.push_back(own);
    least_ += own;
    diagrams_.emplace_back(component, fixing_, memory_bytes_);
  }
}

void WideSet::adopt_best() {
  for (std::size_t p = 0; p < components_.size(); ++p) {
    Diagram const& diagram = diagrams_[p];
    Fixed const least = diagram.least(diagram.root()), gain = own_[p] - least;
    if (gain <= 0) continue;
    DiagramWalk walk(std::span(&diagram, 1), least);
    if (!walk.next()) throw std::logic_error("a diagram has no network as good as its best.");
    auto const& chosen = walk.chosen()[0];
    for (std::size_t x = 0; x < components_[p].size(); ++x)
      network_[components_[p].variables[x]] =
          components_[p].choices[x][diagram.flat().place[chosen[x]]].candidate;
    own_[p] = least;
    least_ -= gain;
    best_ += gain;
    fixing_.gap -= gain;
  }
}

std::size_t WideSet::node_count() const {
  std::size_t total = 0;
  for (auto const& diagram : diagrams_) total += diagram.node_count();
  return total;
}

WideCount const& WideSet::count(Control& control) {
  if (counted_ && counted_->whole) {
    settle_count(control);
    return *counted_;
  }
  bool whole = true;
  losses_ = LossList::one();
  for (std::size_t p = 0; p < diagrams_.size(); ++p) {
    whole &= diagrams_[p].build(fixing_.gap + slack_ + LossList::margin,
                                own_[p] + slack_ + LossList::margin, control);
    losses_ = losses_.times(diagrams_[p].losses(), least_ + slack_ + LossList::margin);
  }
  if (whole) adopt_best();
  counted_ = count_within(slack_);
  counted_->whole = whole;
  if (whole) settle_count(control);
  return *counted_;
}

void WideSet::settle_count(Control& control) {
  if (counted_->low == counted_->high || counted_->high > most_walked) return;
  constexpr std::uint64_t stride = 1024;
  DiagramWalk walk(diagrams_, least_ + slack_, true);
  Count count = 0;
  CompensatedSum mass;
  auto const add = [&](Fixed loss, Count number) {
    count = checked_sum(count, number);
    mass.add(static_cast<double>(number) * std::exp(to_nats(least_ - loss)));
  };
  for (std::uint64_t steps = 1; walk.next(); ++steps) {
    if (walk.tail() == nullptr) {
      add(walk.loss(), 1);
    } else {
      for (auto const& entry : walk.tail()->entries()) {
        if (walk.loss() + entry.loss > least_ + slack_) break;
        add(walk.loss() + entry.loss, entry.count);
      }
    }
    if (steps % stride == 0 && control.should_stop(stride)) return;
  }
  counted_->low = counted_->high = counted_->nearest = count;
  counted_->mass = mass.value();
}

void WideSet::gather(std::size_t most, Control& control) {
  gathered_ = credible::gather(cache_, components_, network_, slack_, most, control);
  if (counted_) counted_->low = std::max<Count>(counted_->low, gathered_.size());
}

WideCount WideSet::count_within(Fixed loss) const {
  Fixed const most = least_ + loss, error = losses_.error();
  WideCount found{losses_.within(most - error), losses_.within(most + error), losses_.within(most),
                  0, counted_ && counted_->whole};
  for (auto const& entry : losses_.entries())
    if (entry.loss <= most)
      found.mass += static_cast<double>(entry.count) * std::exp(to_nats(least_ - entry.loss));
  return found;
}

double WideSet::mass(double rate) const {
  double sum = 0;
  for (auto const& entry : losses_.entries())
    if (entry.loss <= least_ + slack_)
      sum += static_cast<double>(entry.count) * std::exp(rate * to_nats(least_ - entry.loss));
  return sum;
}

void WideSet::candidates(std::span<std::vector<std::uint32_t> const> chosen,
                         std::span<std::uint64_t> out) const {
  for (std::size_t p = 0; p < components_.size(); ++p) {
    auto const& place = diagrams_[p].flat().place;
    for (std::size_t x = 0; x < components_[p].size(); ++x)
      out[components_[p].variables[x]] = components_[p].choices[x][place[chosen[p][x]]].candidate;
  }
}

WideSet::Drawing::Drawing(WideSet const& set, double rate, bool even, std::uint64_t seed)
    : set_(set),
      rate_(rate),
      even_(even),
      draw_(
          set.diagrams_,
          [&] {
            std::vector<std::vector<Fixed>> base;
            for (auto const& component : set.components_) {
              auto& own = base.emplace_back();
              for (Variable const v : component.variables)
                own.push_back(set.cache_.score(set.cache_.begin(v)) -
                              set.cache_.score(set.network_[v]));
            }
            return base;
          }(),
          rate),
      rng_(seed) {}

std::optional<Fixed> WideSet::Drawing::draw(std::span<std::uint64_t> out) {
  constexpr std::size_t most_tries = 1'000'000;
  Fixed const limit = set_.least_ + set_.slack_;
  for (std::size_t i = 0; i < most_tries; ++i) {
    Fixed const loss = draw_.draw(rng_);
    if (loss > limit) continue;
    if (even_ && rng_.uniform() >= std::exp(rate_ * to_nats(loss - limit))) continue;
    set_.candidates(draw_.chosen(), out);
    return set_.score_of(loss);
  }
  return std::nullopt;
}

WideSet::Drawing WideSet::drawing(bool even, std::uint64_t seed) const {
  if (!even) return Drawing(*this, 1.0, false, seed);
  // Networks grow about as exp(rate * loss) near the limit.
  double const all = static_cast<double>(losses_.within(least_ + slack_)) + 1;
  double const half = static_cast<double>(losses_.within(least_ + slack_ / 2)) + 1;
  double const rate = slack_ > 1 ? std::log(all / half) / to_nats(slack_ - slack_ / 2) : 0.0;
  return Drawing(*this, rate, true, seed);
}

}  // namespace bayesloom::credible
