// A problem of the search: some variables still to be placed, their candidates, and cluster prices.
//
//   value(i, P)   s(i, P) - max over P' of s(i, P'): minus the loss of P, at most 0
//   priced(i, P)  value(i, P) + sum of the prices of clusters that hold i and too few members of P
//                 + sum over cuts of price * weight(i, P)
//   bound         base + sum over i of max over P of priced(i, P) - sum of need * price
//
// `base` is what the variables already placed have lost. All numbers are whole
// (base/fixed_point.hpp), so the bound is exact: nothing is rounded, neither up nor down.
//
// Candidates lie in flat arrays, best score first within a variable. A parent set is a bit mask
// relative to the variable's own universe, the variables that occur in any of its candidates: its
// size does not grow with n, and one or two words serve for almost every cache. Up to 64 variables
// the universe is all of them, so masks of different variables can be compared directly.
// Placing a variable clears its bit; removing a candidate closes the gap. The index space never
// changes, and a child is a compact copy: no trail, no undo.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/fixed_point.hpp"
#include "base/var_set.hpp"
#include "cache/score_cache.hpp"

namespace bayesloom::dual {

using Word = std::uint64_t;
using Index = std::uint32_t;

/// Below every value that matters; stands for "no candidate left".
inline constexpr Fixed nothing = std::numeric_limits<Fixed>::min() / 2;
/// Prices paid to one variable stay below this, so that no sum overflows.
inline constexpr Fixed price_room = Fixed{1} << 60;

/// Which variables occur in whose candidates, and at which bit. Never changes during a search.
struct Universe {
  explicit Universe(ScoreCache const& cache);
  /// Of at most 64 variables, whoever may take whom as a parent.
  explicit Universe(std::size_t variables);

  std::size_t n;
  bool shared;                              ///< n <= 64: bit v is variable v, for everyone
  std::size_t words;                        ///< of a candidate's mask
  std::vector<std::vector<Index>> members;  ///< members[i][bit]: variable; empty if shared
  struct Place {
    Index variable, bit;
  };
  std::vector<std::vector<Place>>
      children;  ///< children[v]: who may take v as a parent, and v's bit there

  /// The variable behind a bit in the masks of i.
  Index variable(Index i, std::size_t bit) const {
    return shared ? static_cast<Index>(bit) : members[i][bit];
  }
};

/// How to tell whether a candidate of one member is blocked, in the bits of that member: by at
/// least `need` parents in one set, or, with sets > 0, by all of some of so many sets, which lie
/// one after the other.
struct BlockTest {
  std::size_t need = 1;
  std::size_t sets = 0;
};
/// The most sets that a test has: no four subsets of three members are without inclusion.
inline constexpr std::size_t most_block_sets = 3;

/// The inequality of a cluster in the bits of each member.
struct LocalInequality {
  struct Member {
    Index variable;
    BlockTest test;
    std::size_t first;  ///< of its masks
  };
  std::vector<Member> members;
  std::vector<Word> masks;
};

/// A cluster, its inequality and its price, at least 0. The inequality says that in every network
/// at least `need` members are not blocked. A plain inequality blocks members with at least `need`
/// parents inside: the first `need` members in any order have fewer. Need 1 is the inequality of
/// [jaakkola2010], need 2 and more the k-cluster inequalities of [cussens2011]. An inequality of
/// four (inequalities_of_four.hpp) says for each member which of the other three block it.
struct Cluster {
  WideVarSet members;
  std::size_t need = 1;
  Fixed price = 0;
  /// Of an inequality of four: bit s of blocks[k] is set if member k is blocked by the set s of the
  /// others, all numbered in ascending order. All 0 for a plain inequality.
  std::array<std::uint8_t, 4> blocks{};
  /// Made when first asked for (Problem::local); it depends on the universe alone, so copies share
  /// it.
  mutable std::shared_ptr<LocalInequality const> local{};

