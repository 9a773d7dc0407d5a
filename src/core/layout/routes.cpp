#include "layout/routes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "layout/tuning.hpp"

namespace bayesloom::layout {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Knot {
  double x, y;
  double slope = 0;  // dx / dy
};

/// Slopes of a monotone cubic spline: the harmonic mean of both sides, none where it turns.
void set_slopes(std::vector<Knot>& knots) {
  auto const secant = [&](std::size_t k) {
    return (knots[k + 1].x - knots[k].x) / (knots[k + 1].y - knots[k].y);
  };
  auto const steepest = tuning::steepest_end;
  knots.front().slope = std::clamp(secant(0), -steepest, steepest);
  knots.back().slope = std::clamp(secant(knots.size() - 2), -steepest, steepest);
  for (std::size_t k = 1; k + 1 < knots.size(); ++k) {
    double const a = secant(k - 1), b = secant(k);
    knots[k].slope = a * b <= 0 ? 0 : 2 * a * b / (a + b);
  }
}

double at(std::vector<Knot> const& knots, double y) {
  std::size_t k = 0;
  while (k + 2 < knots.size() && knots[k + 1].y < y) ++k;
  Knot const &a = knots[k], &b = knots[k + 1];
  double const h = b.y - a.y, t = (y - a.y) / h, s = 1 - t;
  return s * s * (1 + 2 * t) * a.x + t * t * (1 + 2 * s) * b.x +
         h * t * s * (s * a.slope - t * b.slope);
}

Route beziers(std::vector<Knot> const& knots) {
  Route route{{knots[0].x, knots[0].y}};
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    Knot const &a = knots[k], &b = knots[k + 1];
    double const third = (b.y - a.y) / 3;
    route.push_back({a.x + third * a.slope, a.y + third});
    route.push_back({b.x - third * b.slope, b.y - third});
    route.push_back({b.x, b.y});
  }
  return route;
}

/// Where edges meet a side of a box: near the middle, each towards where it comes from, apart from
/// each other; what comes from straight above or below stays straight if it can.
std::vector<double> ports(std::vector<double> const& wishes, std::vector<double> const& weights,
                          double width, double gap) {
  std::size_t const n = wishes.size();
  double const half = std::max(0.0, width / 2 - tuning::corner);
  if (n > 1) gap = std::min(gap, 2 * half / static_cast<double>(n - 1));
  // Least squares under least gaps: pool neighbours that are too near.
  struct Pool {
    double sum, weight;
    std::size_t size;
  };
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < n; ++i) {
    pools.push_back({(wishes[i] - gap * static_cast<double>(i)) * weights[i], weights[i], 1});
    while (pools.size() > 1) {
      Pool const b = pools.back(), a = pools[pools.size() - 2];
      if (a.sum / a.weight <= b.sum / b.weight) break;
      pools.pop_back();
      pools.back() = {a.sum + b.sum, a.weight + b.weight, a.size + b.size};
    }
  }
  std::vector<double> out;
  for (Pool const& pool : pools)
    for (std::size_t k = 0; k < pool.size; ++k) {
      double const low = -half, high = half - gap * static_cast<double>(n - 1);
      double const base = std::clamp(pool.sum / pool.weight, low, std::max(low, high));
      out.push_back(base + gap * static_cast<double>(out.size()));
    }
  return out;
}

class Router {
 public:
  Router(LayeredGraph const& graph, Frame const& frame)
      : graph_(graph),
        frame_(frame),
        place_(graph.size()),
        chain_of_(graph.size() - graph.boxes),
        low_(graph.size(), -infinity),
        high_(graph.size(), infinity),
        from_(graph.chains.size()),
        to_(graph.chains.size()) {
    for (auto const& row : graph.rows)
      for (std::size_t k = 0; k < row.size(); ++k) place_[row[k]] = k;
    for (std::size_t c = 0; c < graph.chains.size(); ++c)
      for (Vertex const v : graph.chains[c])
        if (graph.is_bend(v)) chain_of_[v - graph.boxes] = c;
    for (auto const& row : graph.rows)
      for (std::size_t k = 0; k < row.size(); ++k)
        if (graph.is_bend(row[k])) set_channel(row, k);
    std::vector<std::vector<std::size_t>> leave(graph.boxes), enter(graph.boxes);
    for (std::size_t c = 0; c < graph.chains.size(); ++c) {
      leave[graph.chains[c].front()].push_back(c);
      enter[graph.chains[c].back()].push_back(c);
    }
    for (Vertex v = 0; v < graph.boxes; ++v) {
      auto const next = [&](std::size_t c) { return graph_.chains[c][1]; };
      auto const previous = [&](std::size_t c) { return graph_.chains[c].end()[-2]; };
      set_ports(v, leave[v], next, from_, tuning::port_gap * 0.7);
      set_ports(v, enter[v], previous, to_, tuning::port_gap);
    }
  }

  Route route(std::size_t c) {
    auto const& chain = graph_.chains[c];
    std::vector<How> how(chain.size(), How::left_out);
    if (auto knots = knots_of(c, how); fits(chain, knots)) return beziers(knots);
    std::fill(how.begin(), how.end(), How::through);
    auto knots = knots_of(c, how);
    for (bool fine = false; !fine;) {
      fine = true;
      for (std::size_t i = 1; i + 1 < chain.size(); ++i) {
        if (how[i] == How::upright || fits(chain[i], knots)) continue;
        how[i] = How::upright;
        fine = false;
      }
      if (!fine) knots = knots_of(c, how);
    }
    for (std::size_t i = 1; i + 1 < chain.size(); ++i) {
      auto const before = how[i];
      how[i] = How::left_out;
      if (auto fewer = knots_of(c, how); fits(chain, fewer)) {
        knots = std::move(fewer);
      } else {
        how[i] = before;
      }
    }
    return beziers(knots);
  }

