#include "score/score.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/errors.hpp"
#include "data/cell_moments.hpp"
#include "data/family_counter.hpp"
#include "score/cell_bounds.hpp"
#include "score/gaussian.hpp"
#include "score/parts.hpp"

namespace bayesloom {

namespace {

std::map<std::string, ScoreEntry>& table() {
  static std::map<std::string, ScoreEntry> entries;
  return entries;
}

template <typename Items, typename Name>
std::string joined(Items const& items, Name const& name) {
  std::string text;
  for (auto const& item : items) text += (text.empty() ? "" : ", ") + name(item);
  return text.empty() ? "none" : text;
}

std::vector<double> option_values(ScoreSpec const& spec, ScoreEntry const& entry) {
  std::vector<double> values;
  for (auto const& option : entry.options) {
    auto const given = spec.options.find(option.name);
    values.push_back(given == spec.options.end() ? option.initial : given->second);
  }
  return values;
}

}  // namespace

std::unique_ptr<CellBounds> Score::cell_bounds(std::uint32_t /*r_i*/) const { return nullptr; }

std::map<std::string, ScoreEntry> const& score_table() { return table(); }

ScoreRegistration::ScoreRegistration(std::string name, ScoreEntry entry) {
  table().emplace(std::move(name), std::move(entry));
}

ScoreEntry const& find_score(ScoreSpec const& spec) {
  auto const found = table().find(spec.name);
  if (found == table().end())
    throw InputError("unknown score '" + spec.name + "'. Known: " +
                     joined(table(), [](auto const& entry) { return entry.first; }) + ".");
  auto const& entry = found->second;
  for (auto const& [name, value] : spec.options) {
    auto const option = std::find_if(entry.options.begin(), entry.options.end(),
                                     [&](ScoreOption const& o) { return o.name == name; });
    if (option == entry.options.end())
      throw InputError("score '" + spec.name + "' has no option '" + name + "'. Known: " +
                       joined(entry.options, [](auto const& o) { return o.name; }) + ".");
    if (!(value >= option->low && value <= option->high)) {
      std::ostringstream text;
      text << "option '" << name << "' of score '" << spec.name << "' must lie between "
           << option->low << " and " << option->high << ", got " << value << ".";
      throw InputError(text.str());
    }
  }
  return entry;
}

std::unique_ptr<Score> make_score(ScoreSpec const& spec, EncodedData const& data) {
  if (data.part_count() > 0) return score_of_parts(spec, data);
  return make_plain_score(spec, data);
}

std::unique_ptr<Score> make_plain_score(ScoreSpec const& spec, EncodedData const& data) {
  auto const& entry = find_score(spec);
  std::size_t const continuous = data.continuous_count();
  if (data.incomplete() && !entry.reads_missing)
    throw InputError("score '" + spec.name +
                     "' needs a value of every variable in every row, and some are missing.");
  if (entry.kinds == Kinds::discrete && continuous > 0)
    throw InputError("score '" + spec.name + "' is of states, and " + std::to_string(continuous) +
                     " of the variables are continuous. Cut these into ranges.");
  if (entry.kinds == Kinds::continuous && continuous < data.variable_count())
    throw InputError("score '" + spec.name + "' is of numbers, and " +
                     std::to_string(data.variable_count() - continuous) +
                     " of the variables have states.");
  if (entry.statistic == Statistic::cell_moments && continuous > 0 &&
      data.row_count() < std::max(3.0, option_values(spec, entry).front()))
    throw InputError("score '" + spec.name + "' needs more than the " +
                     std::to_string(data.row_count()) + " rows of the table.");
  return entry.make({data.row_count(), data.variable_count()}, option_values(spec, entry));
}

SetCounter make_counter(ScoreSpec const& spec, EncodedData const& data, BitPlanes const& planes,
                        RowClasses const* classes) {
  if (data.part_count() > 0) return {data, planes, counter_of_parts(spec, data)};
  return make_plain_counter(spec, data, planes, classes);
}

SetCounter make_plain_counter(ScoreSpec const& spec, EncodedData const& data,
                              BitPlanes const& planes, RowClasses const* classes) {
  auto const& entry = find_score(spec);
  if (entry.statistic == Statistic::cells) return {data, planes, classes};
  if (entry.statistic == Statistic::families)
    return {data, planes,
            std::make_unique<FamilyCounter>(
                data, scaled_columns(data),
                static_cast<std::uint32_t>(option_values(spec, entry).front()))};
  if (entry.statistic == Statistic::cell_moments)
    return {data, planes,
            std::make_unique<CellMomentCounter>(
                data, scaled_columns(data),
                static_cast<std::uint32_t>(option_values(spec, entry).front()))};
  return {data, planes,
          std::make_unique<MomentCounter>(entry.matrix(data, option_values(spec, entry)))};
}

std::shared_ptr<MomentMatrix const> moment_matrix(ScoreSpec const& spec, EncodedData const& data) {
  auto const& entry = find_score(spec);
  return entry.matrix ? entry.matrix(data, option_values(spec, entry)) : nullptr;
}

std::unique_ptr<FamilyBounds> make_bounds(ScoreSpec const& spec, EncodedData const& data) {
  if (find_score(spec).bounds && data.part_count() > 0) return bounds_of_parts(spec, data);
  return make_plain_bounds(spec, data);
}

std::unique_ptr<FamilyBounds> make_plain_bounds(ScoreSpec const& spec, EncodedData const& data) {
  auto const& entry = find_score(spec);
  return entry.bounds ? entry.bounds(data, option_values(spec, entry)) : nullptr;
}

}  // namespace bayesloom
