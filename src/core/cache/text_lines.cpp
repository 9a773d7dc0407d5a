#include "cache/text_lines.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/errors.hpp"
#include "base/text_to_double.hpp"
#include "cache/quoted.hpp"

namespace bayesloom {

namespace {

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(std::string_view text, std::string_view file)
    : file_(printable(file)), next_(text.data()), end_(text.data() + text.size()) {
  start_ = at_ = stop_ = next_;
  if (text.starts_with(byte_order_mark)) next_ += byte_order_mark.size();
  if (std::size_t const nul = text.find('\0'); nul != std::string_view::npos) {
    auto const before = text.substr(0, nul);
    std::size_t const line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    line_ = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
    start_ = text.data() + line_start;
    fail(text.substr(nul, 1), "found a NUL byte; this is not a text file, or it is damaged.");
  }
}

bool LineReader::next_line() {
  while (next_ != end_) {
    start_ = at_ = next_;
    auto const left = static_cast<std::size_t>(end_ - next_);
    auto const* const newline = static_cast<char const*>(std::memchr(next_, '\n', left));
    stop_ = newline ? newline : end_;
    next_ = newline ? newline + 1 : end_;
    ++line_;
    while (at_ != stop_ && is_blank(*at_)) ++at_;
    if (at_ != stop_ && *at_ != '#') return true;
  }
  start_ = at_ = stop_ = end_;
  return false;
}

std::string_view LineReader::word() {
  while (at_ != stop_ && is_blank(*at_)) ++at_;
  char const* const begin = at_;
  while (at_ != stop_ && !is_blank(*at_)) ++at_;
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

std::string_view LineReader::rest() {
  while (at_ != stop_ && is_blank(*at_)) ++at_;
  char const* const begin = at_;
  char const* end = stop_;
  while (end != begin && is_blank(end[-1])) --end;
  at_ = stop_;
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::string LineReader::where(std::string_view word) const {
  char const* const at = word.data() ? word.data() : at_;
  // Columns count characters: every byte that does not continue a UTF-8 character.
  auto const column = std::count_if(
      start_, at, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return file_ + ", line " + std::to_string(line_) + ", column " + std::to_string(column + 1) +
         ": ";
}

void LineReader::fail(std::string_view word, std::string const& message) const {
  throw InputError(where(word) + message);
}

void LineReader::need_line(std::string const& expected) {
  if (next_line()) return;
  throw InputError(file_ + ", line " + std::to_string(line_) + ": the file ends where " + expected +
                   " should follow; it is truncated or its counts are wrong.");
}

std::string_view LineReader::need_word(char const* expected) {
  auto const found = word();
  if (found.empty()) fail({}, std::string("expected ") + expected + ", found the end of the line.");
  return found;
}

void LineReader::need_end_of_line() {
  if (auto const extra = word(); !extra.empty())
    fail(extra, "expected the end of the line, found " + in_quotes(extra) + ".");
}

std::uint64_t LineReader::need_count(char const* expected) {
  auto const found = need_word(expected);
  auto const count = to_count(found);
  if (!count)
    fail(found, std::string("expected ") + expected + ", found " + in_quotes(found) + ".");
  return *count;
}

Fixed LineReader::to_score(std::string_view found) const {
  double nats = 0;
  bool const plus = found.size() > 1 && found[0] == '+' && found[1] != '-';
  std::string_view const number = found.substr(plus ? 1 : 0);
  auto const [length, error] = text_to_double(number, nats);
  if (length != number.size() || error == std::errc::invalid_argument)
    fail(found, "expected a score, found " + in_quotes(found) + ".");
  if (error == std::errc::result_out_of_range)
    fail(found, "the score " + in_quotes(found) + " is too large or too small for a double.");
  if (!std::isfinite(nats))
    fail(found, "the score " + in_quotes(found) + " is not a finite number.");
  if (std::abs(nats) > max_nats)
    fail(found, "the score " + in_quotes(found) +
                    " is outside the range of -2^31 to 2^31 nats that Bayesloom works with.");
  return to_fixed(nats);
}

std::string_view LineReader::need_name(char const* expected) {
  auto const name = need_word(expected);
  if (!is_utf8(name)) fail(name, "the name " + in_quotes(name) + " is not UTF-8 text.");
  return name;
}

NameTable::NameTable(std::span<std::string const> names)
    : slots_(std::bit_ceil(2 * names.size() + 2)) {
  constexpr std::size_t too_far = 200;  // chance alone gives a few dozen for a million names
  for (std::size_t v = 0; v < names.size() && longest_ <= too_far; ++v) {
    std::size_t place = place_of(names[v]), step = 0;
    for (; slots_[place].name.data() != nullptr && slots_[place].name != names[v]; ++step)
      place = (place + 1) & (slots_.size() - 1);
    if (slots_[place].name.data() == nullptr) slots_[place] = {names[v], static_cast<Variable>(v)};
    longest_ = std::max(longest_, step);
  }
  if (longest_ <= too_far) return;
  for (std::size_t v = 0; v < names.size(); ++v)
    sorted_.push_back({names[v], static_cast<Variable>(v)});
  std::ranges::stable_sort(sorted_, {}, &Slot::name);
}

std::optional<Variable> NameTable::find_sorted(std::string_view name) const {
  auto const found = std::ranges::lower_bound(sorted_, name, {}, &Slot::name);
  if (found == sorted_.end() || found->name != name) return std::nullopt;
  return found->variable;
}

std::optional<std::uint64_t> to_count(std::string_view word) {
  std::uint64_t count = 0;
  auto const [stop, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  if (error != std::errc() || stop != word.data() + word.size()) return std::nullopt;
  return count;
}

void sort_parents(std::span<Variable> parents, LineReader const& line,
                  std::span<std::string const> names) {
  if (!std::ranges::is_sorted(parents)) std::ranges::sort(parents);
  auto const twice = std::ranges::adjacent_find(parents);
  if (twice != parents.end())
    line.fail({}, "parent " + in_quotes(names[*twice]) + " is there twice.");
}

TextSink& TextSink::operator<<(std::uint64_t number) {
  std::array<char, 24> digits;
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return *this << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

TextSink& TextSink::score(Fixed score) {
  std::array<char, 32> digits;
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), to_nats(score)).ptr;
  return *this << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

void TextSink::flush() {
  if (!buffer_.empty()) target_(buffer_);
  buffer_.clear();
}

void check_writable(std::span<std::string const> names, std::string_view format) {
  for (std::string const& name : names)
    if (name[0] == '#' ||
        std::ranges::any_of(name, [](char c) { return is_blank(c) || c == '\n'; }))
      throw InputError("the name " + in_quotes(name) + " cannot be written to a " +
                       std::string(format) +
                       " file, whose names have no white space and no '#' in front. "
                       "Write the binary format .blc instead, or rename the variable.");
}

}  // namespace bayesloom
