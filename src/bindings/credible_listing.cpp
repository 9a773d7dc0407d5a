// credible: the networks and the equivalence classes of a credible set, many at a time.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "arrays.hpp"
#include "control.hpp"
#include "counts.hpp"
#include "credible.hpp"
#include "credible/classes/class_size.hpp"
#include "credible/classes/classes.hpp"
#include "credible/output/network_stream.hpp"
#include "graph/network.hpp"

namespace bayesloom {

namespace {

using credible::Classes;
using credible::ClassWalk;
using credible::CredibleSet;
using credible::NetworkRows;
using credible::NetworkStream;

using Batch = nb::typed<nb::tuple, OutArray<std::uint64_t>, OutArray<Fixed>>;
using ClassBatch =
    nb::typed<nb::tuple, OutArray<std::uint64_t>, OutArray<Fixed>, nb::typed<nb::list, nb::int_>>;

/// Classes with the set they belong to.
struct ClassList {
  CredibleSet const& set;
  Classes classes;
};
struct ClassStream {
  explicit ClassStream(ClassList const& list) : set(list.set), walk(list.classes) {}
  CredibleSet const& set;
  ClassWalk walk;
};

Batch to_batch(NetworkRows&& rows) {
  return Batch(
      nb::make_tuple(to_numpy(std::move(rows.candidates)), to_numpy(std::move(rows.scores))));
}

ClassBatch take_classes(ClassStream& stream, std::size_t most) {
  auto rows = credible::take_classes(stream.set, stream.walk, most);
  nb::list members;
  for (auto const count : rows.members) members.append(to_int(count));
  return ClassBatch(nb::make_tuple(to_numpy(std::move(rows.networks.candidates)),
                                   to_numpy(std::move(rows.networks.scores)), members));
}

void bind_streams(nb::module_& m) {
  nb::class_<NetworkStream>(m, "CredibleStream", "The networks of a credible set, many at a time.")
      .def(
          "take",
          [](NetworkStream& stream, std::size_t most) {
            NetworkRows rows;
            {
              nb::gil_scoped_release const release;
              rows = stream.take(most);
            }
            return to_batch(std::move(rows));
          },
          nb::arg("most"),
          "Candidates, one per variable and network, and fixed-point scores of the next networks.")
      .def(
          "take_json",
          [](NetworkStream& stream, std::size_t most) {
            std::pair<std::span<credible::TextBuffer const>, std::size_t> lines;
            {
              nb::gil_scoped_release const release;
              lines = stream.take_json(most);
            }
            nb::list texts;
            for (auto const& text : lines.first)
              if (text.size() > 0)
                texts.append(nb::steal(PyMemoryView_FromMemory(const_cast<char*>(text.data()),
                                                               static_cast<Py_ssize_t>(text.size()),
                                                               PyBUF_READ)));
            return std::pair(std::move(texts), lines.second);
          },
          nb::arg("most"),
          nb::sig("def take_json(self, most: int) -> tuple[list[memoryview], int]"),
          "The next networks as lines of JSON, one text after the other, and how many they are. "
          "The texts are "
          "those of the stream: valid until the next call.");

  nb::class_<ClassStream>(m, "CredibleClassStream",
                          "The classes of a credible set, many at a time.")
      .def("take", &take_classes, nb::arg("most"),
           "Candidates of one network per class, fixed-point scores and numbers of members.");

  nb::class_<ClassList>(m, "CredibleClasses", "The equivalence classes of a credible set.")
      .def_prop_ro("count", [](ClassList const& list) { return to_int(list.classes.count()); })
      .def_prop_ro(
          "whole", [](ClassList const& list) { return list.classes.whole(); },
          "Whether all classes and all their members were found.")
      .def(
          "stream", [](ClassList const& list) { return std::make_unique<ClassStream>(list); },
          nb::keep_alive<0, 1>(), "A fresh stream of the classes.");
}

}  // namespace

void bind_credible_listing(nb::module_& m, nb::class_<CredibleSet>& set) {
  bind_streams(m);
  set.def(
         "stream",
         [](CredibleSet const& of, std::optional<Fixed> within) {
           return std::make_unique<NetworkStream>(
               of, std::min(of.max_loss(), within.value_or(of.max_loss())));
         },
         nb::arg("within").none() = nb::none(), nb::keep_alive<0, 1>(),
         "A fresh stream of the networks, or of those at most `within` below the best; of those "
         "found, if they are not counted to the end.")
      .def(
          "classes",
          [](CredibleSet const& of, std::optional<Fixed> within, std::optional<double> seconds,
             std::optional<std::uint64_t> work, Progress progress, std::uint64_t most) {
            PyControl control({seconds, work}, std::move(progress));
            Fixed const loss = std::min(of.max_loss(), within.value_or(of.max_loss()));
            auto classes = control.run([&] { return of.classes(loss, most, control); });
            return std::make_unique<ClassList>(ClassList{of, std::move(classes)});
          },
          nb::arg("within").none() = nb::none(), nb::arg("seconds").none() = nb::none(),
          nb::arg("work").none() = nb::none(), nb::arg("progress").none() = nb::none(),
          nb::arg("most") = credible::most_for_classes, nb::keep_alive<0, 1>(),
          "The equivalence classes of the networks, or of those at most `within` below the best; "
          "as many as were found until it was stopped. Of a component with more than `most` "
          "networks diagrams list some only.")
      .def(
          "draw",
          [](CredibleSet const& from, std::size_t networks, std::uint64_t seed, bool even) {
            NetworkRows rows;
            {
              nb::gil_scoped_release const release;
              rows = draw_networks(from, networks, even, seed);
            }
            return to_batch(std::move(rows));
          },
          nb::arg("networks"), nb::arg("seed"), nb::arg("even") = false,
          "Networks drawn with probability proportional to their weight, or each as likely as the "
          "other: candidates and scores.");
  m.def(
      "parent_lists",
      [](ScoreCache const& cache, InArray<std::uint64_t> candidates) {
        std::vector<credible::ParentLists> lists;
        {
          auto const given = view(candidates);
          nb::gil_scoped_release const release;
          lists = credible::parent_lists(cache, given);
        }
        std::vector<std::pair<OutArray<std::int32_t>, OutArray<std::int32_t>>> out;
        for (auto& [first, parents] : lists)
          out.emplace_back(to_numpy(std::move(first)), to_numpy(std::move(parents)));
        return out;
      },
      nb::arg("cache"), nb::arg("candidates"),
      "For each variable, of candidates by network and then by variable: where the parents of each "
      "network begin, and the parents, one list after the other.");
  m.def(
      "class_size",
      [](Network const& network) {
        credible::Count size = 0;
        {
          nb::gil_scoped_release const release;
          size = credible::class_size(network);
        }
        return to_int(size);
      },
      nb::arg("network"), "The number of networks equivalent to this one.");
}

}  // namespace bayesloom
