#include "results/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "tests/results/sample.hpp"

namespace assay::results {
namespace {

/// Stands for a member of any type while the members of an aggregate are counted.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): never called
};

template <class Row, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { Row{(static_cast<void>(I), Anything{})...}; };
}

template <class Row, std::size_t N = 0>
constexpr std::size_t member_count() {
  if constexpr (takes<Row>(std::make_index_sequence<N + 1>{})) {
    return member_count<Row, N + 1>();
  } else {
    return N;
  }
}

template <class Row>
void expect_complete() {
  SCOPED_TRACE(std::string(Table<Row>::name));
  EXPECT_EQ(member_count<Row>(), Table<Row>::fields.size()) << "a member of the row struct has no column";
  std::set<std::string_view> names;
  for (const auto& field : Table<Row>::fields) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name << " is there twice";
    const auto same_member = [&](const auto& other) { return other.member == field.member; };
    EXPECT_EQ(std::count_if(Table<Row>::fields.begin(), Table<Row>::fields.end(), same_member), 1) << field.name;
    EXPECT_FALSE(field.unit.empty()) << field.name;
    EXPECT_FALSE(field.definition.empty()) << field.name;
    const bool text = std::holds_alternative<std::string Row::*>(field.member);
    EXPECT_EQ(text, field.text_bytes > 0) << field.name << ": text needs room, numbers none";
  }
  EXPECT_THAT(differences(distinct_row<Row>(1), distinct_row<Row>(1)), testing::IsEmpty());
  EXPECT_THAT(differences(distinct_row<Row>(1), Row{}).size(), testing::Ge(names.size() - 2));
}

TEST(Schema, EveryMemberIsAColumnWithUnitAndDefinition) {
  expect_complete<RunInfo>();
  for_each_table([]<class Row>(const Row&) { expect_complete<Row>(); });
}

TEST(Schema, ColumnsKeepTheNamesThatReadersKnow) {
  std::vector<std::string_view> names;
  for (const auto& field : Table<SeriesRow>::fields) names.push_back(field.name);
  EXPECT_THAT(names, testing::IsSupersetOf({"case", "point", "epoch", "status", "ranks", "peer", "offset", "count"}));
}

TEST(Schema, ManualListsExactlyTheColumns) {
  const std::string manual = read_bytes(std::filesystem::path(ASSAY_SOURCE_DIR) / "docs/results.md");
  const std::string begin = "<!-- columns: written by results_schema_doc -->\n\n";
  const std::size_t at = manual.find(begin);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(manual.substr(at + begin.size()), schema_markdown())
      << "write it again with: results_schema_doc docs/results.md";
}

}  // namespace
}  // namespace assay::results
