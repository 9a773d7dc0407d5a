#include "layout/coordinates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_set>
#include <utility>

#include "layout/network_simplex.hpp"
#include "layout/tuning.hpp"

namespace bayesloom::layout {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Segments between a box and anything that cross one between two bends ("type 1 conflicts").
class Conflicts {
 public:
  explicit Conflicts(LayeredGraph const& graph) {
    std::vector<std::size_t> place(graph.size());
    for (auto const& row : graph.rows)
      for (std::size_t k = 0; k < row.size(); ++k) place[row[k]] = k;
    auto const inner = [&](Vertex v) {  // the bend above a bend, or none
      return graph.is_bend(v) && graph.is_bend(graph.up[v][0]);
    };
    for (std::size_t i = 1; i < graph.rows.size(); ++i) {
      auto const& row = graph.rows[i];
      std::size_t next = 0, from = 0;
      for (std::size_t k = 0; k < row.size(); ++k) {
        bool const last = k + 1 == row.size();
        if (!inner(row[k]) && !last) continue;
        std::size_t const to =
            inner(row[k]) ? place[graph.up[row[k]][0]] : graph.rows[i - 1].size() - 1;
        for (; next <= k; ++next)
          for (Vertex const u : graph.up[row[next]])
            if ((place[u] < from || place[u] > to) && !inner(row[next]))
              marked_.insert(key(u, row[next]));
        from = std::max(from, to);
      }
    }
  }
  bool has(Vertex u, Vertex v) const {
    return marked_.contains(key(std::min(u, v), std::max(u, v)));
  }

 private:
  static std::uint64_t key(Vertex u, Vertex v) {
    return (std::uint64_t{std::min(u, v)} << 32) | std::max(u, v);
  }
  std::unordered_set<std::uint64_t> marked_;
};

/// The four alignments, each seen as if from the top and from the left.
class Alignment {
 public:
  Alignment(LayeredGraph const& graph, std::vector<double> const& width, Conflicts const& conflicts,
            bool bottom_up, bool from_right)
      : graph_(graph),
        width_(width),
        rows_(graph.rows),
        before_(bottom_up ? graph.down : graph.up),
        place_(graph.size()),
        root_(graph.size()),
        next_(graph.size()) {
    if (bottom_up) std::ranges::reverse(rows_);
    if (from_right)
      for (auto& row : rows_) std::ranges::reverse(row);
    for (auto const& row : rows_)
      for (std::size_t k = 0; k < row.size(); ++k) place_[row[k]] = static_cast<std::int64_t>(k);
    for (Vertex v = 0; v < graph.size(); ++v) root_[v] = next_[v] = v;
    align(conflicts);
    x_ = compact();
    if (from_right)
      for (double& x : x_) x = -x;
  }

  std::vector<double> const& x() const { return x_; }

 private:
  void align(Conflicts const& conflicts) {
    std::vector<Vertex> near;
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      std::int64_t taken = -1;
      for (Vertex const v : rows_[i]) {
        near.assign(before_[v].begin(), before_[v].end());
        if (near.empty()) continue;
        std::ranges::sort(near, {}, [&](Vertex u) { return place_[u]; });
        for (std::size_t const m : {(near.size() - 1) / 2, near.size() / 2}) {
          Vertex const u = near[m];
          if (next_[v] != v || place_[u] <= taken || conflicts.has(u, v)) continue;
          next_[u] = v;
          root_[v] = root_[u];
          next_[v] = root_[v];
          taken = place_[u];
        }
      }
    }
  }

  /// Lines stand in an order: each left of those that a vertex of it is left of.
  std::vector<double> compact() const {
    std::size_t const n = graph_.size();
    std::vector<std::pair<Vertex, Vertex>> gaps_of, between;
    std::vector<double> distance;
    std::vector<std::size_t> waiting(n, 0);
    for (auto const& row : rows_)
      for (std::size_t k = 0; k + 1 < row.size(); ++k) {
        Vertex const a = root_[row[k]], b = root_[row[k + 1]];
        gaps_of.emplace_back(a, static_cast<Vertex>(distance.size()));
        distance.push_back(least_distance(graph_, width_, row[k], row[k + 1]));
        between.emplace_back(a, b);
        ++waiting[b];
      }
    Neighbours const gaps(n, gaps_of);
    std::vector<Vertex> order;
    for (Vertex v = 0; v < n; ++v)
      if (root_[v] == v && waiting[v] == 0) order.push_back(v);
    std::vector<double> x(n, 0);
    for (std::size_t done = 0; done < order.size(); ++done)
      for (Vertex const gap : gaps[order[done]]) {
        Vertex const b = between[gap].second;
        x[b] = std::max(x[b], x[order[done]] + distance[gap]);
        if (--waiting[b] == 0) order.push_back(b);
      }
    for (std::size_t k = order.size(); k-- > 0;) {
      double room = infinity;
      for (Vertex const gap : gaps[order[k]])
        room = std::min(room, x[between[gap].second] - distance[gap]);
      if (room < infinity) x[order[k]] = std::max(x[order[k]], room);
    }
    for (Vertex v = 0; v < n; ++v) x[v] = x[root_[v]];
    return x;
  }

