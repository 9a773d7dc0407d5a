#include "cache/pss.hpp"

#include <algorithm>
#include <set>

#include "base/errors.hpp"
#include "cache/cache_builder.hpp"
#include "cache/quoted.hpp"

namespace bayesloom {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) { return lower(c); });
  return result;
}

/// `keyword` in lower case.
bool is_keyword(std::string_view word, std::string_view keyword) {
  return std::ranges::equal(word, keyword, {}, [](char c) { return lower(c); });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\v\f";
  std::size_t const begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// First pass: the names of the variables. Two of one name, or too many, are told by the second.
std::vector<std::string> collect_names(LineReader lines) {
  std::vector<std::string> names;
  while (lines.next_line() && names.size() <= max_variables)
    if (is_keyword(lines.word(), "var")) names.emplace_back(lines.word());
  return names;
}

class PssParser {
 public:
  PssParser(std::string_view text, std::string const& file)
      : lines_(text, file),
        names_(collect_names(lines_)),
        table_(names_),
        cardinalities_(names_.size()),
        lists_(names_.size()) {
    if (names_.size() > max_variables)
      throw InputError(printable(file) + ": more than the " + max_variables_text +
                       " variables that Bayesloom works with.");
  }

  PssFile parse() {
    while (lines_.next_line()) {
      auto const word = lines_.word();
      if (is_keyword(word, "var")) {
        variable();
      } else if (is_keyword(word, "meta")) {
        meta();
      } else {
        candidate(word);
      }
    }
    if (seen_ == 0) lines_.fail({}, "expected a variable (VAR name), found the end of the file.");
    end_of_variable();
    check_count("variable_count", seen_);
    std::uint64_t candidates = 0;
    for (CandidateList const& list : lists_) candidates += list.size();
    check_count("candidate_count", candidates);
    CacheBuilder builder(std::move(names_), std::move(cardinalities_));
    for (std::size_t v = 0; v < lists_.size(); ++v)
      builder.list(static_cast<Variable>(v)) = std::move(lists_[v]);
    return {std::move(builder).finish("{}", lines_.file() + ": "), std::move(meta_)};
  }

 private:
  void end_of_variable() {
    if (seen_ > 0 && lists_[seen_ - 1].size() == 0)
      lines_.fail({}, "variable " + in_quotes(names_[seen_ - 1]) +
                          " has no candidate; expected at least one before this.");
  }

  void variable() {
    end_of_variable();
    auto const name = lines_.need_name("the name of a variable");
    lines_.need_end_of_line();
    if (table_.find(name) != seen_)
      lines_.fail(name, "there is a second variable " + in_quotes(name) + ".");
    keys_.clear();
    ++seen_;
  }

  void meta() {
    auto const text = lines_.rest();
    std::size_t const equals = text.find('=');
    if (text.empty() || equals == std::string_view::npos)
      lines_.fail(text, "expected META key=value, found " + in_quotes(text) + ".");
    auto const key = trimmed(text.substr(0, equals)), value = trimmed(text.substr(equals + 1));
    if (key.empty() || !is_utf8(text))
      lines_.fail(text, "expected META key=value in UTF-8 text, found " + in_quotes(text) + ".");
    PssMeta entry{std::nullopt, std::string(key), std::string(value)};
    if (!keys_.insert(entry.key).second)
      lines_.fail(text, "META " + in_quotes(key) + " is there twice.");
    if (seen_ > 0) {
      entry.variable = static_cast<Variable>(seen_ - 1);
      if (is_keyword(key, "arity")) {
        auto const count = to_count(value);
        if (!count || *count == 0 || *count > max_cardinality)
          lines_.fail(text, "expected an arity of 1 to 65,536, found " + in_quotes(value) + ".");
        cardinalities_[seen_ - 1] = static_cast<std::uint32_t>(*count);
      }
    }
    meta_.push_back(std::move(entry));
  }

  void candidate(std::string_view start) {
    if (seen_ == 0)
      lines_.fail(start, "expected META or VAR before the first candidate, found " +
                             in_quotes(start) + ".");
    std::size_t const v = seen_ - 1;
    Fixed const score = lines_.to_score(start);
    parents_.clear();
    for (auto word = lines_.word(); !word.empty(); word = lines_.word()) {
      auto const parent = table_.find(word);
      if (!parent)
        lines_.fail(word, "the parent " + in_quotes(word) + " is not a variable of this file.");
      if (*parent == v)
        lines_.fail(word, "variable " + in_quotes(names_[v]) + " is its own parent.");
      parents_.push_back(*parent);
    }
    sort_parents(parents_, lines_, names_);
    lists_[v].add(score, parents_);
  }

  /// Compares a count with the META line that announces it, if there is one.
  void check_count(std::string_view key, std::uint64_t found) const {
    for (PssMeta const& entry : meta_)
      if (!entry.variable && entry.key == key && to_count(entry.value) != found)
        lines_.fail({}, "META " + std::string(key) + " announces " + in_quotes(entry.value) +
                            ", but the file has " + std::to_string(found) +
                            "; it is truncated or damaged.");
  }

  LineReader lines_;
  std::vector<std::string> names_;
  NameTable table_;
  std::size_t seen_ = 0;        // variables begun so far
  std::set<std::string> keys_;  // of the META lines of the current variable, or of the file
  std::vector<PssMeta> meta_;
  std::vector<std::uint32_t> cardinalities_;
  std::vector<Variable> parents_;
  std::vector<CandidateList> lists_;
};

/// The line of the i-th candidate of variable v in a file that parses.
std::size_t line_of(LineReader lines, Variable v, std::size_t i) {
  std::size_t seen = 0, candidates = 0;
  while (lines.next_line()) {
    auto const word = lines.word();
    if (is_keyword(word, "var"))
      ++seen;
    else if (seen == v + std::size_t{1} && !is_keyword(word, "meta") && candidates++ == i)
      break;
  }
  return lines.line();
}

}  // namespace

