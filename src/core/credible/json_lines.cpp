#include "credible/json_lines.hpp"

#include <charconv>

namespace bayesloom::credible {

namespace {

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

}  // namespace

JsonLines::JsonLines(CredibleSet const& set) : set_(set), places_(set.cache().variable_count()) {
  auto const& cache = set.cache();
  for (auto const& part : set.parts())
    for (std::size_t x = 0; x < part.component.size(); ++x) {
      Variable const v = part.component.variables[x];
      places_[v] = texts_.size();
      auto& texts = texts_.emplace_back();
      for (auto const& choice : part.component.choices[x]) {
        std::string& text = texts.emplace_back(v == 0 ? "" : ",");
        append_quoted(cache.name(v), text);
        text += ":[";
        bool first = true;
        for (Variable const p : cache.parents(choice.candidate)) {
          if (!first) text += ',';
          first = false;
          append_quoted(cache.name(p), text);
        }
        text += ']';
      }
    }
}

void JsonLines::append(Walk const& walk, std::string& out) const {
  char number[32];
  auto const end = std::to_chars(number, number + sizeof number, to_nats(set_.best() - walk.loss()));
  out += "{\"score\":";
  out.append(number, end.ptr);
  out += ",\"parents\":{";
  auto const choices = walk.choices();
  for (std::size_t const place : places_) out += texts_[place][choices[place]];
  out += "}}\n";
}

}  // namespace bayesloom::credible
