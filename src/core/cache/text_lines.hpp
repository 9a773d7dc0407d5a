// What the two text formats share: lines and words of one contiguous buffer, with exact positions
// for error messages, numbers, names, and buffered output.
//
// Lines that are blank or whose first non-blank character is '#' do not count, wherever they stand.
// Words are separated by the white space of C (space, tab, CR, VT, FF), so that any other character
// may be part of a name. A byte order mark at the start of the buffer is skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fixed_point.hpp"
#include "base/variable.hpp"

namespace bayesloom {

class LineReader {
 public:
  /// `file` is what messages call the text. Throws InputError if the text holds a NUL byte.
  LineReader(std::string_view text, std::string_view file);

  /// Goes to the next line that counts; false at the end of the text.
  bool next_line();

  /// The next word of this line; empty at the end of the line.
  std::string_view word();

  /// What is left of this line, without white space at either end.
  std::string_view rest();

  /// Goes to the next line that counts, or fails with "the file ends where `expected` ...".
  void need_line(std::string const& expected);

  /// The next word, or fails with "expected `expected`, found the end of the line".
  std::string_view need_word(char const* expected);

  /// Fails unless the line is used up.
  void need_end_of_line();

  std::uint64_t need_count(char const* expected);
  Fixed need_score() { return to_score(need_word("a score")); }
  Fixed to_score(std::string_view word) const;  ///< fails unless it is a finite number in range
  std::string_view need_name(char const* expected);

  std::size_t line() const { return line_; }
  std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - next_); }

  /// What messages call the text.
  std::string const& file() const { return file_; }
  /// "file, line 3, column 7: " of a word of this line, or of the end of the line if it is empty.
  std::string where(std::string_view word = {}) const;
  [[noreturn]] void fail(std::string_view word, std::string const& message) const;

 private:
  std::string file_;
  char const* next_;      // start of the line after this one
  char const* end_;       // of the text
  char const* start_;     // of this line
  char const* at_;        // where the next word is looked for
  char const* stop_;      // end of this line
  std::size_t line_ = 0;  // 1-based
};

/// Variables by name, for names that outlive the table: open addressing, since looking up parents
/// is a large part of reading. Of two equal names the first counts. Names that were chosen to fall
/// onto one place are sorted instead, so that a look-up is never long.
class NameTable {
 public:
  explicit NameTable(std::span<std::string const> names);

  std::optional<Variable> find(std::string_view name) const {
    if (!sorted_.empty()) return find_sorted(name);
    std::size_t place = place_of(name);
    for (std::size_t step = 0; step <= longest_; ++step) {
      Slot const& slot = slots_[place];
      if (slot.name.data() == nullptr) break;
      if (slot.name == name) return slot.variable;
      place = (place + 1) & (slots_.size() - 1);
    }
    return std::nullopt;
  }

 private:
  struct Slot {
    std::string_view name;  // no address: empty
    Variable variable = 0;
  };

  std::size_t place_of(std::string_view name) const {
    std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a, best for a few bytes
    for (char const c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    hash ^= hash >> 32;
    return hash & (slots_.size() - 1);
  }

  std::optional<Variable> find_sorted(std::string_view name) const;

  std::vector<Slot> slots_;
  std::size_t longest_ = 0;   // steps from a name's own place to where it is
  std::vector<Slot> sorted_;  // by name; empty unless a name would be too far from its place
};

/// A word that is a whole number in decimal digits.
std::optional<std::uint64_t> to_count(std::string_view word);

/// Sorts the parents of one candidate; fails if one of them occurs twice.
void sort_parents(std::span<Variable> parents, LineReader const& line,
                  std::span<std::string const> names);

/// Collects output and hands it on in large pieces.
class TextSink {
 public:
  using Target = std::function<void(std::string_view)>;
  explicit TextSink(Target target) : target_(std::move(target)) { buffer_.reserve(capacity); }

  TextSink& operator<<(std::string_view text) {
    if (buffer_.size() + text.size() > capacity) flush();
    buffer_ += text;
    return *this;
  }
  TextSink& operator<<(char c) { return *this << std::string_view(&c, 1); }
  TextSink& operator<<(std::uint64_t number);
  TextSink& score(Fixed score);  ///< the shortest decimal that reads back as the same score
  void flush();

 private:
  static constexpr std::size_t capacity = std::size_t{1} << 20;
  Target target_;
  std::string buffer_;
};

/// Throws InputError for a name that would not survive a text file: white space, or a leading '#'.
void check_writable(std::span<std::string const> names, std::string_view format);

}  // namespace bayesloom
