// Networks as lines of JSON, one each:
//
//   {"score":-1204.5,"parents":{"rain":[],"wet":["rain"]}}
//
// The text of every candidate in use is formatted once and a line is a concatenation of these texts: a million lines
// a second. Most texts are short, so 32 bytes are always copied, and the next text overwrites the excess.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credible/credible.hpp"

namespace bayesloom::credible {

/// Text that grows at its end, without being zeroed first.
class TextBuffer {
 public:
  char const* data() const { return text_.get(); }
  std::size_t size() const { return size_; }
  void clear() { size_ = 0; }
  /// Reserves `bytes` more; `end_at` then sets how many of them were used.
  char* room(std::size_t bytes) {
    if (size_ + bytes > capacity_) {
      capacity_ = 2 * (size_ + bytes);
      auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
      if (size_ > 0) std::memcpy(larger.get(), text_.get(), size_);
      text_ = std::move(larger);
    }
    return text_.get() + size_;
  }
  void end_at(char const* end) { size_ = static_cast<std::size_t>(end - text_.get()); }

 private:
  std::unique_ptr<char[]> text_;
  std::size_t size_ = 0, capacity_ = 0;
};

class JsonLines {
 public:
  explicit JsonLines(CredibleSet const& set);

  /// Appends a network: its score and a candidate per variable.
  void append(Fixed score, std::span<std::uint64_t const> candidates, TextBuffer& out) const;

 private:
  static constexpr std::size_t step = 32;  // bytes copied at least

  struct Text {
    std::size_t begin = 0, size = 0;  // in all_
  };
  std::string all_;          // the texts, `step` bytes of room behind the last
  std::vector<Text> texts_;  // by candidate of the cache
  std::size_t longest_ = 0;  // line
};

}  // namespace bayesloom::credible
