// Iterates over the networks of a set in batches, as arrays or as text.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "credible/classes/classes.hpp"
#include "credible/credible.hpp"
#include "credible/output/json_lines.hpp"

namespace bayesloom::credible {

/// Networks row by row: a candidate per variable of each, and their scores.
struct NetworkRows {
  std::vector<std::uint64_t> candidates;
  std::vector<Fixed> scores;
};

class NetworkStream {
 public:
  NetworkStream(CredibleSet const& set, Fixed within);

  /// Up to `most` networks more.
  NetworkRows take(std::size_t most);
  /// The next networks, up to `most`, as lines of JSON, one text after the other, and their number; the texts are
  /// valid until the next call. Formatted by several threads if networks have ranks.
  std::pair<std::span<TextBuffer const>, std::size_t> take_json(std::size_t most);

 private:
  std::size_t take_pieces(std::size_t most);

  CredibleSet const& set_;
  Fixed const within_;
  std::unique_ptr<NetworkWalk> walk_;
  Count listed_ = 0;
  std::unique_ptr<JsonLines> lines_;  // made when first used
  std::vector<TextBuffer> texts_;
};

/// Classes row by row: one network of each, and how many members the class has in the set.
struct ClassRows {
  NetworkRows networks;
  std::vector<Count> members;
};
/// Up to `most` classes more of a walk over the classes of a set.
ClassRows take_classes(CredibleSet const& set, ClassWalk& walk, std::size_t most);

/// Draws networks. Throws ResourceError if almost all draws are rejected.
NetworkRows draw_networks(CredibleSet const& set, std::size_t networks, bool even,
                          std::uint64_t seed);

/// Of one variable: where the parents of each network begin, and the parents one after the other.
struct ParentLists {
  std::vector<std::int32_t> first, parents;
};
/// By variable, of candidates by network and then by variable.
std::vector<ParentLists> parent_lists(ScoreCache const& cache,
                                      std::span<std::uint64_t const> candidates);

}  // namespace bayesloom::credible
