// std::from_chars for doubles, which the standard library of Apple's systems does not have before its version 20.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <string>
#ifdef __APPLE__
#include <xlocale.h>
#endif
#endif

namespace bayesloom {

struct ReadDouble {
  std::size_t length;  ///< how many characters were read
  std::errc error;     ///< invalid_argument: no number; result_out_of_range: none of this type
};

/// Reads the number that `text` begins with, written as in C but for a plus, blanks and hexadecimal digits.
inline ReadDouble text_to_double(std::string_view text, double& value) {
#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
  std::size_t const sign = text.starts_with('-') ? 1 : 0;
  constexpr std::string_view may_begin = "0123456789.iInN";
  if (text.size() == sign || may_begin.find(text[sign]) == std::string_view::npos)
    return {0, std::errc::invalid_argument};
  static ::locale_t const plain = ::newlocale(LC_ALL_MASK, "C", nullptr);
  std::string copy(text);  // which ends with a NUL
  if (std::size_t const x = copy.find_first_of("xX"); x != std::string::npos) copy.resize(x);
  char* end = nullptr;
  double const read = ::strtod_l(copy.c_str(), &end, plain);
  auto const length = static_cast<std::size_t>(end - copy.c_str());
  if (length == 0) return {0, std::errc::invalid_argument};
  std::string_view const number = std::string_view(copy).substr(sign, length - sign);
  bool const named = number.starts_with('i') || number.starts_with('I') ||
                     number.starts_with('n') || number.starts_with('N');
  bool const zero = number.substr(0, number.find_first_of("eE")).find_first_of("123456789") ==
                    std::string_view::npos;
  if (!named && (std::isinf(read) || (read == 0 && !zero)))
    return {length, std::errc::result_out_of_range};
  value = read;
  return {length, std::errc()};
#else
  auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return {static_cast<std::size_t>(stop - text.data()), error};
#endif
}

}  // namespace bayesloom
