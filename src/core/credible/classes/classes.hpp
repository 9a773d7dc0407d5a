// The equivalence classes of a credible set.
//
// Each backend lists the networks of a component and groups them by class key (class_key.hpp, class_table.hpp); the
// first member of each class represents it. The classes of the whole set are the products of those of the
// components, and are counted by loss without being listed.
//
// This requires equal scores within each class, as score-equivalent scores (`bic`, `bdeu`) give them. If scores
// within a class differ and there are several components, whole networks are listed and grouped instead: there is
// then one part with all variables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cache/score_cache.hpp"
#include "credible/component.hpp"
#include "credible/count.hpp"

namespace bayesloom::credible {

/// The classes of one component, or of all together.
struct PartClasses {
  struct Entry {
    Fixed loss;             ///< the least of its members
    std::uint64_t members;  ///< found
    std::uint64_t order;    ///< where in the listing the first one was
    std::size_t first;      ///< the representative's choices begin here
  };
  std::vector<Variable> variables;
  std::vector<Entry> entries;  ///< best first, then as found
  std::vector<std::uint32_t>
      choices;        ///< of all representatives, one per variable: its place among
                      ///< the variable's candidates in the cache
  bool even = true;   ///< whether members of one class have the same loss
  bool whole = true;  ///< whether all networks were listed
};

class Classes {
 public:
  /// Those with a loss of at most `limit`. `best_first` is for walks over them.
  Classes(std::vector<PartClasses> parts, Fixed limit, bool best_first);

  /// How many there are at least; just so many if `whole`.
  Count count() const { return count_; }
  /// Whether all classes and all their members were found and counted.
  bool whole() const { return whole_; }
  std::span<PartClasses const> parts() const { return parts_; }
  Fixed limit() const { return limit_; }
  bool best_first() const { return best_first_; }

 private:
  std::vector<PartClasses> parts_;
  Fixed limit_;
  bool best_first_, whole_ = true;
  Count count_ = 0;
};

/// The classes of the whole, one after the other; those of the first part in the outer loop, or the
/// best first where that is asked for and they are few enough to be sorted.
class ClassWalk {
 public:
  explicit ClassWalk(Classes const& classes);
  bool next();
  Fixed loss() const { return loss_; }
  Count members() const;
  /// The candidates of a member, by variable of the cache.
  void candidates(ScoreCache const& cache, std::span<std::uint64_t> out) const;

 private:
  bool next_product();
  void sort_all();

  Classes const& classes_;
  std::vector<std::size_t> at_;  // per part the entry taken
  Fixed loss_ = 0;
  bool begun_ = false, ended_ = false;
  std::vector<std::uint32_t> sorted_;  // entries of all classes, one row each, if they are sorted
  std::vector<std::size_t> rows_;      // of these, in order
  std::size_t row_ = 0;
};

}  // namespace bayesloom::credible
