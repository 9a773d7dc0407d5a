#include "layout/crossings.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "layout/tuning.hpp"

namespace bayesloom::layout {

namespace {

using Places = std::vector<std::uint32_t>;

/// The sorted places of the neighbours of each vertex of a row, above and below.
class PlacesNear {
 public:
  void fill(std::vector<Vertex> const& row, Neighbours const& up, Neighbours const& down,
            Places const& place) {
    items_.clear();
    start_.assign(1, 0);
    for (Vertex const v : row) {
      for (Neighbours const* side : {&up, &down}) {
        for (Vertex const u : (*side)[v]) items_.push_back(place[u]);
        std::sort(items_.begin() + static_cast<std::ptrdiff_t>(start_.back()), items_.end());
        start_.push_back(items_.size());
      }
    }
  }
  std::size_t size() const { return items_.size(); }

  /// Crossings of the edges of the row's vertices i and j if i is left of j, minus those if right.
  std::int64_t gain_of_swap(std::size_t i, std::size_t j, std::uint64_t& steps) const {
    std::int64_t sum = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      auto const a = list(2 * i + side), b = list(2 * j + side);
      steps += a.size() + b.size();
      std::size_t less = 0, less_or_equal = 0;  // places of b below, or not above, that of a
      for (std::uint32_t const x : a) {
        while (less < b.size() && b[less] < x) ++less;
        less_or_equal = std::max(less_or_equal, less);
        while (less_or_equal < b.size() && b[less_or_equal] <= x) ++less_or_equal;
        sum +=
            static_cast<std::int64_t>(less) - static_cast<std::int64_t>(b.size() - less_or_equal);
      }
    }
    return sum;
  }

 private:
  std::span<std::uint32_t const> list(std::size_t k) const {
    return {items_.data() + start_[k], start_[k + 1] - start_[k]};
  }
  std::vector<std::uint32_t> items_;
  std::vector<std::size_t> start_;
};

/// Pairs (i, j), i before j, with the larger value first; sorts.
std::uint64_t inversions(std::vector<std::uint32_t>& values, std::vector<std::uint32_t>& spare) {
  std::uint64_t count = 0;
  spare.resize(values.size());
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t left = 0; left < values.size(); left += 2 * width) {
      std::size_t const middle = std::min(left + width, values.size());
      std::size_t const end = std::min(left + 2 * width, values.size());
      std::size_t i = left, j = middle;
      for (std::size_t k = left; k < end; ++k) {
        if (j == end || (i < middle && values[i] <= values[j])) {
          spare[k] = values[i++];
        } else {
          count += middle - i;
          spare[k] = values[j++];
        }
      }
    }
    values.swap(spare);
  }
  return count;
}

class RowOrder {
 public:
  explicit RowOrder(LayeredGraph const& graph)
      : graph_(graph), rows_(graph.rows), place_(graph.size(), 0) {
    for (std::size_t i = 0; i < rows_.size(); ++i) place_row(i);
  }

  Rows const& rows() const { return rows_; }
  std::uint64_t steps() const { return steps_; }

  void set(Rows const& rows) {
    rows_ = rows;
    for (std::size_t i = 0; i < rows_.size(); ++i) place_row(i);
  }