  LayeredGraph const& graph_;
  std::vector<double> const& width_;
  Rows rows_;
  Neighbours const& before_;
  std::vector<std::int64_t> place_;
  std::vector<Vertex> root_, next_;
  std::vector<double> x_;
};

int weight_of(LayeredGraph const& graph, Vertex a, Vertex b) {
  return tuning::weight_by_bends[int{graph.is_bend(a)} + int{graph.is_bend(b)}];
}

/// Runs of bends that stand in line move as one, boxes by themselves: first all together to where
/// edges are shortest, then each to the middle of the places that are as good.
class Straightening {
 public:
  Straightening(LayeredGraph const& graph, std::vector<double> const& width, std::vector<double>& x)
      : graph_(graph), width_(width), x_(x), place_(graph.size()), run_of_(graph.size()) {
    for (auto const& row : graph.rows)
      for (std::size_t k = 0; k < row.size(); ++k) place_[row[k]] = k;
    for (Vertex v = 0; v < graph.boxes; ++v) runs_.push_back({v});
    for (auto const& chain : graph.chains)
      for (std::size_t i = 1; i + 1 < chain.size(); ++i) {
        if (i == 1 || std::abs(x[chain[i]] - x[chain[i - 1]]) > 1e-6) runs_.emplace_back();
        runs_.back().push_back(chain[i]);
      }
    std::ranges::stable_sort(runs_, {}, [&](auto const& run) { return graph.layer[run[0]]; });
    for (std::size_t i = 0; i < runs_.size(); ++i)
      for (Vertex const v : runs_[i]) run_of_[v] = static_cast<Vertex>(i);
  }

  /// Network simplex as in section 4.2 of [gansner1993]: a vertex more for each segment, left of both
  /// its ends. Places are whole numbers of quarters of a pixel.
  void shorten(Control& control) {
    std::vector<std::int64_t> number;
    for (auto const& run : runs_) number.push_back(std::llround(x_[run[0]] * quarters));
    std::vector<DistanceArc> arcs;
    std::unordered_set<std::uint64_t> seen;
    for (auto const& row : graph_.rows)
      for (std::size_t k = 0; k + 1 < row.size(); ++k) {
        Vertex const a = run_of_[row[k]], b = run_of_[row[k + 1]];
        double const gap = least_distance(graph_, width_, row[k], row[k + 1]);
        if (graph_.is_bend(row[k]) && graph_.is_bend(row[k + 1]) &&
            !seen.insert((std::uint64_t{a} << 32) | b).second)
          continue;  // two edges side by side in many layers
        arcs.push_back({a, b, std::llround(gap * quarters), 0});
      }
    for (Vertex v = 0; v < graph_.size(); ++v)
      for (Vertex const u : graph_.down[v]) {
        Vertex const a = run_of_[v], b = run_of_[u];
        if (a == b) continue;
        auto const joint = static_cast<Vertex>(number.size());
        number.push_back(std::min(number[a], number[b]));
        arcs.push_back({joint, a, 0, weight(u, v)});
        arcs.push_back({joint, b, 0, weight(u, v)});
      }
    auto const found = network_simplex(arcs, number, control);
    // Ended early, it may have made things worse.
    auto const cost = [&](std::vector<std::int64_t> const& at) {
      std::int64_t sum = 0;
      for (DistanceArc const& arc : arcs) sum += arc.weight * (at[arc.to] - at[arc.from]);
      return sum;
    };
    if (cost(found) >= cost(number)) return;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      for (Vertex const v : runs_[i]) x_[v] = static_cast<double>(found[i]) / quarters;
  }

  void centre() {
    for (std::size_t k = 0; k < tuning::centring_rounds; ++k) {
      bool moved = false;
      if (k % 2 == 0) {
        for (auto const& run : runs_) moved |= move(run);
      } else {
        for (std::size_t i = runs_.size(); i-- > 0;) moved |= move(runs_[i]);
      }
      if (!moved) break;
    }
  }

