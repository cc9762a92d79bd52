#include <string>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/point.hpp"
#include "core/registry.hpp"

namespace assay {
namespace {

using testing::HasSubstr;
using Values = std::vector<std::pair<std::string, std::string>>;

TEST(Point, TextRoundTrips) {
  for (const char* text : {"", "bytes:8", "bytes:67108864/dtype:f64/ranks:all", "a:b:c"}) {
    const auto point = Point::parse(text);
    ASSERT_TRUE(point.has_value()) << text;
    EXPECT_EQ(point->text(), text);
    EXPECT_EQ(Point::parse(point->text()), point);
  }
}

TEST(Point, RefusesMalformedText) {
  for (const char* text : {"bytes", ":8", "bytes:", "bytes:8/", "/bytes:8", "bytes:8//op:x"}) {
    EXPECT_FALSE(Point::parse(text).has_value()) << text;
  }
}

TEST(Point, GivesValuesByAxis) {
  const Point point(Values{{"bytes", "18446744073709551615"}, {"dtype", "f64"}, {"bad", "12x"}, {"negative", "-1"}});
  EXPECT_TRUE(point.has("dtype"));
  EXPECT_FALSE(point.has("op"));
  EXPECT_EQ(point.get("dtype"), "f64");
  EXPECT_EQ(point.integer("bytes"), 18446744073709551615u);
  for (const char* axis : {"bad", "negative", "dtype"}) {
    EXPECT_THROW(static_cast<void>(point.integer(axis)), Error) << axis;
  }
}

TEST(Point, NamesTheAxisThatIsAbsent) {
  const Point point(Values{{"bytes", "8"}});
  try {
    static_cast<void>(point.get("dtype"));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("dtype"));
    EXPECT_THAT(error.what(), HasSubstr("bytes:8"));
  }
}

CaseInfo named(const std::string& name) {
  CaseInfo info;
  info.name = name;
  info.axes = [](const Layout&) { return std::vector<Axis>{}; };
  info.make = [](Context&, const Point&) { return std::unique_ptr<Case>(); };
  return info;
}

TEST(Registry, SortsByNameWhateverTheOrderOfRegistration) {
  Registry registry;
  for (const char* name : {"mpi.pairs", "host.gemm", "storage.random", "host.memory"}) registry.add(named(name));
  std::string names;
  for (const CaseInfo& info : registry.cases()) names += info.name + " ";
  EXPECT_EQ(names, "host.gemm host.memory mpi.pairs storage.random ");
  ASSERT_NE(registry.find("host.gemm"), nullptr);
  EXPECT_EQ(registry.find("host.gemm")->name, "host.gemm");
  EXPECT_EQ(registry.find("host"), nullptr);
}

TEST(Registry, RefusesBadDuplicateAndIncompleteCases) {
  Registry registry;
  registry.add(named(std::string(47, 'a')));
  for (const std::string& name : {std::string(), std::string(48, 'a'), std::string("Host.gemm"), std::string("a b"),
                                  std::string("a/b"), std::string("a:b"), std::string(47, 'a')}) {
    EXPECT_THROW(registry.add(named(name)), Error) << name;
  }
  CaseInfo no_axes = named("a");
  no_axes.axes = nullptr;
  EXPECT_THROW(registry.add(no_axes), Error);
  CaseInfo no_make = named("a");
  no_make.make = nullptr;
  EXPECT_THROW(registry.add(no_make), Error);
  EXPECT_EQ(registry.cases().size(), 1u);
}

}  // namespace
}  // namespace assay
