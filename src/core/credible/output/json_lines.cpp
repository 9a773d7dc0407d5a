#include "credible/output/json_lines.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace bayesloom::credible {

namespace {

/// Appends `text` in quotes.
void append_quoted(std::string const& text, std::string& out) {
  static constexpr char digits[] = "0123456789abcdef";
  out += '"';
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

/// Appends `"name":["parent",...]` of a candidate of variable v.
void append_parents(ScoreCache const& cache, Variable v, std::size_t candidate, std::string& out) {
  append_quoted(cache.name(v), out);
  out += ":[";
  bool first = true;
  for (Variable const p : cache.parents(candidate)) {
    if (!first) out += ',';
    first = false;
    append_quoted(cache.name(p), out);
  }
  out += ']';
}

}  // namespace

JsonLines::JsonLines(CredibleSet const& set) : texts_(set.cache().candidate_count()) {
  longest_ = 128;  // the frame and the number
  for (auto const* const component : set.components())
    for (std::size_t x = 0; x < component->size(); ++x) {
      Variable const v = component->variables[x];
      std::size_t most = 0;
      for (auto const& choice : component->lists[x]) {
        std::size_t const begin = all_.size();
        if (v != 0) all_ += ',';
        append_parents(set.cache(), v, choice.index, all_);
        texts_[choice.index] = {begin, all_.size() - begin};
        most = std::max(most, all_.size() - begin);
      }
      longest_ += std::max(most, step);
    }
  all_.append(step, ' ');
}

void JsonLines::append(Fixed score, std::span<std::uint64_t const> candidates,
                       TextBuffer& out) const {
  char* at = out.room(longest_);
  auto const add = [&](std::string_view text) {
    std::memcpy(at, text.data(), text.size());
    at += text.size();
  };
  add("{\"score\":");
  at = std::to_chars(at, at + 32, to_nats(score)).ptr;
  add(",\"parents\":{");
  for (auto const c : candidates) {
    auto const [begin, size] = texts_[c];
    char const* const text = all_.data() + begin;
    std::memcpy(at, text, step);
    if (size > step) std::memcpy(at + step, text + step, size - step);
    at += size;
  }
  add("}}\n");
  out.end_at(at);
}

}  // namespace bayesloom::credible