 private:
  static constexpr double quarters = 4;

  int weight(Vertex a, Vertex b) const { return weight_of(graph_, a, b); }

  bool move(std::vector<Vertex> const& run) {
    double low = -infinity, high = infinity;
    wishes_.clear();
    double total = 0;
    for (Vertex const v : run) {
      auto const& row = graph_.rows[graph_.layer[v]];
      std::size_t const k = place_[v];
      if (k > 0)
        low = std::max(low, x_[row[k - 1]] + least_distance(graph_, width_, row[k - 1], v));
      if (k + 1 < row.size())
        high = std::min(high, x_[row[k + 1]] - least_distance(graph_, width_, v, row[k + 1]));
      for (Neighbours const* side : {&graph_.up, &graph_.down})
        for (Vertex const u : (*side)[v]) {
          if (run_of_[u] == run_of_[v]) continue;
          wishes_.emplace_back(x_[u], weight(u, v));
          total += wishes_.back().second;
        }
    }
    if (wishes_.empty() || low > high) return false;
    std::ranges::sort(wishes_);
    // Every place between the lower and the upper median is as good: the middle.
    double sum = 0, first = wishes_.front().first, second = wishes_.back().first;
    for (auto const& [at, weight] : wishes_) {
      sum += weight;
      if (sum < total / 2) continue;
      first = at;
      break;
    }
    sum = 0;
    for (auto wish = wishes_.rbegin(); wish != wishes_.rend(); ++wish) {
      sum += wish->second;
      if (sum < total / 2) continue;
      second = wish->first;
      break;
    }
    double const to = std::clamp((first + second) / 2, low, high);
    if (std::abs(to - x_[run[0]]) < 0.01) return false;
    for (Vertex const v : run) x_[v] = to;
    return true;
  }

  LayeredGraph const& graph_;
  std::vector<double> const& width_;
  std::vector<double>& x_;
  std::vector<std::size_t> place_;
  std::vector<std::vector<Vertex>> runs_;
  std::vector<Vertex> run_of_;
  std::vector<std::pair<double, double>> wishes_;
};

}  // namespace

std::pair<double, double> extent(LayeredGraph const& graph, std::vector<double> const& width,
                                 std::vector<double> const& x) {
  double low = infinity, high = -infinity;
  for (Vertex v = 0; v < graph.size(); ++v) {
    double const half = graph.is_bend(v) ? 0 : width[v] / 2;
    low = std::min(low, x[v] - half);
    high = std::max(high, x[v] + half);
  }
  return {low, high};
}

double least_distance(LayeredGraph const& graph, std::vector<double> const& width, Vertex left,
                      Vertex right) {
  bool const a = graph.is_bend(left), b = graph.is_bend(right);
  double const gap = a && b ? tuning::edge_gap : a || b ? tuning::edge_box_gap : tuning::box_gap;
  return (a ? 0 : width[left] / 2) + gap + (b ? 0 : width[right] / 2);
}

double length_of(LayeredGraph const& graph, std::vector<double> const& x) {
  double sum = 0;
  for (Vertex v = 0; v < graph.size(); ++v)
    for (Vertex const u : graph.down[v]) sum += weight_of(graph, u, v) * std::abs(x[u] - x[v]);
  return sum;
}

std::vector<double> coordinates_of(LayeredGraph const& graph, std::vector<double> const& width,
                                   Control& control) {
  Conflicts const conflicts(graph);
  std::array<std::vector<double>, 4> x;
  std::size_t narrowest = 0;
  std::array<std::pair<double, double>, 4> ends;
  for (std::size_t k = 0; k < 4; ++k) {
    x[k] = Alignment(graph, width, conflicts, k / 2 == 1, k % 2 == 1).x();
    ends[k] = extent(graph, width, x[k]);
    if (ends[k].second - ends[k].first < ends[narrowest].second - ends[narrowest].first)
      narrowest = k;
  }
  for (std::size_t k = 0; k < 4; ++k) {
    double const move = k % 2 == 0 ? ends[narrowest].first - ends[k].first
                                   : ends[narrowest].second - ends[k].second;
    for (double& at : x[k]) at += move;
  }
  std::vector<double> middle(graph.size());
  for (Vertex v = 0; v < graph.size(); ++v) {
    std::array<double, 4> places{x[0][v], x[1][v], x[2][v], x[3][v]};
    std::ranges::sort(places);
    middle[v] = (places[1] + places[2]) / 2;
  }
  Straightening straightening(graph, width, middle);
  straightening.shorten(control);
  straightening.centre();
  return middle;
}

}  // namespace bayesloom::layout
