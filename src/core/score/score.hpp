// Local scores, and the table of those that exist.
//
//   s(i, P): how well parent set P explains variable i; larger is better, natural log.
//
// Most scores are differences of one function of sets (the component form):
//
//   s(i, P) = f(P + i) - f(P)
//
// with f(S) a sum over the cells of S. Such a score derives from SetScore and gives f alone. All
// children then share the counting, and since f is rounded to fixed point once per set, the total
// score of a network telescopes: networks of one equivalence class have exactly equal scores, to
// the last bit, whatever route led there. Sums over cells are integer sums, so the order in which a
// kernel finds the cells does not matter either.
//
// What a score reads of a set is its statistic: cells, moments, moments per cell, or families, where
// rows differ by family (cells.hpp); it
// comes with the counter that make_counter makes. A set whose covariance is singular has no score,
// `no_score`, and neither has a family that the score does not allow.
//
// A score is one file: its class and one BAYESLOOM_SCORE entry. From the table come the Python
// names, the options of the command line, the documentation and the conformance tests.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/fixed_point.hpp"
#include "data/cells.hpp"
#include "data/encoded_data.hpp"
#include "data/moments.hpp"
#include "data/set_counter.hpp"

namespace bayesloom {

class CellBounds;

/// May keep tables that grow as it is used: one object per thread.
class Score {
 public:
  virtual ~Score() = default;

  /// s(i, P) from the cells of P + i and of P, where i has `cardinality` states.
  virtual Fixed local_score(Cells const& family, Cells const& parents,
                            std::uint32_t cardinality) = 0;

  /// What the estimate s(i, A + B) = s(i, A) + s(i, B) - s(i, {}) misses for disjoint A and B with
  /// q_a and q_b joint states: the part that is known without counting [scanagatta2015: inter()].
  virtual double interaction(std::uint32_t /*r_i*/, double /*q_a*/, double /*q_b*/) const {
    return 0;
  }

  /// Whether a set that contains a family without a score may have one. Where rows differ by family,
  /// a cell of few rows may be gone with more parents.
  virtual bool may_grow(Cells const& /*family*/) const { return false; }

  // Pruning. A score may declare bounds that only hold for it; the defaults hold for every score
  // here, because a penalised or averaged likelihood never exceeds the maximised one. All in nats;
  // r_i states of the child, q joint states of P, `size` how many variables P has at least, `fit`
  // the log-likelihood of i given all other variables, which no parent set can exceed.

  /// No parent set that contains P (or is P) scores above this; nor does any other of as many variables
  /// with at least as many joint states.
  virtual double bound(std::uint32_t /*r_i*/, double /*q*/, std::size_t /*size*/,
                       double fit) const {
    return fit;
  }

  /// The same once P + i is counted, from how many of its cells hold a row.
  virtual double bound_counted(std::uint32_t /*r_i*/, std::size_t /*seen*/, double fit) const {
    return fit;
  }

  /// Adding j to P, or to any set that contains P, raises the score of i by at most this;
  /// told from s_i = s(i, P) and s_j = s(j, P), where P has exactly `size` variables.
  virtual double gain_bound(double /*s_i*/, std::uint32_t /*r_i*/, double /*s_j*/,
                            std::uint32_t /*r_j*/, double /*q*/, std::size_t /*size*/) const {
    return std::numeric_limits<double>::infinity();
  }

  /// Bounds by parent states for a child of r_i states, where the score has them: see
  /// cell_bounds.hpp. They make an enumeration child by child worth while.
  virtual std::unique_ptr<CellBounds> cell_bounds(std::uint32_t r_i) const;
};

/// A score in component form.
class SetScore : public Score {
 public:
  /// f(S), rounded once.
  virtual Fixed component(Cells const& cells) = 0;

  /// Whether the score of this family is the difference of components, to the last bit.
  virtual bool by_components(Cells const& /*family*/) const { return true; }

  Fixed local_score(Cells const& family, Cells const& parents, std::uint32_t) override {
    return component(family) - component(parents);
  }
};

/// What a score reads of a set.
enum class Statistic : std::uint8_t { cells, moments, cell_moments, families };

/// Which variables a score is of.
enum class Kinds : std::uint8_t { discrete, continuous, any };

/// Bounds on local scores in one table, for scores that know more of a variable than its states.
class FamilyBounds {
 public:
  virtual ~FamilyBounds() = default;
  /// No set of this many parents or more scores above this.
  virtual double of_size(Variable child, std::size_t size) const = 0;
  /// No set that properly contains P, of `size` parents, scores above this; f = f(P), s = s(i, P).
  virtual double of_supersets(Variable child, std::size_t size, Fixed f, Fixed s) const = 0;
  /// Adding j to P, or to any set that contains P, raises the score of i by at most this.
  virtual double of_gain(Variable i, Variable j, std::size_t size, Fixed f, Fixed s_i,
                         Fixed s_j) const = 0;

