// The equivalence classes of a credible set.
//
// Per part (component) all its networks are listed and put together by class key; the first member
// of each class is kept as its representative. Threads list pieces of the walk, each with a table
// of its own, and the tables are merged; the first member is the same for every number of threads.
// The classes of the whole are the products (class_key.hpp), counted by loss without being listed:
// sorted losses of two parts are merged by two pointers.
//
// That needs equal scores within each class, as `bic`, `bdeu` and the like give them. Where a cache
// has unequal ones and several parts, the whole networks are listed and put together instead.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "credible/classes/class_key.hpp"
#include "credible/subset_dp/states.hpp"

namespace bayesloom::credible {

class Classes {
 public:
  struct Entry {
    Fixed loss;             ///< the least of its members
    std::uint64_t members;  ///< found
    std::uint64_t order;    ///< where in the walk the first one was
    std::size_t first;      ///< the representative's choices begin here
  };
  struct PartClasses {
    std::vector<Entry> entries;          ///< best first, then as found
    std::vector<std::uint32_t> choices;  ///< of all representatives, one per local variable
    std::size_t width = 0;               ///< local variables
    std::span<std::uint32_t const> representative(Entry const& entry) const {
      return std::span(choices).subspan(entry.first, width);
    }
  };

  /// Those found until time or memory ended; `whole` tells. There is always one, with a best
  /// network.
  static Classes make(ScoreCache const& cache, std::span<Part const> parts, Fixed slack,
                      States const* states, std::size_t threads, double memory_bytes,
                      Control& control);

  /// Whether all classes and all their members were found.
  bool whole() const { return whole_; }

  Fixed slack() const { return slack_; }
  /// How many classes the whole set has.
  Count count() const;
  /// The classes of each part; or a single entry for all parts together, see `joint`.
  std::span<PartClasses const> parts() const { return parts_; }
  /// Whether parts() holds whole networks: the choices of all parts, one after the other.
  bool joint() const { return joint_; }

 private:
  Fixed slack_ = 0;
  bool joint_ = false, whole_ = true;
  std::vector<PartClasses> parts_;
};

/// The classes of the whole, one after the other; those of the first part in the outer loop.
class ClassWalk {
 public:
  explicit ClassWalk(Classes const& classes);
  bool next();
  /// Per part the entry taken.
  std::span<std::size_t const> entries() const { return at_; }
  Fixed loss() const { return loss_; }
  Count members() const;

 private:
  Classes const& classes_;
  std::vector<std::size_t> at_;
  Fixed loss_ = 0;
  bool begun_ = false, ended_ = false;
};

}  // namespace bayesloom::credible
