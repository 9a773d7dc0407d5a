#include "credible/wide_set.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include "credible/compensated_sum.hpp"

namespace bayesloom::credible {

namespace {

/// More than all roundings of a list together can amount to.
constexpr Fixed margin = 64 * (LossList::grid / 2);
/// So many networks are gone through one by one if rounded losses leave their number open.
constexpr Count most_walked = 100'000'000;

struct KeyHash {
  std::size_t operator()(ClassKey const& key) const { return key.a; }
};

}  // namespace

WideSet::WideSet(ScoreCache cache, ScoreCache const& paths, Fixed slack,
                 std::vector<std::size_t> network, Fixing fixing, double memory_bytes)
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
  if (counted_ && counted_->whole) return *counted_;
  bool whole = true;
  losses_ = LossList::one();
  for (std::size_t p = 0; p < diagrams_.size(); ++p) {
    whole &= diagrams_[p].build(fixing_.gap + slack_ + margin, own_[p] + slack_ + margin, control);
    losses_ = losses_.times(diagrams_[p].losses(), least_ + slack_ + margin);
  }
  if (whole) adopt_best();
  counted_ = count_within(slack_);
  counted_->whole = whole;
  if (whole && counted_->low != counted_->high && counted_->high <= most_walked)
    count_one_by_one(control);
  return *counted_;
}

void WideSet::count_one_by_one(Control& control) {
  constexpr std::uint64_t stride = 1024;
  auto walk = walk_within(slack_);
  std::uint64_t count = 0;
  CompensatedSum mass;
  while (walk.next()) {
    mass.add(std::exp(to_nats(least_ - walk.loss())));
    if (++count % stride == 0 && control.should_stop(stride)) return;
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

namespace {

/// The key of what a diagram's walk has chosen in one component.
ClassKey key_of(Component const& component, ClassKeys const& keys, Diagram const& diagram,
                std::vector<std::uint32_t> const& chosen) {
  auto const& place = diagram.flat().place;
  ClassKey key;
  for (std::size_t x = 0; x < component.size(); ++x) {
    key ^= keys.alone(x, place[chosen[x]]);
    for (Set up = component.choices[x][place[chosen[x]]].set; up != 0; up &= up - 1) {
      auto const a = static_cast<std::size_t>(std::countr_zero(up));
      key ^= keys.joined(x, place[chosen[x]], a, place[chosen[a]]);
    }
  }
  return key;
}

}  // namespace

WideClasses WideSet::classes(Fixed loss, std::uint64_t most, Control& control) const {
  WideClasses found;
  std::vector<ClassKeys> keys;
  for (auto const& component : components_) keys.emplace_back(cache_, component);
  std::unordered_map<ClassKey, std::size_t, KeyHash> known;
  auto walk = walk_within(loss);
  found.whole = counted_ && counted_->whole;
  for (std::uint64_t listed = 0; walk.next(); ++listed) {
    if (listed == most || control.should_stop()) {
      found.whole = false;
      break;
    }
    ClassKey key;
    for (std::size_t p = 0; p < components_.size(); ++p)
      key ^= key_of(components_[p], keys[p], diagrams_[p], walk.chosen()[p]);
    auto const [at, fresh] = known.try_emplace(key, found.classes.size());
    if (fresh) {
      auto& made = found.classes.emplace_back(walk.loss(), 1,
                                              std::vector<std::uint64_t>(cache_.variable_count()));
      candidates(walk.chosen(), made.candidates);
    } else {
      auto& made = found.classes[at->second];
      ++made.members;
      made.loss = std::min(made.loss, walk.loss());
    }
  }
  std::stable_sort(found.classes.begin(), found.classes.end(),
                   [](auto const& a, auto const& b) { return a.loss < b.loss; });
  return found;
}

ClassCount WideSet::count_classes(Fixed loss, std::uint64_t most, Control& control) const {
  ClassCount out{0, counted_ && counted_->whole};
  LossList all = LossList::one();
  bool even = true;
  for (std::size_t p = 0; p < components_.size(); ++p) {
    ClassKeys const keys(cache_, components_[p]);
    std::unordered_map<ClassKey, Fixed, KeyHash> known;
    std::span<Diagram const> const one(&diagrams_[p], 1);
    DiagramWalk walk(one, own_[p] + loss);
    // The first is always taken: a component without classes would leave none of the whole.
    for (std::uint64_t listed = 0; walk.next(); ++listed) {
      if (listed > 0 && (listed == most || control.should_stop())) {
        out.whole = false;
        break;
      }
      auto const key = key_of(components_[p], keys, diagrams_[p], walk.chosen()[0]);
      auto const [at, fresh] = known.try_emplace(key, walk.loss());
      even &= fresh || at->second == walk.loss();
    }
    std::vector<LossList::Entry> losses;
    for (auto const& entry : known) losses.push_back({entry.second, 1});
    all = all.times(LossList(std::move(losses)), least_ + loss + margin);
  }
  if (!even && components_.size() > 1) {
    auto const listed = classes(loss, most, control);
    return {listed.classes.size(), listed.whole};
  }
  out.count = all.within(least_ + loss - all.error());
  out.whole = out.whole && out.count == all.within(least_ + loss + all.error());
  return out;
}

}  // namespace bayesloom::credible
