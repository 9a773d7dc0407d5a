// cache: the score cache, its files and its look-ups. Arrays reach NumPy as read-only views.
//
// Paths come as bytes (os.fsencode), so that a name that is not UTF-8 opens as well.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "base/checksum.hpp"
#include "bindings.hpp"
#include "cache/binary_file.hpp"
#include "cache/cache_builder.hpp"
#include "cache/file_io.hpp"
#include "cache/jkl.hpp"
#include "cache/orders_as_edges.hpp"
#include "cache/pruning.hpp"
#include "cache/pss.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bayesloom {

namespace {

template <typename T>
using Array = nb::ndarray<T const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using View = nb::ndarray<nb::numpy, T const, nb::ndim<1>>;
template <typename T>
using PlainView = nb::ndarray<nb::memview, T const, nb::ndim<1>>;
using Meta = std::vector<std::pair<std::string, std::string>>;
using PssMetaTuple = std::tuple<std::optional<Variable>, std::string, std::string>;

template <template <typename> typename As = View, typename T>
As<T> view(std::span<T const> values, nb::handle owner = {}) {
  static T const none{};  // an empty span may have no address, which NumPy would not take
  return As<T>(values.empty() ? &none : values.data(), {values.size()}, owner);
}

std::string_view text_of(nb::bytes const& bytes) { return {bytes.c_str(), bytes.size()}; }
std::string string_of(nb::bytes const& bytes) { return std::string(text_of(bytes)); }

Variable checked(ScoreCache const& cache, std::size_t v) {
  if (v >= cache.variable_count())
    throw InputError("variable " + std::to_string(v) + " is not among the " +
                     std::to_string(cache.variable_count()) + " of this score cache.");
  return static_cast<Variable>(v);
}

ScoreCache make_cache(std::vector<std::string> names, std::vector<std::uint32_t> cardinalities,
                      Array<std::uint64_t> first, Array<double> scores,
                      Array<std::uint64_t> parent_first, Array<Variable> parents,
                      std::string info) {
  return cache_from_arrays(std::move(names), std::move(cardinalities),
                           {{first.data(), first.size()},
                            {scores.data(), scores.size()},
                            {parent_first.data(), parent_first.size()},
                            {parents.data(), parents.size()}},
                           std::move(info));
}

FileContent::Mode mode_of(bool mapped) {
  return mapped ? FileContent::Mode::map : FileContent::Mode::copy;
}

template <typename Writer>
void write_text(nb::bytes const& bytes, Writer const& writer) {
  std::string const path = string_of(bytes);
  nb::gil_scoped_release const release;
  AtomicFile file(path);
  TextSink sink([&](std::string_view piece) { file.write(piece); });
  writer(sink);
  file.commit();
}

template <typename Writer>
nb::bytes format_text(Writer const& writer) {
  std::string text;
  {
    nb::gil_scoped_release const release;
    TextSink sink([&](std::string_view piece) { text += piece; });
    writer(sink);
  }
  return nb::bytes(text.data(), text.size());
}

std::pair<ScoreCache, std::vector<PssMetaTuple>> with_meta(PssFile file) {
  std::vector<PssMetaTuple> meta;
  for (PssMeta& entry : file.meta)
    meta.emplace_back(entry.variable, std::move(entry.key), std::move(entry.value));
  return {std::move(file.cache), std::move(meta)};
}

void bind_files(nb::module_& m) {
  m.def(
      "read_blc",
      [](nb::bytes bytes, bool mapped) {
        std::string const path = string_of(bytes);
        nb::gil_scoped_release const release;
        FileContent const file(path, mode_of(mapped));
        return read_binary(file.content, file.storage, path);
      },
      "path"_a, "mapped"_a = false,
      "A .blc file, copied into memory or mapped: a mapped file must not change while it is used.");
  m.def(
      "parse_blc",
      [](nb::bytes content, std::string const& file) {
        auto const text = text_of(content);
        nb::gil_scoped_release const release;
        return read_binary_copy(text, file);
      },
      "content"_a, "file"_a, "The content of a .blc file; `file` is for messages.");
  m.def(
      "write_blc",
      [](ScoreCache const& cache, nb::bytes bytes) {
        std::string const path = string_of(bytes);
        nb::gil_scoped_release const release;
        AtomicFile file(path);
        write_binary(cache, [&](void const* data, std::size_t size) { file.write(data, size); });
        file.commit();
      },
      "cache"_a, "path"_a);
  m.def(
      "format_blc",
      [](ScoreCache const& cache) {
        std::string bytes;
        write_binary(cache, [&](void const* data, std::size_t size) {
          bytes.append(static_cast<char const*>(data), size);
        });
        return nb::bytes(bytes.data(), bytes.size());
      },
      "cache"_a);

  m.def(
      "read_jkl",
      [](nb::bytes bytes, bool mapped) {
        std::string const path = string_of(bytes);
        nb::gil_scoped_release const release;
        return read_jkl(FileContent(path, mode_of(mapped)).content, path);
      },
      "path"_a, "mapped"_a = false);
  m.def(
      "parse_jkl",
      [](nb::bytes content, std::string const& file) {
        auto const text = text_of(content);
        nb::gil_scoped_release const release;
        return read_jkl(text, file);
      },
      "content"_a, "file"_a, "The content of a .jkl file; `file` is for messages.");
  m.def(
      "write_jkl",
      [](ScoreCache const& cache, nb::bytes path) {
        write_text(path, [&](TextSink& sink) { write_jkl(cache, sink); });
      },
      "cache"_a, "path"_a);
  m.def(
      "format_jkl",
      [](ScoreCache const& cache) {
        return format_text([&](TextSink& sink) { write_jkl(cache, sink); });
      },
      "cache"_a);

  m.def(
      "read_pss",
      [](nb::bytes bytes, bool mapped) {
        std::string const path = string_of(bytes);
        nb::gil_scoped_release const release;
        return with_meta(read_pss(FileContent(path, mode_of(mapped)).content, path));
      },
      "path"_a, "mapped"_a = false,
      "The cache and its META lines: (variable or None, key, value).");
  m.def(
      "parse_pss",
      [](nb::bytes content, std::string const& file) {
        auto const text = text_of(content);
        nb::gil_scoped_release const release;
        return with_meta(read_pss(text, file));
      },
      "content"_a, "file"_a, "The content of a .pss file; `file` is for messages.");
  m.def(
      "write_pss",
      [](ScoreCache const& cache, Meta const& meta, nb::bytes path) {
        write_text(path, [&](TextSink& sink) { write_pss(cache, meta, sink); });
      },
      "cache"_a, "meta"_a, "path"_a);
  m.def(
      "format_pss",
      [](ScoreCache const& cache, Meta const& meta) {
        return format_text([&](TextSink& sink) { write_pss(cache, meta, sink); });
      },
      "cache"_a, "meta"_a);

  m.def(
      "write_file",
      [](nb::bytes bytes, nb::bytes content) {
        std::string const path = string_of(bytes);
        auto const text = text_of(content);
        nb::gil_scoped_release const release;
        AtomicFile file(path);
        file.write(text);
        file.commit();
      },
      "path"_a, "content"_a, "Writes a whole file under a temporary name and renames it.");
  m.def(
      "xxh64",
      [](nb::bytes content, std::uint64_t seed) {
        Xxh64 sum(seed);
        sum.update(content.c_str(), content.size());
        return sum.digest();
      },
      "content"_a, "seed"_a = 0, "The XXH64 checksum, as in the trailer of .blc files.");
}

}  // namespace