  /// A parent of a set Q that is looked at, and what is known of Q without it: f, and the scores with it as the
  /// parents of the child (i) and of j.
  struct Added {
    Variable j;
    Fixed f, s_i, s_j;
  };
  /// Whether `of_gain` of one of them is below a limit; those without s_j are left out.
  virtual bool gains_below(Variable i, std::size_t size, std::span<Added const> added,
                           double limit) const {
    for (auto const& a : added)
      if (is_score(a.s_j) && of_gain(i, a.j, size, a.f, a.s_i, a.s_j) < limit) return true;
    return false;
  }
};

struct ScoreOption {
  std::string name;
  double initial, low, high;
  std::string help;
};

/// What a score may know of a table before it is counted.
struct TableSize {
  std::uint32_t rows;
  std::size_t variables;
};

struct ScoreEntry {
  std::string title;
  std::string summary;    ///< one sentence for who has to choose
  std::string formula;    ///< one line, as in the docs
  std::string reference;  ///< key in docs/refs.bib
  bool set_function;      ///< in component form: make() returns a SetScore
  bool equivalent;        ///< equal for networks of one equivalence class
  std::vector<ScoreOption> options;
  Statistic statistic = Statistic::cells;
  Kinds kinds = Kinds::discrete;
  bool discrete_have_discrete_parents = false;  ///< whether other families are not allowed
  bool needs_rows = false;  ///< has no bound where a variable has as many parents as there are rows
  bool reads_missing = false;  ///< whether values may be missing
  /// The matrix whose moments it reads, for Statistic::moments.
  std::function<std::shared_ptr<MomentMatrix const>(EncodedData const&, std::span<double const>)>
      matrix = {};
  /// Bounds on all parent sets, larger ones than a limit allows included; nothing if there are none.
  std::function<std::unique_ptr<FamilyBounds>(EncodedData const&, std::span<double const>)> bounds =
      {};
  /// Makes the score for a table of this size; one value per option, in range.
  std::function<std::unique_ptr<Score>(TableSize size, std::span<double const> values)> make;
};

/// All scores by name, in alphabetical order.
std::map<std::string, ScoreEntry> const& score_table();

/// What the user asked for: a name and some of its options.
struct ScoreSpec {
  std::string name;
  std::map<std::string, double> options;
};

/// The entry of `spec`; throws InputError for an unknown name, option or value.
ScoreEntry const& find_score(ScoreSpec const& spec);
/// Throws InputError also if the score is not for such a table.
std::unique_ptr<Score> make_score(ScoreSpec const& spec, EncodedData const& data);
/// What reads the statistic of sets that the score needs; `classes` as in set_counter.hpp.
SetCounter make_counter(ScoreSpec const& spec, EncodedData const& data, BitPlanes const& planes,
                        RowClasses const* classes = nullptr);
std::unique_ptr<FamilyBounds> make_bounds(ScoreSpec const& spec, EncodedData const& data);
/// What no local score of a child can exceed, before anything is counted.
inline double most_possible(ScoreEntry const& entry, EncodedData const& data, Variable child) {
  bool const of_states = entry.statistic == Statistic::cells ||
                         (entry.statistic == Statistic::families && !data.continuous(child));
  return of_states ? 0.0 : std::numeric_limits<double>::infinity();
}
/// Whether j may be a parent of i at all.
inline bool may_be_parent(ScoreEntry const& entry, EncodedData const& data, Variable i,
                          Variable j) {
  return !entry.discrete_have_discrete_parents || data.continuous(i) || !data.continuous(j);
}

/// Adds one entry while the module is loaded.
struct ScoreRegistration {
  ScoreRegistration(std::string name, ScoreEntry entry);
};

#define BAYESLOOM_SCORE(name, ...) BAYESLOOM_SCORE_NAMED(name, #name, __VA_ARGS__)
/// For names that are no C++ names.
#define BAYESLOOM_SCORE_NAMED(id, name, ...) \
  static ::bayesloom::ScoreRegistration const registered_##id(name, __VA_ARGS__)

}  // namespace bayesloom
