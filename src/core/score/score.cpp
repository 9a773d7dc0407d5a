#include "score/score.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/errors.hpp"

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

}  // namespace

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
  auto const& entry = find_score(spec);
  if (data.continuous_count() > 0)
    throw InputError("score '" + spec.name + "' counts states, and the table has " +
                     std::to_string(data.continuous_count()) +
                     " continuous variables. Cut them into ranges.");
  std::vector<double> values;
  for (auto const& option : entry.options) {
    auto const given = spec.options.find(option.name);
    values.push_back(given == spec.options.end() ? option.initial : given->second);
  }
  return entry.make({data.row_count(), data.variable_count()}, values);
}

}  // namespace bayesloom
