#include "credible/output/network_text.hpp"

#include <array>
#include <charconv>

namespace bayesloom::credible {

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

void NetworkText::append_line(Fixed score, std::span<std::uint64_t const> candidates,
                              std::string& out) {
  std::array<char, 32> number{};
  out += "{\"score\":";
  out.append(number.data(),
             std::to_chars(number.data(), number.data() + number.size(), to_nats(score)).ptr);
  out += ",\"parents\":{";
  for (std::size_t v = 0; v < candidates.size(); ++v) {
    auto& text = texts_[candidates[v]];
    if (text.empty()) append_parents(cache_, static_cast<Variable>(v), candidates[v], text);
    if (v > 0) out += ',';
    out += text;
  }
  out += "}}\n";
}

}  // namespace bayesloom::credible
