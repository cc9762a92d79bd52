#include "results/schema.hpp"

#include <fmt/format.h>

namespace assay::results {
namespace {

template <class Row>
std::string table_markdown() {
  using Description = Table<Row>;
  std::string text = fmt::format("### `/{}`\n\n{}\n\n| column | type | unit | definition |\n|---|---|---|---|\n",
                                 Description::name, Description::summary);
  for (const auto& field : Description::fields) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", field.name, type_name(field), field.unit, field.definition);
  }
  return text + "\n";
}

}  // namespace

std::string column_attribute(std::string_view column, std::string_view what) {
  return fmt::format("column.{}.{}", column, what);
}

std::string schema_markdown() {
  std::string text = fmt::format("Schema version {}.{}.\n\n", schema_major, schema_minor);
  text += table_markdown<RunInfo>();
  for_each_table([&]<class Row>(const Row&) { text += table_markdown<Row>(); });
  text += "### Arrays\n\n| array | shape | type | unit | definition |\n|---|---|---|---|---|\n";
  for (const Array& array : arrays) {
    text += fmt::format("| `/{}` | {} | {} | {} | {} |\n", array.name, array.shape, array.type, array.unit,
                        array.definition);
  }
  return text;
}

}  // namespace assay::results
