#include "cache/quoted.hpp"

#include <cstddef>

namespace bayesloom {

namespace {

/// The length of the UTF-8 character that `text` begins with, or 0 if it begins with none.
std::size_t character_length(std::string_view text) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  auto const continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  unsigned char const lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || !continues(1)) return 0;
  if (lead < 0xE0) return 2;
  if (!continues(2)) return 0;
  if (lead < 0xF0) {
    bool const overlong = lead == 0xE0 && byte(1) < 0xA0;
    bool const surrogate = lead == 0xED && byte(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  bool const overlong = lead == 0xF0 && byte(1) < 0x90;
  bool const too_large = lead == 0xF4 && byte(1) >= 0x90;
  return !continues(3) || overlong || too_large ? 0 : 4;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    std::size_t const length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::size_t const length = character_length(text);
    bool const control = static_cast<unsigned char>(text[0]) < 0x20 || text[0] == 0x7F;
    if (length == 0 || control)
      result += '?';
    else
      result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::size_t size = text.size();
  if (size > longest) {
    size = longest;  // cut between characters, not within one
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  }
  std::string result(1, '\'');
  result += printable(text.substr(0, size));
  result += size < text.size() ? "...'" : "'";
  return result;
}

}  // namespace bayesloom
