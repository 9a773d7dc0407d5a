// The .pss format of URLearning, which GOBNILP reads and writes too.
//
//   META pss_version = 0.1      about the file, before the first VAR
//   META score_type=bic
//
//   VAR rain
//   META arity=2                about the variable
//   -12.5                       a candidate: local score, then the names of its parents
//
//   VAR wet
//   META arity=2
//   -7.25 rain
//   -13.75
//
// Keywords in either case; '#' lines and blank lines are skipped; a parent may be named before its
// own VAR. The format announces no counts, so a file that breaks off between two lines would look
// whole: the writer adds META variable_count and candidate_count, and the reader checks them where
// they are. `arity` is the cardinality. All META lines are handed to the caller.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/score_cache.hpp"
#include "cache/text_lines.hpp"

namespace bayesloom {

/// META key=value, of one variable or of the file.
struct PssMeta {
  std::optional<Variable> variable;
  std::string key;
  std::string value;
};

struct PssFile {
  ScoreCache cache;
  std::vector<PssMeta> meta;
};

/// Throws InputError with file, line and column where the text is not a valid file.
PssFile read_pss(std::string_view text, std::string const& file);

/// Writes `meta` about the file, then the counts, then the variables. Throws InputError for a name
/// that URLearning would take for a keyword: one that contains "meta" or ends in "var".
void write_pss(ScoreCache const& cache,
               std::vector<std::pair<std::string, std::string>> const& meta, TextSink& out);

}  // namespace bayesloom