  bool plain() const { return blocks[0] == 0; }
  bool same_inequality(Cluster const& other) const {
    return need == other.need && members == other.members && blocks == other.blocks;
  }
};

struct CutRule;

/// A cut (cut.hpp): the weights of what the variables take add up to `need` at least. Here with what
/// is left of the need once the variables that are not in the problem have given their part.
struct Cut {
  std::shared_ptr<CutRule const> rule;
  std::int64_t need = 0;
  Fixed price = 0;
};

/// Which inequalities there are, whatever their price; the clusters must stay where they are.
class InequalityIndex {
 public:
  explicit InequalityIndex(std::vector<Cluster> const& clusters) {
    for (auto const& cluster : clusters) inequalities_.insert(&cluster);
  }
  bool contains(Cluster const& cluster) const { return inequalities_.contains(&cluster); }

 private:
  struct Hash {
    std::size_t operator()(Cluster const* cluster) const;
  };
  struct Same {
    bool operator()(Cluster const* a, Cluster const* b) const { return a->same_inequality(*b); }
  };
  std::unordered_set<Cluster const*, Hash, Same> inequalities_;
};

/// Whether two sets have at least `need` members in common.
inline bool meets(Word const* a, Word const* b, std::size_t words, std::size_t need) {
  if (words == 1) {
    Word const common = a[0] & b[0];
    if (need == 1) return common != 0;
    if (need == 2) return (common & (common - 1)) != 0;
  }
  std::size_t common = 0;
  for (std::size_t w = 0; w < words; ++w)
    common += static_cast<std::size_t>(std::popcount(a[w] & b[w]));
  return common >= need;
}

/// Calls body(blocked), where blocked(c) tells whether candidate c is blocked by the test in
/// `local`, with the commonest kinds of test picked once, outside the body's loop.
template <typename Body>
void with_test(Word const* masks, Word const* local, std::size_t words, BlockTest test,
               Body&& body) {
  std::size_t const need = test.need;
  if (test.sets > 0) {
    body([=](std::size_t c) {
      Word const* const m = masks + c * words;
      for (std::size_t s = 0; s < test.sets; ++s) {
        Word missing = 0;
        for (std::size_t w = 0; w < words; ++w) missing |= local[s * words + w] & ~m[w];
        if (missing == 0) return true;
      }
      return false;
    });
  } else if (words == 1 && need == 1) {
    body([masks, set = local[0]](std::size_t c) { return (masks[c] & set) != 0; });
  } else if (words == 1 && need == 2) {
    body([masks, set = local[0]](std::size_t c) {
      Word const common = masks[c] & set;
      return (common & (common - 1)) != 0;
    });
  } else {
    body([=](std::size_t c) { return meets(masks + c * words, local, words, need); });
  }
}

/// A variable that is not in the problem, and the candidates of the cache that it may take.
struct Elsewhere {
  Index variable;
  std::vector<std::size_t> candidates;
};

struct Problem {
  Universe const* universe = nullptr;
  std::vector<Index> variables;      ///< still to be placed, ascending
  std::vector<std::size_t> begin;    ///< by variable: its first candidate
  std::vector<std::size_t> end;      ///< by variable: behind its last candidate
  std::vector<Fixed> value, priced;  ///< by candidate
  std::vector<std::size_t> origin;   ///< by candidate: its number in the score cache
  std::vector<Word> masks;           ///< by candidate, universe->words each
  std::vector<Fixed> best;           ///< by variable: max priced, or `nothing`
  std::vector<Fixed> paid;           ///< by variable: sum of prices of clusters that hold it
  std::vector<Cluster> clusters;
  std::vector<Cut> cuts;
  Fixed prices = 0;  ///< sum of need * price over clusters and cuts
  Fixed base = 0;    ///< losses of placed variables
  std::vector<std::pair<Index, std::size_t>> placed;  ///< variable and its candidate in the cache
  /// By how much variables that are not here make up for cuts: those placed by their candidate,
  /// those of other parts by the most that they can have.
  std::vector<Elsewhere> elsewhere;

  Fixed bound() const;
  bool infeasible() const;  ///< some variable has no candidate left
  void close();             ///< marks the problem as infeasible
  std::size_t candidate_count() const;