  std::uint64_t crossings() {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i + 1 < rows_.size(); ++i) {
      values_.clear();
      for (Vertex const v : rows_[i]) {
        auto const first = static_cast<std::ptrdiff_t>(values_.size());
        for (Vertex const u : graph_.down[v]) values_.push_back(place_[u]);
        std::sort(values_.begin() + first, values_.end());
      }
      steps_ += values_.size();
      count += inversions(values_, spare_);
    }
    return count;
  }

  /// Sorts each layer by its neighbours in the one before it, by their mean or their median.
  void sweep(bool downwards, bool by_median, bool ties_turn) {
    for (std::size_t k = 1; k < rows_.size(); ++k) {
      std::size_t const i = downwards ? k : rows_.size() - 1 - k;
      sort_row(i, downwards ? graph_.up : graph_.down, by_median, ties_turn);
    }
  }

  /// Lets neighbours in a layer change places while that removes crossings.
  void transpose() {
    settle(std::vector<bool>(rows_.size(), true), [&](std::size_t i) { return transpose_row(i); });
  }

  /// Moves each vertex of the layers to look at, and of those beside a change, to its best place.
  void sift(std::vector<bool> look) {
    settle(std::move(look), [&](std::size_t i) { return sift_row(i); });
  }
  void sift() { sift(std::vector<bool>(rows_.size(), true)); }

  /// Shuffles a few neighbours in a few layers; returns which layers to look at.
  std::vector<bool> disturb(Rng& rng) {
    std::vector<bool> look(rows_.size(), false);
    std::size_t const first = rng.below(rows_.size());
    std::size_t const end = std::min(rows_.size(), first + 1 + rng.below(tuning::disturbed_layers));
    for (std::size_t i = first; i < end; ++i) {
      auto& row = rows_[i];
      std::size_t const size = std::min<std::size_t>(
          row.size(), 2 + rng.below(std::max(tuning::disturbed_vertices, row.size() / 4)));
      std::size_t const from = rng.below(row.size() - size + 1);
      rng.shuffle(std::span<Vertex>(row).subspan(from, size));
      place_row(i);
      for (std::size_t k = i == 0 ? 0 : i - 1; k < std::min(i + 2, rows_.size()); ++k)
        look[k] = true;
    }
    return look;
  }

 private:
  /// Changes layers until none that is looked at can be changed.
  template <typename Change>
  void settle(std::vector<bool> look, Change const& change) {
    for (bool better = true; better;) {
      better = false;
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (!look[i]) continue;
        look[i] = false;
        if (!change(i)) continue;
        better = true;
        for (std::size_t k = i == 0 ? 0 : i - 1; k < std::min(i + 2, rows_.size()); ++k)
          look[k] = true;
      }
    }
  }

  void place_row(std::size_t i) {
    for (std::size_t k = 0; k < rows_[i].size(); ++k)
      place_[rows_[i][k]] = static_cast<std::uint32_t>(k);
  }

  /// Vertices without neighbours on that side keep their places.
  void sort_row(std::size_t i, Neighbours const& side, bool by_median, bool ties_turn) {
    auto& row = rows_[i];
    keys_.clear();
    slots_.clear();
    for (std::size_t k = 0; k < row.size(); ++k) {
      auto const near = side[row[k]];
      if (near.empty()) continue;
      steps_ += near.size();
      slots_.push_back(k);
      keys_.emplace_back(by_median ? median(near) : mean(near), row[k]);
    }
    if (ties_turn) std::ranges::reverse(keys_);
    std::ranges::stable_sort(keys_, {}, &std::pair<double, Vertex>::first);
    for (std::size_t k = 0; k < slots_.size(); ++k) row[slots_[k]] = keys_[k].second;
    place_row(i);
  }

  double mean(std::span<Vertex const> near) const {
    std::uint64_t sum = 0;
    for (Vertex const u : near) sum += place_[u];
    return static_cast<double>(sum) / static_cast<double>(near.size());
  }

  /// The weighted median of section 3 of [gansner1993].
  double median(std::span<Vertex const> near) {
    values_.clear();
    for (Vertex const u : near) values_.push_back(place_[u]);
    std::ranges::sort(values_);
    std::size_t const n = values_.size(), m = n / 2;
    auto const at = [&](std::size_t k) { return static_cast<double>(values_[k]); };
    if (n % 2 == 1) return at(m);
    if (n == 2) return (at(0) + at(1)) / 2;
    double const left = at(m - 1) - at(0), right = at(n - 1) - at(m);
    if (left + right == 0) return (at(m - 1) + at(m)) / 2;
    return (at(m - 1) * right + at(m) * left) / (left + right);
  }

  bool transpose_row(std::size_t i) {
    auto& row = rows_[i];
    near_.fill(row, graph_.up, graph_.down, place_);
    steps_ += near_.size();
    numbers_.resize(row.size());
    for (std::size_t k = 0; k < row.size(); ++k) numbers_[k] = k;
    bool any = false;
    for (bool better = true; better;) {
      better = false;
      for (std::size_t k = 0; k + 1 < row.size(); ++k) {
        if (near_.gain_of_swap(numbers_[k], numbers_[k + 1], steps_) <= 0) continue;
        std::swap(numbers_[k], numbers_[k + 1]);
        std::swap(row[k], row[k + 1]);
        any = better = true;
      }
    }
    place_row(i);
    return any;
  }

  bool sift_row(std::size_t i) {
    auto& row = rows_[i];
    near_.fill(row, graph_.up, graph_.down, place_);
    steps_ += near_.size();
    numbers_.resize(row.size());
    for (std::size_t k = 0; k < row.size(); ++k) numbers_[k] = k;
    bool any = false;
    for (std::size_t which = 0; which < row.size(); ++which) {
      auto const at =
          static_cast<std::size_t>(std::ranges::find(numbers_, which) - numbers_.begin());
      std::int64_t best = 0, sum = 0;
      std::size_t to = at;
      for (std::size_t k = at; k-- > 0;) {
        sum += near_.gain_of_swap(numbers_[k], which, steps_);
        if (sum > best) best = sum, to = k;
      }
      sum = 0;
      for (std::size_t k = at + 1; k < row.size(); ++k) {
        sum += near_.gain_of_swap(which, numbers_[k], steps_);
        if (sum > best) best = sum, to = k;
      }
      if (to == at) continue;
      any = true;
      auto const move = [&](auto& list) {
        auto const from = list.begin() + static_cast<std::ptrdiff_t>(at);
        auto const goal = list.begin() + static_cast<std::ptrdiff_t>(to);
        if (to < at) {
          std::rotate(goal, from, from + 1);
        } else {
          std::rotate(from, from + 1, goal + 1);
        }
      };
      move(numbers_);
      move(row);
    }
    place_row(i);
    return any;
  }

  LayeredGraph const& graph_;
  Rows rows_;
  Places place_;
  PlacesNear near_;
  std::uint64_t steps_ = 0;
  std::vector<std::uint32_t> values_, spare_;
  std::vector<std::pair<double, Vertex>> keys_;
  std::vector<std::size_t> slots_, numbers_;
};

