// The two files that bind credible sets.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings.hpp"
#include "credible/credible.hpp"

namespace bayesloom {

/// Networks and classes of a set, one after the other (credible_listing.cpp).
void bind_credible_listing(nanobind::module_& m, nanobind::class_<credible::CredibleSet>& set);

}  // namespace bayesloom
