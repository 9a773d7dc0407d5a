// The inequalities of a problem as rows over its candidates, and the bound of whole-number prices on
// them.
//
// Of each member the commonest weight is taken off both sides, since every variable takes one
// candidate: bounds stay the same, and rows are short.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "dual/cut.hpp"
#include "dual/problem.hpp"

namespace bayesloom::relaxation {

using namespace dual;

/// A cluster inequality or a cut.
struct RuleOfRow {
  std::shared_ptr<Cluster const> cluster;
  std::shared_ptr<CutRule const> cut;
};
inline constexpr int most_finer = 10;  ///< bits of a price beyond units
using PriceList = std::vector<std::pair<RuleOfRow, Fixed>>;

struct CutRow {
  RuleOfRow rule;
  std::vector<std::int32_t> columns;  ///< candidates, by their place in the problem
  std::vector<std::int16_t> values;
  std::int64_t least = 0;
  unsigned idle = 0;  ///< solutions in a row in which it was idle
};

/// A problem without gaps, whose candidates never change, and rows over it.
class CutRows {
 public:
  /// Prices are in units of 2^-(30 + finer), as far as 64 bits allow, so that what rounding them costs is
  /// less than one unit, which no score can make use of.
  explicit CutRows(Problem problem, int finest = most_finer);

  Problem const& problem() const { return problem_; }
  std::vector<CutRow> const& rows() const { return rows_; }
  std::vector<CutRow>& rows() { return rows_; }
  std::size_t columns() const { return problem_.value.size(); }
  Index owner(std::size_t c) const { return owner_[c]; }

  void add(Cluster const& cluster);
  void add(std::shared_ptr<CutRule const> const& cut);
  /// Takes out the rows of these numbers, ascending.
  void remove(std::vector<std::int32_t> const& numbers);

  /// Prices the candidates: their values, and the bound over those that are open. `duals` in nats, one
  /// for each row, rounded down; below 0 counts as 0.
  Fixed price(std::vector<double> const& duals, std::vector<std::uint8_t> const& open);
  std::vector<Fixed> const& values() const { return values_; }  ///< by candidate, as priced last
  std::vector<Fixed> const& tops() const { return tops_; }      ///< by variable, the largest open
  PriceList prices() const;                                     ///< as priced last

  /// Prices that stand so many units below the duals, to be refined. By candidate, how many units it is below
  /// the best open one of its variable then: the costs of a program whose duals are what is missing.
  std::vector<double> begin_refining(std::vector<double> const& duals,
                                     std::vector<std::uint8_t> const& open, Fixed less);
  /// The bound over the open candidates of those prices and `more`, in units, together: by prices that many bits finer
  /// than before. With 0 bits `prices` has them.
  Fixed refine(std::vector<double> const& more, std::vector<std::uint8_t> const& open, int finer);
  /// The problem with the values priced last, for decoding.
  Problem const& priced();

 private:
  __extension__ using Wide = __int128;
  /// Values in parts of a unit, and the bound without the best of each variable.
  Wide lay_prices(std::vector<double> const& duals, Fixed less);
  Fixed top_of(Index i, std::vector<std::uint8_t> const& open) const;

  Problem problem_;
  std::vector<Index> owner_;
  std::vector<CutRow> rows_;
  std::vector<Fixed> values_, tops_, whole_;
  int finer_ = 0;
  Wide coarse_ = 0;           // of a refinement: the bound that it begins with
  std::vector<Fixed> below_;  // and by candidate how far below the best it is
};

}  // namespace bayesloom::relaxation
