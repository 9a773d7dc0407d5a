// Second moments of sets of variables, for scores of continuous variables.
//
// A variable stands for some columns of numbers: a continuous one for its own, a constant one for
// none, a discrete one, where a score takes it in, for indicators of its seen states but the most
// frequent. With C the correlation matrix of the columns of S and d their variances,
//
//   ln det Sigma_S = sum ln d + ln det C_S
//
// ln det C_S is the sum of the logarithms of the pivots of Gaussian elimination. Rounding depends on
// the order of elimination, so there is one order, columns descending, whatever order the variables
// came in: the same set has the same value to the last bit, on every way to it.
//
// Where variables are pushed in descending order, as in an enumeration, each level keeps the Schur
// complement of the columns below it,
//
//   A' = A - a a' / A_xx        a: row x of A
//
// made only when something is pushed on top; a leaf needs one entry of its diagonal: a few
// multiplications and one logarithm. For sets in any other order the few columns are gathered and
// eliminated, k^3 / 6 multiplications for k of them.
//
// A pivot is the part of a column's variance that columns eliminated before it leave. It only falls
// as columns above it are added, so a set that contains a singular one is singular.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/variable.hpp"
#include "data/cells.hpp"
#include "data/encoded_data.hpp"

namespace bayesloom {

/// Correlations and variances of all columns of a table, rows weighted; variances divide by N.
struct Correlations {
  std::vector<std::uint32_t> first;  ///< columns of variable v: first[v] .. first[v + 1] - 1
  std::vector<double> variance;
  std::vector<double> matrix;  ///< square, by rows; 1 on the diagonal

  std::size_t columns() const { return variance.size(); }
};

/// Made once for each table and kept with it. `indicators`: discrete variables have columns too.
std::shared_ptr<Correlations const> correlations(EncodedData const& data, bool indicators);

/// The matrix that is eliminated: scaled to a diagonal of 1, off it the correlations times two
/// factors. Small; the correlations are shared.
struct MomentMatrix {
  std::shared_ptr<Correlations const> base;
  std::vector<double> log_diagonal;  ///< ln of the diagonal before scaling
  std::vector<double> factor;        ///< empty: all 1
  std::vector<double> floor;         ///< no pivot is below this, rounding apart; empty: 0
  double singular_below = 0;         ///< a pivot less than this makes a set singular

  std::size_t columns() const { return log_diagonal.size(); }
  std::uint32_t begin(Variable v) const { return base->first[v]; }
  std::uint32_t end(Variable v) const { return base->first[v + 1U]; }
  /// Below the diagonal or on it: i >= j.
  double element(std::size_t i, std::size_t j) const {
    double const value = base->matrix[i * columns() + j];
    return i == j || factor.empty() ? value : value * factor[i] * factor[j];
  }
  double pivot(double found, std::size_t column) const {
    return !floor.empty() && found < floor[column] ? floor[column] : found;
  }
};

/// For each variable ln of the generalised variance that all others leave it, of the scaled matrix,
/// with the least pivot met: how far to trust them.
struct Residuals {
  std::vector<double> log_det;
  double least_pivot = 1;
};
Residuals residuals(MomentMatrix const& matrix);

/// A set as a stack whose moments can be read.
class MomentReader {
 public:
  virtual ~MomentReader() = default;
  virtual void push(Variable v) = 0;
  virtual void pop() = 0;
  virtual void read(Cells& out) = 0;
  virtual void read_with(Variable v, Cells& out) = 0;
  /// Whether what is read of parents depends on the child: then families are read as such.
  virtual bool by_family() const { return false; }
  /// Of the set on the stack as the parents of `child`, and of both.
  virtual void read_family(Variable child, Cells& parents, Cells& family) {
    read(parents);
    read_with(child, family);
  }
};

class MomentCounter final : public MomentReader {
 public:
  explicit MomentCounter(std::shared_ptr<MomentMatrix const> matrix);
  void push(Variable v) override;
  void pop() override;
  void read(Cells& out) override;
  void read_with(Variable v, Cells& out) override;

 private:
  /// The logarithm of a product of pivots, taken rarely.
  struct Product {
    double logs = 0, rest = 1;
    double scale = 0;  // sum of ln diagonals
    std::size_t columns = 0;
    bool singular = false;

    void multiply(MomentMatrix const& matrix, double found, std::size_t column);
    void tell(Moments& out) const;
  };
  struct Level {
    Variable variable = 0;
    bool made = false;
    std::size_t size = 0;        // columns that are left: those below the last one pushed
    std::vector<double> matrix;  // of these, lower triangle by rows; of level 0 none
    Product product;
  };

  bool descending(Variable v) const;
  void make(std::size_t level);
  double entry(Level const& level, std::size_t i, std::size_t j) const;
  void gather(std::span<Variable const> descending_set, Moments& out);

  std::shared_ptr<MomentMatrix const> matrix_;
  bool const single_;  // no variable has more than one column
  std::vector<Level> levels_;
  std::vector<Variable> stack_;
  std::size_t ordered_ = 0;  // how many from the bottom are descending, with levels
  std::vector<Variable> sorted_;
  std::vector<std::uint32_t> chosen_;
  std::vector<double> small_, row_;
};

}  // namespace bayesloom
