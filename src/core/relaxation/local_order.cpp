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

std::optional<std::vector<std::size_t>> LocalOrder::network(
    std::vector<Variable> const& order) const {
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
  std::vector<std::pair<std::size_t, double>> changes;
  for (Variable const w : children_[x]) {
    double const with = value(w, x, true);
    double const without = value(w, x, false);
    if (without != with) changes.emplace_back(place_of(w), without - with);
  }
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
  insert(old, target);
  return true;
}

void LocalOrder::insert(std::size_t from, std::size_t to) {
  auto const at = [&](std::size_t p) { return order_.begin() + static_cast<std::ptrdiff_t>(p); };
  if (from < to) {
    std::rotate(at(from), at(from) + 1, at(to) + 1);
  } else {
    std::rotate(at(to), at(from), at(from) + 1);
  }
  for (std::size_t p = std::min(from, to); p <= std::max(from, to); ++p) position_[order_[p]] = p;
}

void LocalOrder::add_near(Variable x, std::vector<Variable>& list) const {
  constexpr std::size_t top_candidates = 8;
  list.push_back(x);
  list.insert(list.end(), children_[x].begin(), children_[x].end());
  for (std::size_t c = cache_.begin(x);
       c < std::min(cache_.end(x), cache_.begin(x) + top_candidates); ++c)
    for (auto const p : cache_.parents(c)) list.push_back(p);
}

void LocalOrder::improve(std::vector<Variable> waiting, std::size_t& tries, std::size_t most,
                         Control& control) {
  std::vector<char> is_waiting(order_.size(), 0);
  for (Variable const x : waiting) is_waiting[x] = 1;
  std::vector<Variable> near;
  while (!waiting.empty()) {
    std::vector<Variable> next;
    for (Variable const x : waiting) {
      if (is_waiting[x] == 0) continue;
      is_waiting[x] = 0;
      if (++tries > most || control.should_stop()) return;
      if (!move(x)) continue;
      near.clear();
      add_near(x, near);
      for (Variable const v : near)
        if (is_waiting[v] == 0) {
          is_waiting[v] = 1;
          next.push_back(v);
        }
    }
    waiting = std::move(next);
  }
}

void LocalOrder::search(std::vector<Variable>& order, std::size_t moves, Rng& rng,
                        Control& control) {
  std::size_t const n = order.size();
  std::size_t tries = 0;
  load(order);
  improve(order, tries, moves, control);
  order = order_;
  if (n < 3) return;
  Fixed best = score(*network(order));
  while (tries < moves && !control.stopped()) {
    load(order);
    std::vector<Variable> near, pool;
    // Variables that are near each other: far apart, one failure would undo the gains of the rest.
    add_near(order_[rng.below(n)], pool);
    std::size_t const shaken = 1 + rng.below(std::min<std::size_t>(pool.size(), 8));
    for (std::size_t k = 0; k < shaken; ++k) {
      Variable const x = pool[k == 0 ? 0 : rng.below(pool.size())];
      add_near(x, near);
      insert(position_[x], rng.below(n));
    }
    ++tries;
    if (!network(order_)) continue;
    improve(std::move(near), tries, moves, control);
    Fixed const value = score(*network(order_));
    if (value >= best) {
      best = value;
      order = order_;
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