 private:
  enum class How : std::uint8_t { left_out, through, upright };

  /// A curve may pass a layer between the nearest boxes and the nearest edges that its edge does not
  /// cross: so no two edges cross more often than they must.
  void set_channel(std::vector<Vertex> const& row, std::size_t k) {
    Vertex const bend = row[k];
    auto const stops = [&](Vertex v, std::size_t looked) {
      return !graph_.is_bend(v) || looked == tuning::edges_passed || !cross(bend, v);
    };
    auto const half = [&](Vertex v) {
      return graph_.is_bend(v) ? tuning::edge_gap * 0.4 : frame_.width[v] / 2 + tuning::clearance;
    };
    for (std::size_t i = k; i-- > 0;)
      if (stops(row[i], k - i)) {
        low_[bend] = frame_.x[row[i]] + half(row[i]);
        break;
      }
    for (std::size_t i = k + 1; i < row.size(); ++i)
      if (stops(row[i], i - k)) {
        high_[bend] = frame_.x[row[i]] - half(row[i]);
        break;
      }
  }

  /// Whether the edges of two bends of a layer are in one order where they first stand side by side and
  /// in the other where they last do.
  bool cross(Vertex a, Vertex b) const {
    auto const& one = graph_.chains[chain_of_[a - graph_.boxes]];
    auto const& two = graph_.chains[chain_of_[b - graph_.boxes]];
    std::size_t const first = std::max(graph_.layer[one.front()], graph_.layer[two.front()]);
    std::size_t const last = std::min(graph_.layer[one.back()], graph_.layer[two.back()]);
    auto const before = [&](std::size_t layer) {
      std::size_t const p = place_[one[layer - graph_.layer[one.front()]]];
      std::size_t const q = place_[two[layer - graph_.layer[two.front()]]];
      return p < q ? -1 : p > q ? 1 : 0;
    };
    return before(first) * before(last) < 0;
  }

  template <typename Other>
  void set_ports(Vertex v, std::vector<std::size_t>& chains, Other const& other,
                 std::vector<double>& out, double gap) {
    std::ranges::stable_sort(chains, {}, [&](std::size_t c) { return place_[other(c)]; });
    std::vector<double> wishes, weights;
    for (std::size_t const c : chains) {
      double const away = frame_.x[other(c)] - frame_.x[v];
      double const most = frame_.width[v] / 4;
      wishes.push_back(std::clamp(away / 8, -most, most));
      weights.push_back(std::abs(away) < 1 ? 100 : 1);
    }
    auto const found = ports(wishes, weights, frame_.width[v], gap);
    for (std::size_t k = 0; k < chains.size(); ++k) out[chains[k]] = frame_.x[v] + found[k];
  }

  std::vector<Knot> knots_of(std::size_t c, std::vector<How> const& how) const {
    auto const& chain = graph_.chains[c];
    auto const top = [&](std::size_t i) { return frame_.top[graph_.layer[chain[i]]]; };
    std::vector<Knot> knots{{from_[c], top(0) + frame_.height}};
    for (std::size_t i = 1; i + 1 < chain.size(); ++i) {
      double const x = frame_.x[chain[i]];
      if (how[i] == How::through) knots.push_back({x, top(i) + frame_.height / 2});
      if (how[i] == How::upright) {
        knots.push_back({x, top(i)});
        knots.push_back({x, top(i) + frame_.height});
      }
    }
    knots.push_back({to_[c], top(chain.size() - 1)});
    set_slopes(knots);
    return knots;
  }

  bool fits(std::vector<Vertex> const& chain, std::vector<Knot> const& knots) const {
    for (std::size_t i = 1; i + 1 < chain.size(); ++i)
      if (!fits(chain[i], knots)) return false;
    return true;
  }

  /// Whether the curve stays in its channel in the band of the layer of a bend.
  bool fits(Vertex bend, std::vector<Knot> const& knots) const {
    double const top = frame_.top[graph_.layer[bend]];
    // Corners of boxes are near where the band ends: a little more than the band is looked at.
    for (double const y : {-tuning::clearance, 0.0, frame_.height / 2, frame_.height,
                           frame_.height + tuning::clearance}) {
      double const x = at(knots, top + y);
      if (x < low_[bend] || x > high_[bend]) return false;
    }
    return true;
  }

  LayeredGraph const& graph_;
  Frame const& frame_;
  std::vector<std::size_t> place_;
  std::vector<std::size_t> chain_of_;  // of each bend
  std::vector<double> low_, high_;     // where a curve may pass the layer of a bend
  std::vector<double> from_, to_;      // where each chain leaves and enters its boxes
};

}  // namespace

std::vector<double> tops_of(LayeredGraph const& graph, std::vector<double> const& x,
                            double height) {
  std::vector<double> run(graph.rows.size(), 0), top(graph.rows.size(), 0);
  for (auto const& chain : graph.chains)
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      double& widest = run[graph.layer[chain[i]]];
      widest = std::max(widest, std::abs(x[chain[i]] - x[chain[i + 1]]));
    }
  for (std::size_t i = 0; i + 1 < top.size(); ++i)
    top[i + 1] = top[i] + height +
                 std::clamp(run[i] * tuning::rise_per_run, tuning::least_rise, tuning::most_rise);
  return top;
}

std::vector<Route> routes_of(LayeredGraph const& graph, Frame const& frame) {
  Router router(graph, frame);
  std::vector<Route> routes;
  routes.reserve(graph.chains.size());
  for (std::size_t c = 0; c < graph.chains.size(); ++c) routes.push_back(router.route(c));
  return routes;
}

}  // namespace bayesloom::layout