void bind_cache(nb::module_& m) {
  nb::class_<ScoreCache>(m, "ScoreCache", "Candidates with local scores; see bayesloom.cache.")
      .def(nb::new_(&make_cache), "names"_a, "cardinalities"_a, "first"_a, "scores"_a,
           "parent_first"_a, "parents"_a, "info"_a,
           "From flat arrays in any order of candidates; `scores` in nats.")
      .def_prop_ro("variable_count", &ScoreCache::variable_count)
      .def_prop_ro("candidate_count", &ScoreCache::candidate_count)
      .def_prop_ro("max_parents_seen", &ScoreCache::max_parents_seen)
      .def_prop_ro("names",
                   [](ScoreCache const& c) {
                     return std::vector<std::string>(c.names().begin(), c.names().end());
                   })
      .def_prop_ro("cardinalities",
                   [](ScoreCache const& c) {
                     return std::vector<std::uint32_t>(c.cardinalities().begin(),
                                                       c.cardinalities().end());
                   })
      .def_prop_ro("info", &ScoreCache::info)
      .def_prop_ro(
          "first", [](ScoreCache const& c) { return view(c.arrays().first); },
          nb::rv_policy::reference_internal)
      .def_prop_ro(
          "scores", [](ScoreCache const& c) { return view(c.arrays().scores); },
          nb::rv_policy::reference_internal)
      .def_prop_ro(
          "parent_first", [](ScoreCache const& c) { return view(c.arrays().parent_first); },
          nb::rv_policy::reference_internal)
      .def_prop_ro(
          "parents", [](ScoreCache const& c) { return view(c.arrays().parents); },
          nb::rv_policy::reference_internal)
      .def_prop_ro(
          "plain_views",
          [](nb::handle self) {
            auto const& arrays = nb::cast<ScoreCache const&>(self).arrays();
            return std::tuple(
                view<PlainView>(arrays.first, self), view<PlainView>(arrays.scores, self),
                view<PlainView>(arrays.parent_first, self), view<PlainView>(arrays.parents, self));
          },
          "first, scores, parent_first and parents for who does not need NumPy: importing it takes "
          "longer than a\nsmall search.")
      .def(
          "find",
          [](ScoreCache const& c, std::size_t v, std::vector<Variable> parents) {
            std::ranges::sort(parents);
            return c.find(checked(c, v), parents);
          },
          "variable"_a, "parents"_a, "The number of the candidate with these parents, or None.")
      .def(
          "best_within",
          [](ScoreCache const& c, std::size_t v, std::vector<Variable> const& allowed) {
            auto const flags = std::make_unique<bool[]>(c.variable_count());
            for (Variable const p : allowed) flags[checked(c, p)] = true;
            return c.best_within(checked(c, v), {flags.get(), c.variable_count()});
          },
          "variable"_a, "allowed"_a, "The number of the best candidate within `allowed`, or None.")
      .def(
          "select",
          [](ScoreCache const& c, Array<bool> keep) {
            return select(c, {keep.data(), keep.size()});
          },
          "keep"_a)
      .def(
          "without_dominated",
          [](ScoreCache const& c, Fixed margin, bool drop_ties) {
            return without_dominated(c, margin, drop_ties ? Ties::drop : Ties::keep);
          },
          "margin"_a, "drop_ties"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("with_info", &ScoreCache::with_info, "info"_a)
      .def_prop_ro("digest", &ScoreCache::digest,
                   "A number that changes with names, cardinalities, candidates and scores.")
      .def(
          "with_orders",
          [](ScoreCache const& cache, std::vector<Order> const& orders) {
            return with_orders(cache, orders);
          },
          "orders"_a, nb::call_guard<nb::gil_scoped_release>(),
          "The cache with an edge a -> b that costs nothing for each order (a, b): a is added to "
          "every candidate of b. Candidates keep their numbers. Not for files.")
      .def(
          "__eq__", [](ScoreCache const& a, ScoreCache const& b) { return a == b; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"));
  bind_files(m);
}

}  // namespace bayesloom
