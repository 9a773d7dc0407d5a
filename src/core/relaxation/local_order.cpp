#include "relaxation/local_order.hpp"

#include <algorithm>
#include <limits>

namespace bayesloom::relaxation {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

}  // namespace

LocalOrder::LocalOrder(ScoreCache const& cache)
    : cache_(cache), children_(cache.variable_count()), position_(cache.variable_count()) {
  std::size_t const n = cache.variable_count();
  std::vector<std::size_t> seen(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    auto const v = static_cast<Variable>(i);
    for (std::size_t c = cache.begin(v); c < cache.end(v); ++c)
      for (auto const p : cache.parents(c))
        if (seen[p] != i) {
          seen[p] = i;
          children_[p].push_back(v);
        }
  }
}

void LocalOrder::load(std::vector<Variable> const& order) {
  order_ = order;
  for (std::size_t p = 0; p < order.size(); ++p) position_[order[p]] = p;
}

std::optional<std::vector<std::size_t>> LocalOrder::network(std::vector<Variable> const& order) const {
  std::vector<std::size_t> position(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) position[order[p]] = p;
  std::vector<std::size_t> chosen(order.size());
  for (Variable const v : order) {
    std::size_t c = cache_.begin(v);
    for (; c < cache_.end(v); ++c) {
      auto const parents = cache_.parents(c);
      if (std::all_of(parents.begin(), parents.end(),
                      [&](Variable p) { return position[p] < position[v]; }))
        break;
    }
    if (c == cache_.end(v)) return std::nullopt;
    chosen[v] = c;
  }
  return chosen;
}

Fixed LocalOrder::score(std::vector<std::size_t> const& network) const {
  Fixed sum = 0;
  for (std::size_t const c : network) sum += cache_.score(c);
  return sum;
}

double LocalOrder::value(Variable w, Variable x, bool with) const {
  std::size_t const limit = position_[w];
  for (std::size_t c = cache_.begin(w); c < cache_.end(w); ++c) {
    bool fits = true;
    for (auto const p : cache_.parents(c))
      if (p == x ? !with : position_[p] > limit) {
        fits = false;
        break;
      }
    if (fits) return static_cast<double>(cache_.score(c) - cache_.score(cache_.begin(w)));
  }
  return minus_infinity;
}

bool LocalOrder::move(Variable x) {
  std::size_t const n = order_.size();
  std::size_t const old = position_[x];
  // Places are counted in the order without x: place p is before its p-th member.
  auto const place_of = [&](Variable w) { return position_[w] - (position_[w] > old ? 1 : 0); };
  // gain_[p]: what children lose with x at p. A child before p goes without x.
  gain_.assign(n, 0);
  double all_with = 0;
  std::size_t lost = 0;  // children without a value even if x comes first
  std::vector<std::pair<std::size_t, double>> changes;
  for (Variable const w : children_[x]) {
    double const with = value(w, x, true);
    if (with == minus_infinity) {
      ++lost;
      continue;
    }
    double const without = value(w, x, false);
    all_with += with;
    if (without != with) changes.emplace_back(place_of(w), without - with);
  }
  if (lost > 0) return false;
  for (auto const& [place, change] : changes)
    if (place + 1 < n) gain_[place + 1] += change;
  for (std::size_t p = 1; p < n; ++p) gain_[p] += gain_[p - 1];
  // x itself: a candidate is there from the place behind its last parent; best first, so each
  // candidate serves the places before those already served.
  double best = minus_infinity, now = minus_infinity;
  std::size_t target = old;
  std::size_t served = n;
  for (std::size_t c = cache_.begin(x); c < cache_.end(x) && served > 0; ++c) {
    std::size_t from = 0;
    for (auto const p : cache_.parents(c)) from = std::max(from, place_of(p) + 1);
    double const own = static_cast<double>(cache_.score(c) - cache_.score(cache_.begin(x)));
    for (; served > from; --served) {
      double const total = own + gain_[served - 1];
      if (served - 1 == old) now = total;
      if (total > best) {
        best = total;
        target = served - 1;
      }
    }
  }
  constexpr double least = 1.0;  // one unit of 2^-30 nat
  if (!(best >= now + least)) return false;
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(old));
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(target), x);
  for (std::size_t p = std::min(old, target); p <= std::max(old, target); ++p) position_[order_[p]] = p;
  return true;
}

void LocalOrder::improve(std::vector<Variable>& order, Control& control) {
  load(order);
  std::vector<Variable> waiting(order);
  std::vector<char> is_waiting(order.size(), 1);
  for (std::size_t at = 0; at < waiting.size(); ++at) {
    Variable const x = waiting[at];
    is_waiting[x] = 0;
    if (control.should_stop()) break;
    if (!move(x)) continue;
    auto const wait = [&](Variable v) {
      if (is_waiting[v]) return;
      is_waiting[v] = 1;
      waiting.push_back(v);
    };
    for (Variable const w : children_[x]) wait(w);
    for (std::size_t c = cache_.begin(x); c < std::min(cache_.end(x), cache_.begin(x) + 8); ++c)
      for (auto const p : cache_.parents(c)) wait(p);
    wait(x);
    if (at > 4 * order.size()) {
      waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      at = static_cast<std::size_t>(-1);
    }
  }
  order = order_;
}

void LocalOrder::search(std::vector<Variable>& order, std::size_t rounds, Rng& rng, Control& control) {
  improve(order, control);
  auto const start = network(order);
  if (!start) return;
  Fixed best = score(*start);
  std::size_t const n = order.size();
  if (n < 3) return;
  for (std::size_t round = 0; round < rounds && !control.stopped(); ++round) {
    std::vector<Variable> trial(order);
    std::size_t const moves = 1 + rng.below(std::min<std::size_t>(n, 8));
    for (std::size_t k = 0; k < moves; ++k) {
      std::size_t const from = rng.below(n), to = rng.below(n);
      Variable const x = trial[from];
      trial.erase(trial.begin() + static_cast<std::ptrdiff_t>(from));
      trial.insert(trial.begin() + static_cast<std::ptrdiff_t>(to), x);
    }
    if (!network(trial)) continue;
    improve(trial, control);
    auto const found = network(trial);
    if (!found) continue;
    Fixed const value = score(*found);
    if (value >= best) {
      best = value;
      order = trial;
    }
  }
}

std::vector<Variable> order_of(ScoreCache const& cache, std::vector<std::size_t> const& network) {
  std::size_t const n = network.size();
  std::vector<std::size_t> missing(n);
  std::vector<std::vector<Variable>> children(n);
  std::vector<Variable> order;
  for (std::size_t v = 0; v < n; ++v) {
    auto const parents = cache.parents(network[v]);
    missing[v] = parents.size();
    for (auto const p : parents) children[p].push_back(static_cast<Variable>(v));
    if (parents.empty()) order.push_back(static_cast<Variable>(v));
  }
  for (std::size_t at = 0; at < order.size(); ++at)
    for (Variable const w : children[order[at]])
      if (--missing[w] == 0) order.push_back(w);
  return order;
}

}  // namespace bayesloom::relaxation
