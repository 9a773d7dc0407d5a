// Walks over the networks or the classes of a credible set, handed over to Python many at a time.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "base/parallel.hpp"
#include "counts.hpp"
#include "credible/subset_dp/subset_dp_set.hpp"
#include "credible/output/json_lines.hpp"

namespace bayesloom {

using credible::Classes;
using credible::ClassWalk;
using credible::Count;
using credible::CredibleSet;
using credible::JsonLines;
using credible::Walk;

using Batch = nb::typed<nb::tuple, OutArray<std::uint64_t>, OutArray<Fixed>>;
using ClassBatch =
    nb::typed<nb::tuple, OutArray<std::uint64_t>, OutArray<Fixed>, nb::typed<nb::list, nb::int_>>;

/// A walk over the networks that hands them over many at a time.
class NetworkStream {
 public:
  NetworkStream(NetworkStream const&) = delete;
  NetworkStream(CredibleSet const& set, Fixed within)
      : set_(set), within_(within), walk_(set.walk_within(within)), lines_(set) {}

  /// Up to `most` networks: candidates, one per variable and network, and scores.
  Batch take(std::size_t most) {
    std::vector<std::uint64_t> candidates;
    std::vector<Fixed> scores;
    {
      nb::gil_scoped_release const release;
      std::size_t const n = set_.cache().variable_count();
      while (scores.size() < most && walk_.next()) {
        candidates.resize(candidates.size() + n);
        set_.candidates(walk_, std::span(candidates).last(n));
        scores.push_back(set_.best() - walk_.loss());
      }
    }
    return Batch(nb::make_tuple(to_numpy(std::move(candidates)), to_numpy(std::move(scores))));
  }

  /// Up to `most` networks as lines of JSON, and how many they are. Threads make pieces of it,
  /// where the networks can be listed from any rank.
  std::pair<nb::bytes, std::size_t> take_json(std::size_t most) {
    std::size_t count = 0;
    {
      nb::gil_scoped_release const release;
      texts_.resize(1);
      texts_[0].clear();
      if (within_ == set_.slack() && set_.ranked() && set_.threads() > 1) {
        count = take_pieces(most);
      } else {
        for (; count < most && walk_.next(); ++count) lines_.append(walk_, texts_[0]);
      }
      for (std::size_t i = 1; i < texts_.size(); ++i) texts_[0].append(texts_[i]);
    }
    return {nb::bytes(texts_[0].data(), texts_[0].size()), count};
  }

 private:
  std::size_t take_pieces(std::size_t most) {
    std::size_t const pieces = set_.threads(), each = (most + pieces - 1) / pieces;
    texts_.resize(pieces);
    std::vector<std::size_t> counts(pieces, 0);
    Control control;
    parallel_for(pieces, pieces, control, [&](std::size_t piece, std::size_t) {
      std::size_t const begin = std::min(piece * each, most), end = std::min(begin + each, most);
      auto walk = set_.walk();
      walk.seek(listed_ + begin);
      texts_[piece].clear();
      while (counts[piece] < end - begin && walk.next()) {
        lines_.append(walk, texts_[piece]);
        ++counts[piece];
      }
    });
    std::size_t const count = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    listed_ += count;
    return count;
  }

  CredibleSet const& set_;
  Fixed const within_;
  Walk walk_;
  Count listed_ = 0;
  JsonLines lines_;
  std::vector<credible::TextBuffer> texts_;
};

/// The classes of a set, with the set they belong to.
struct ClassList {
  CredibleSet const& set;
  Classes classes;
};

/// A walk over the classes that hands them over many at a time.
class ClassStream {
 public:
  explicit ClassStream(ClassList const& list)
      : set_(list.set), classes_(list.classes), walk_(list.classes) {}

  /// Up to `most` classes: representatives' candidates, scores, members.
  ClassBatch take(std::size_t most) {
    std::vector<std::uint64_t> candidates;
    std::vector<Fixed> scores;
    nb::list members;
    while (scores.size() < most && walk_.next()) {
      append_representative(candidates);
      scores.push_back(set_.best() - walk_.loss());
      members.append(to_int(walk_.members()));
    }
    return ClassBatch(
        nb::make_tuple(to_numpy(std::move(candidates)), to_numpy(std::move(scores)), members));
  }

 private:
  void append_representative(std::vector<std::uint64_t>& candidates) const {
    std::size_t const begin = candidates.size();
    candidates.resize(begin + set_.cache().variable_count());
    std::size_t place = 0;  // in a representative of all parts together
    for (std::size_t p = 0; p < set_.parts().size(); ++p) {
      std::size_t const q = classes_.joint() ? 0 : p;
      auto const& part = classes_.parts()[q];
      auto const& component = set_.parts()[p].component;
      auto const chosen = part.representative(part.entries[walk_.entries()[q]]);
      for (std::size_t x = 0; x < component.size(); ++x)
        candidates[begin + component.variables[x]] =
            component.choices[x][chosen[classes_.joint() ? place++ : x]].candidate;
    }
  }

  CredibleSet const& set_;
  Classes const& classes_;
  ClassWalk walk_;
};

}  // namespace bayesloom