PssFile read_pss(std::string_view text, std::string const& file) {
  try {
    return PssParser(text, file).parse();
  } catch (DuplicateCandidate const& twice) {
    LineReader const lines(text, file);
    throw InputError(printable(file) + ", line " +
                     std::to_string(line_of(lines, twice.variable, twice.later)) +
                     ": the same parents as in line " +
                     std::to_string(line_of(lines, twice.variable, twice.earlier)) + ".");
  }
}

void write_pss(ScoreCache const& cache,
               std::vector<std::pair<std::string, std::string>> const& meta, TextSink& out) {
  check_writable(cache.names(), ".pss");
  for (std::string const& name : cache.names()) {
    std::string const small = lower(name);
    if (small.ends_with("var") || small.find("meta") != std::string::npos)
      throw InputError("the name " + in_quotes(name) +
                       " cannot be written to a .pss file, whose readers take 'meta' anywhere in a "
                       "line and 'var' before a space for keywords. "
                       "Write .jkl or the binary format .blc instead, or rename the variable.");
  }
  out << "META pss_version = 0.1\n";
  for (auto const& [key, value] : meta) out << "META " << key << '=' << value << '\n';
  out << "META variable_count=" << std::uint64_t{cache.variable_count()} << '\n';
  out << "META candidate_count=" << std::uint64_t{cache.candidate_count()} << '\n';
  for (std::size_t i = 0; i < cache.variable_count(); ++i) {
    auto const v = static_cast<Variable>(i);
    out << "\nVAR " << cache.name(v) << '\n';
    if (cache.cardinalities()[v] > 0)
      out << "META arity=" << std::uint64_t{cache.cardinalities()[v]} << '\n';
    for (std::size_t c = cache.begin(v); c < cache.end(v); ++c) {
      out.score(cache.score(c));
      for (Variable const p : cache.parents(c)) out << ' ' << cache.name(p);
      out << '\n';
    }
  }
  out.flush();
}

}  // namespace bayesloom
