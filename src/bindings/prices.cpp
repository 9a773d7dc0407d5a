// prices: what a bound says of each candidate.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "control.hpp"
#include "prices/fixing.hpp"

namespace bayesloom {

void bind_prices(nb::module_& m) {
  m.def(
      "reduced_costs",
      [](ScoreCache const& cache, Fixed known, std::optional<double> seconds,
         std::optional<std::uint64_t> work, Progress progress) {
        constexpr Fixed far = Fixed{1} << 60;  // nothing is left out
        PyControl control({seconds, work}, std::move(progress));
        auto found =
            control.run([&] { return prices::fix_candidates(cache, known, known - far, control); });
        Report out;
        out["gap"] = found.gap;
        out["excess"] = to_numpy(std::move(found.excess));
        out["work"] = control.work();
        out["interrupted"] = control.interrupted();
        return out;
      },
      nb::arg("cache"), nb::arg("known"), nb::arg("seconds").none() = nb::none(),
      nb::arg("work").none() = nb::none(), nb::arg("progress").none() = nb::none(),
      "The gap of a bound over the known score, and for each candidate by how much that bound is "
      "lower for networks that use it.");
}

}  // namespace bayesloom
