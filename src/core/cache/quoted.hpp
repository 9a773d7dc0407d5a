// Names and tokens as they appear in error messages, which must be valid UTF-8 and short whatever a
// damaged file holds.
#pragma once

#include <string>
#include <string_view>

namespace bayesloom {

/// Whether `text` is well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF).
bool is_utf8(std::string_view text);

/// `text` with every byte that is not printable UTF-8 replaced by '?'.
std::string printable(std::string_view text);

/// In single quotes, printable, cut after 60 bytes.
std::string in_quotes(std::string_view text);

}  // namespace bayesloom
