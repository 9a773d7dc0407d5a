#include "credible/output/network_stream.hpp"

#include <algorithm>
#include <numeric>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "credible/tuning.hpp"

namespace bayesloom::credible {

NetworkStream::NetworkStream(CredibleSet const& set, Fixed within)
    : set_(set), within_(within), walk_(set.walk(within)) {}

NetworkRows NetworkStream::take(std::size_t most) {
  NetworkRows out;
  std::size_t const n = set_.cache().variable_count();
  while (out.scores.size() < most && walk_->next()) {
    out.candidates.resize(out.candidates.size() + n);
    walk_->candidates(std::span(out.candidates).last(n));
    out.scores.push_back(set_.best() - walk_->loss());
  }
  return out;
}

std::pair<std::span<TextBuffer const>, std::size_t> NetworkStream::take_json(std::size_t most) {
  if (!lines_) lines_ = std::make_unique<JsonLines>(set_);
  std::size_t count = 0;
  texts_.resize(1);
  texts_[0].clear();
  if (within_ == set_.max_loss() && set_.threads() > 1 && set_.walk_from(0) != nullptr) {
    count = take_pieces(most);
  } else {
    std::vector<std::uint64_t> candidates(set_.cache().variable_count());
    for (; count < most && walk_->next(); ++count) {
      walk_->candidates(candidates);
      lines_->append(set_.best() - walk_->loss(), candidates, texts_[0]);
    }
  }
  return {texts_, count};
}

std::size_t NetworkStream::take_pieces(std::size_t most) {
  std::size_t const pieces = set_.threads(), each = (most + pieces - 1) / pieces;
  texts_.resize(pieces);
  std::vector<std::size_t> counts(pieces, 0);
  Control control;
  parallel_for(pieces, pieces, control, [&](std::size_t piece, std::size_t) {
    std::size_t const begin = std::min(piece * each, most), end = std::min(begin + each, most);
    auto const walk = set_.walk_from(listed_ + begin);
    std::vector<std::uint64_t> candidates(set_.cache().variable_count());
    texts_[piece].clear();
    for (; counts[piece] < end - begin && walk->next(); ++counts[piece]) {
      walk->candidates(candidates);
      lines_->append(set_.best() - walk->loss(), candidates, texts_[piece]);
    }
  });
  std::size_t const count = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  listed_ += count;
  return count;
}

ClassRows take_classes(CredibleSet const& set, ClassWalk& walk, std::size_t most) {
  ClassRows rows;
  auto& [candidates, scores] = rows.networks;
  std::size_t const n = set.cache().variable_count();
  while (scores.size() < most && walk.next()) {
    candidates.resize(candidates.size() + n);
    walk.candidates(set.cache(), std::span(candidates).last(n));
    scores.push_back(set.best() - walk.loss());
    rows.members.push_back(walk.members());
  }
  return rows;
}

NetworkRows draw_networks(CredibleSet const& set, std::size_t networks, bool even,
                          std::uint64_t seed) {
  std::size_t const n = set.cache().variable_count();
  NetworkRows out;
  auto const sampler = set.sampler(even, seed);
  out.candidates.resize(networks * n);
  for (std::size_t i = 0; i < networks; ++i) {
    auto const loss = sampler->draw(std::span(out.candidates).subspan(i * n, n));
    if (!loss)
      throw ResourceError(
          "almost every network drawn was out of reach; a smaller Bayes factor helps.");
    out.scores.push_back(set.best() - *loss);
  }
  return out;
}

std::vector<ParentLists> parent_lists(ScoreCache const& cache,
                                      std::span<std::uint64_t const> candidates) {
  std::size_t const n = cache.variable_count(), rows = candidates.size() / n;
  std::vector<ParentLists> lists(n);
  std::vector<std::size_t> most(n, 0);
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t c = cache.begin(static_cast<Variable>(v));
         c < cache.end(static_cast<Variable>(v)); ++c)
      most[v] = std::max(most[v], cache.parents(c).size());
  for (auto& list : lists) list.first.reserve(rows + 1);
  constexpr std::size_t near = tuning::near_networks;
  for (std::size_t begin = 0; begin < rows; begin += near) {
    std::size_t const end = std::min(rows, begin + near);
    for (std::size_t v = 0; v < n; ++v) {
      auto& [first, parents] = lists[v];
      std::size_t at = parents.size();
      parents.resize(at + (end - begin) * most[v]);
      for (std::size_t row = begin; row < end; ++row) {
        first.push_back(static_cast<std::int32_t>(at));
        for (auto const p : cache.parents(candidates[row * n + v]))
          parents[at++] = static_cast<std::int32_t>(p);
      }
      parents.resize(at);
    }
  }
  for (auto& [first, parents] : lists) first.push_back(static_cast<std::int32_t>(parents.size()));
  return lists;
}

}  // namespace bayesloom::credible
