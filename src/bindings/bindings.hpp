// One function per file of the same name: one per core folder, two for parent_sets.
#pragma once

#include <nanobind/nanobind.h>

namespace bayesloom {

void bind_base(nanobind::module_& m);
void bind_data(nanobind::module_& m);
void bind_score(nanobind::module_& m);
void bind_parent_sets(nanobind::module_& m);
void bind_neighbour_sets(nanobind::module_& m);
void bind_atomic_file(nanobind::module_& m);
void bind_cache(nanobind::module_& m);
void bind_check(nanobind::module_& m);
void bind_order_graph(nanobind::module_& m);
void bind_order_search(nanobind::module_& m);
void bind_graph(nanobind::module_& m);
void bind_layout(nanobind::module_& m);
void bind_dual(nanobind::module_& m);
void bind_subsets(nanobind::module_& m);
void bind_relaxation(nanobind::module_& m);
void bind_credible(nanobind::module_& m);
void bind_inference(nanobind::module_& m);
void bind_posterior(nanobind::module_& m);

}  // namespace bayesloom
