#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace assay::results {

/// What to do with text that is longer than its column: an identifier must not change, free text may be cut.
enum class Text { identifier, free };

template <class Row>
using Member = std::variant<std::string Row::*, double Row::*, std::int64_t Row::*, std::int32_t Row::*,
                            std::uint64_t Row::*, std::uint32_t Row::*, bool Row::*>;

/// One column of a table (or one attribute of /run).
template <class Row>
struct Field {
  std::string_view name;
  Member<Row> member;
  std::string_view unit;  ///< "-" for names, ids and states
  std::string_view definition;
  std::size_t text_bytes = 0;  ///< room for UTF-8 text, without terminator; 0 for numbers
  Text text = Text::identifier;
};

/// Specialised for each row: `name`, `summary`, `fields` in the order of the file.
template <class Row>
struct Table;

}  // namespace assay::results
