#include "cache/jkl.hpp"

#include <algorithm>
#include <vector>

#include "base/errors.hpp"
#include "cache/cache_builder.hpp"
#include "cache/quoted.hpp"

namespace bayesloom {

namespace {

/// First pass: the names of the blocks, skipping candidates. Gives up without a word where the file
/// is wrong; the second pass reads every line and says what is.
std::vector<std::string> collect_names(LineReader lines) {
  std::vector<std::string> names;
  if (!lines.next_line()) return names;
  auto const announced = to_count(lines.word());
  while (announced && names.size() < std::min<std::uint64_t>(*announced, max_variables) &&
         lines.next_line()) {
    auto const name = lines.word();
    auto const count = to_count(lines.word());
    if (!count) break;
    names.emplace_back(name);
    for (std::uint64_t i = 0; i < *count; ++i)
      if (!lines.next_line()) return names;
  }
  return names;
}

/// Second pass.
class JklParser {
 public:
  JklParser(std::string_view text, std::string const& file)
      : lines_(text, file), names_(collect_names(lines_)), table_(names_), lists_(names_.size()) {
    positions_allowed_ = std::ranges::none_of(
        names_, [](std::string const& name) { return to_count(name).has_value(); });
  }

  ScoreCache parse() {
    lines_.need_line("the number of variables");
    std::uint64_t const announced = lines_.need_count("the number of variables");
    if (announced == 0 || announced > max_variables)
      lines_.fail({}, std::string("expected 1 to ") + max_variables_text + " variables, found " +
                          std::to_string(announced) + ".");
    lines_.need_end_of_line();
    for (std::uint64_t v = 0; v < announced; ++v) block(v, announced);
    if (lines_.next_line())
      lines_.fail({}, "expected the end of the file after " + std::to_string(announced) +
                          " variables, found more lines.");
    if (!unresolved_.empty()) throw InputError(unresolved_);
    CacheBuilder builder(std::move(names_));
    for (std::size_t v = 0; v < lists_.size(); ++v)
      builder.list(static_cast<Variable>(v)) = std::move(lists_[v]);
    return std::move(builder).finish("{}", lines_.file() + ": ");
  }

 private:
  void block(std::uint64_t v, std::uint64_t announced) {
    lines_.need_line("variable " + std::to_string(v + 1) + " of " + std::to_string(announced));
    auto const name = lines_.need_name("the name of a variable");
    std::uint64_t const count = lines_.need_count("the number of candidates");
    lines_.need_end_of_line();
    if (count == 0)
      lines_.fail({}, "variable " + in_quotes(name) + " has no candidate; expected at least one.");
    // The first pass met this very line, so the block has its place.
    if (table_.find(name) != v)
      lines_.fail(name, "there is a second variable " + in_quotes(name) + ".");
    CandidateList& list = lists_[v];
    list.scores.reserve(std::min<std::uint64_t>(count, lines_.bytes_left() / 4));
    list.ends.reserve(list.scores.capacity());
    for (std::uint64_t i = 0; i < count; ++i) candidate(v, i, count, announced);
  }

  void candidate(std::uint64_t v, std::uint64_t i, std::uint64_t count, std::uint64_t announced) {
    if (!lines_.next_line())
      lines_.need_line("candidate " + std::to_string(i + 1) + " of the " + std::to_string(count) +
                       " of variable " + in_quotes(names_[v]));
    Fixed const score = lines_.need_score();
    std::uint64_t const size = lines_.need_count("a parent count");
    if (size >= announced)
      lines_.fail({}, std::to_string(size) + " parents are more than the other " +
                          std::to_string(announced - 1) + " variables.");
    parents_.clear();
    for (std::uint64_t k = 0; k < size; ++k) {
      auto const word = lines_.need_word("a parent");
      if (auto const parent = resolve(word)) {
        if (*parent == v)
          lines_.fail(word, "variable " + in_quotes(names_[v]) + " is its own parent.");
        parents_.push_back(*parent);
      }
    }
    lines_.need_end_of_line();
    sort_parents(parents_, lines_, names_);
    lists_[v].add(score, parents_);
  }

  /// A parent by name or, where allowed, by position. A word that is neither is remembered, not
  /// raised: in a file whose counts are wrong the first pass missed names, and then the count is
  /// the thing to tell.
  std::optional<Variable> resolve(std::string_view word) {
    std::optional<Variable> parent = table_.find(word);
    bool by_position = false;
    if (!parent && positions_allowed_)
      if (auto const position = to_count(word); position && *position < names_.size()) {
        parent = static_cast<Variable>(*position);
        by_position = true;
      }
    if (parent && !(by_position ? named_ : numbered_)) {
      (by_position ? numbered_ : named_) = true;
      return parent;
    }
    if (unresolved_.empty())
      unresolved_ = lines_.where(word) + "the parent " + in_quotes(word) +
                    (parent ? " mixes names and positions; expected one or the other throughout."
                            : " is not a variable of this file.");
    return std::nullopt;
  }

  LineReader lines_;
  std::vector<std::string> names_;
  NameTable table_;
  bool positions_allowed_;  // no name is itself a whole number
  bool named_ = false;      // a parent was given by name
  bool numbered_ = false;   // a parent was given by position
  std::string unresolved_;  // the message for the first parent that is no variable
  std::vector<Variable> parents_;
  std::vector<CandidateList> lists_;
};

/// The line of the i-th candidate of variable v in a file that parses.
std::size_t line_of(LineReader lines, Variable v, std::size_t i) {
  lines.next_line();
  for (std::size_t block = 0;; ++block) {
    lines.next_line();
    lines.word();
    std::uint64_t const count = *to_count(lines.word());
    for (std::uint64_t k = 0; k < count; ++k) {
      lines.next_line();
      if (block == v && k == i) return lines.line();
    }
  }
}

}  // namespace

ScoreCache read_jkl(std::string_view text, std::string const& file) {
  try {
    return JklParser(text, file).parse();
  } catch (DuplicateCandidate const& twice) {
    LineReader const lines(text, file);
    throw InputError(printable(file) + ", line " +
                     std::to_string(line_of(lines, twice.variable, twice.later)) +
                     ": the same parents as in line " +
                     std::to_string(line_of(lines, twice.variable, twice.earlier)) + ".");
  }
}

void write_jkl(ScoreCache const& cache, TextSink& out) {
  check_writable(cache.names(), ".jkl");
  out << std::uint64_t{cache.variable_count()} << '\n';
  for (std::size_t i = 0; i < cache.variable_count(); ++i) {
    auto const v = static_cast<Variable>(i);
    out << cache.name(v) << ' ' << std::uint64_t{cache.end(v) - cache.begin(v)} << '\n';
    for (std::size_t c = cache.begin(v); c < cache.end(v); ++c) {
      out.score(cache.score(c)) << ' ' << std::uint64_t{cache.parents(c).size()};
      for (Variable const p : cache.parents(c)) out << ' ' << cache.name(p);
      out << '\n';
    }
  }
  out.flush();
}

}  // namespace bayesloom