  Word const* mask(std::size_t c) const { return masks.data() + c * universe->words; }
  bool is_empty(std::size_t c) const;
  /// Calls body(bit) for each parent in candidate c, a bit of its variable.
  template <typename Body>
  void for_each_bit(std::size_t c, Body&& body) const {
    for (std::size_t w = 0; w < universe->words; ++w)
      for (Word left = mask(c)[w]; left != 0; left &= left - 1)
        body(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }
  /// The members of `set` as bits of variable i, in `out`.
  void localise(WideVarSet const& set, Index i, Word* out) const;
  /// The inequality of a cluster in the bits of its members.
  LocalInequality const& local(Cluster const& cluster) const;
  /// Whether candidate c has at least `need` parents in a set.
  bool blocked(std::size_t c, Word const* local, std::size_t need) const {
    return meets(mask(c), local, universe->words, need);
  }
  bool touches(std::size_t c, Word const* local) const { return blocked(c, local, 1); }
  bool within(std::size_t c, Word const* local) const;

  /// best[i] anew, after candidates or priced scores changed.
  void refresh(Index i);
  /// Drops the candidates of i for which `drop(c)` is true; best[i] is refreshed if any was.
  template <typename Drop>
  std::size_t remove(Index i, Drop&& drop);

  /// Changes the price of cluster k by `change`.
  void reprice(std::size_t k, Fixed change);
  /// Changes the price of cut k by `change`.
  void reprice_cut(std::size_t k, Fixed change);
  /// Adds a cut without a price; false if it asks nothing of the variables here.
  bool add_cut(std::shared_ptr<CutRule const> const& rule);
  /// Adds a cluster with its price.
  void add_priced(Cluster cluster);
  /// Takes out clusters and cuts without a price.
  void drop_free_clusters();
  /// These clusters with their prices in place of those there were; cuts go.
  void replace_prices(std::vector<Cluster> const& given);

  /// Places i next, with candidate c, whose parents are all placed: i leaves, its bit is cleared in
  /// all others, and clusters that hold it are left to the rest of their members.
  void place(Index i, std::size_t c);

  /// The part of this problem made of `part`, which takes no parents but from itself and from
  /// `before`. Base is 0.
  Problem restricted_to(WideVarSet const& part, WideVarSet const& before) const;
  /// A copy without gaps.
  Problem compact() const;

 private:
  /// What a cut still needs of the variables here.
  std::int64_t need_left(CutRule const& rule) const;
  /// The inequality for member i, in `out`, which has room for most_block_sets masks.
  BlockTest localise(Cluster const& cluster, Index i, Word* out) const;
  void move_candidate(std::size_t from, std::size_t to);
  /// What a cluster asks of those of its members that are in `part`, if those in `before` are
  /// placed and the others come later; need 0 if it asks nothing.
  Cluster left_of(Cluster const& cluster, WideVarSet const& part, WideVarSet const& before) const;
};

/// The whole cache as a problem, without candidates that lose more than `most` (at least 0).
Problem whole_problem(ScoreCache const& cache, Universe const& universe, Fixed most);

/// Strongly connected components of "j occurs in a candidate of i", parents first.
std::vector<WideVarSet> components(Problem const& problem);

template <typename Drop>
std::size_t Problem::remove(Index i, Drop&& drop) {
  std::size_t kept = begin[i];
  for (std::size_t c = begin[i]; c < end[i]; ++c) {
    if (drop(c)) continue;
    if (c != kept) move_candidate(c, kept);
    ++kept;
  }
  std::size_t const dropped = end[i] - kept;
  end[i] = kept;
  if (dropped > 0) refresh(i);
  return dropped;
}

inline bool Problem::within(std::size_t c, Word const* local) const {
  Word const* const m = mask(c);
  if (universe->words == 1) return (m[0] & ~local[0]) == 0;
  for (std::size_t w = 0; w < universe->words; ++w)
    if ((m[w] & ~local[w]) != 0) return false;
  return true;
}

inline bool Problem::is_empty(std::size_t c) const {
  Word const* const m = mask(c);
  for (std::size_t w = 0; w < universe->words; ++w)
    if (m[w] != 0) return false;
  return true;
}

}  // namespace bayesloom::dual