/// Each layer in the order in which a walk in depth finds its vertices: trees have no crossings so.
Rows walked_rows(LayeredGraph const& graph, std::vector<Vertex> const& starts) {
  Rows rows(graph.rows.size());
  std::vector<bool> found(graph.size(), false);
  std::vector<std::pair<Vertex, std::size_t>> path;
  for (Vertex const start : starts) {
    if (found[start]) continue;
    found[start] = true;
    rows[graph.layer[start]].push_back(start);
    path.emplace_back(start, 0);
    while (!path.empty()) {
      auto& [v, next] = path.back();
      auto const down = graph.down[v], up = graph.up[v];
      if (next == down.size() + up.size()) {
        path.pop_back();
        continue;
      }
      Vertex const u = next < down.size() ? down[next] : up[next - down.size()];
      ++next;
      if (found[u]) continue;
      found[u] = true;
      rows[graph.layer[u]].push_back(u);
      path.emplace_back(u, 0);
    }
  }
  return rows;
}

Rows start_rows(LayeredGraph const& graph, std::size_t start, Rng& rng) {
  std::vector<Vertex> vertices;
  for (std::size_t i = 0; i < graph.rows.size(); ++i) {
    auto const& row = graph.rows[start % 2 == 0 ? i : graph.rows.size() - 1 - i];
    vertices.insert(vertices.end(), row.begin(), row.end());
  }
  if (start >= 2) rng.shuffle(std::span<Vertex>(vertices));
  if (start < 2 || start % 3 != 0) return walked_rows(graph, vertices);
  Rows rows(graph.rows.size());
  for (Vertex const v : vertices) rows[graph.layer[v]].push_back(v);
  return rows;
}

}  // namespace

std::uint64_t crossings_of(LayeredGraph const& graph) { return RowOrder(graph).crossings(); }

std::vector<Rows> orders_of(LayeredGraph const& graph, std::size_t most, Control& control) {
  RowOrder order(graph);
  Rng rng(tuning::seed);
  std::vector<Rows> best{graph.rows};
  Rows latest = graph.rows;
  std::uint64_t fewest = order.crossings(), told = 0, ties = 1;
  auto const stop = [&] {
    std::uint64_t const work = order.steps() - told;
    told = order.steps();
    return (control.should_stop(work) && told >= tuning::least_steps) ||
           told >= tuning::crossing_steps;
  };
  // Of orders that are as good, each that was found has the same chance to be kept.
  auto const offer = [&](Rows const& rows, std::uint64_t crossings) {
    if (crossings > fewest || rows == latest) return;
    if (crossings < fewest) {
      best.clear();
      ties = 0;
    }
    fewest = crossings;
    latest = rows;
    ++ties;
    if (best.size() < most) {
      best.push_back(rows);
    } else if (std::uint64_t const at = rng.below(ties); at < most) {
      best[at] = rows;
    }
  };
  for (std::size_t start = 0; start < tuning::starts && !stop(); ++start) {
    order.set(start_rows(graph, start, rng));
    Rows here = order.rows();
    std::uint64_t least = order.crossings();
    std::size_t idle = 0;
    for (std::size_t k = 0; k < tuning::most_sweeps && idle < tuning::patience && least > 0; ++k) {
      order.sweep(k % 2 == 0, start % 2 == 1, k % 4 >= 2);
      order.transpose();
      std::uint64_t const now = order.crossings();
      idle = now < least ? 0 : idle + 1;
      if (now < least) {
        least = now;
        here = order.rows();
      }
      if (stop()) break;
    }
    order.set(here);
    order.sift();
    offer(order.rows(), order.crossings());
  }
  for (std::size_t k = 0; k < tuning::disturbances && fewest > 0 && !stop(); ++k) {
    order.set(latest);
    order.sift(order.disturb(rng));
    offer(order.rows(), order.crossings());
  }
  return best;
}

}  // namespace bayesloom::layout
