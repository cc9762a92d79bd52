#include "analysis/offer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;

Offer parse(const std::string& text) { return parse_offer(text, "o.toml", builtin_clauses()); }

std::string fault_of(const std::string& text) {
  try {
    (void)parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "no fault";
}

TEST(Offer, KeepsClausesInTheOrderOfTheFileWithTheirPlaces) {
  const Offer offer = parse(R"([provider]
name = "Example"
region = "eu-1"
product = "2 cores"
[storage]
random_read = "10 kIOPS"
[node]
memory = "64 GiB"
cpu_cores = 32
)");
  EXPECT_EQ(offer.provider, "Example");
  EXPECT_EQ(offer.region, "eu-1");
  EXPECT_EQ(offer.product, "2 cores");
  ASSERT_EQ(offer.clauses.size(), 3u);
  EXPECT_EQ(offer.clauses[0].key, "storage.random_read");
  EXPECT_EQ(offer.clauses[0].value, 10000);
  EXPECT_EQ(offer.clauses[1].key, "node.memory");
  EXPECT_EQ(offer.clauses[1].value, 64.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(offer.clauses[1].place.text(), "o.toml:8");
  EXPECT_EQ(offer.clauses[2].value, 32);
  EXPECT_EQ(offer.find("node.cpu_cores"), &offer.clauses[2]);
  EXPECT_EQ(offer.find("node.compute_fp64"), nullptr);
}

TEST(Offer, ReadsDirectionsSizesAndArrays) {
  const Offer offer = parse(R"([network]
pair_bandwidth = { value = "100 Gbit/s", direction = "one_way", from = "1 MiB" }
pair_latency = { value = "2.5 us", to = "8 B" }
all_reduce = [
  { busbw = "1 GB/s", from = "64 KiB", to = "1 MiB" },
  { busbw = "5 GB/s", from = "4 MiB", to = "4 MiB" },
]
)");
  ASSERT_EQ(offer.clauses.size(), 4u);
  EXPECT_EQ(offer.clauses[0].value, 12.5e9);
  EXPECT_EQ(offer.clauses[0].direction, Direction::one_way);
  EXPECT_EQ(offer.clauses[0].sizes->from, 1u << 20);
  EXPECT_EQ(offer.clauses[1].sense, Sense::at_most);
  EXPECT_DOUBLE_EQ(offer.clauses[1].limit(), 2.5e-6 / 0.85);
  EXPECT_EQ(offer.clauses[1].sizes->to, 8u);
  EXPECT_EQ(offer.clauses[2].place.line, 5);
  EXPECT_EQ(offer.clauses[3].sizes->text(), "at 4 MiB");
}

TEST(Offer, RatiosAsNumbersOrPercent) {
  EXPECT_DOUBLE_EQ(parse("[scaling]\nefficiency = 0.9\n").clauses[0].value, 0.9);
  EXPECT_DOUBLE_EQ(parse("[scaling]\nefficiency = \"90 %\"\n").clauses[0].value, 0.9);
  EXPECT_DOUBLE_EQ(parse("[scaling]\nefficiency = 1\n").clauses[0].value, 1);
}

TEST(Offer, ThresholdsReplaceTheDerateAndItsSource) {
  const Offer offer = parse("[storage]\nrandom_read = \"1 kIOPS\"\n[thresholds]\nstorage.random_read = 0.5\n");
  EXPECT_EQ(offer.clauses[0].derate, 0.5);
  EXPECT_EQ(offer.clauses[0].limit(), 500);
  EXPECT_THAT(offer.clauses[0].derivation(), HasSubstr("set in o.toml:4"));
}

TEST(Offer, DerivationShowsHowTheLimitComesAbout) {
  const Offer offer =
      parse("[network]\npair_bandwidth = { value = \"12 GB/s\", direction = \"one_way\", from = \"1 MiB\" }\n");
  EXPECT_EQ(offer.clauses[0].derivation(),
            "at least 12 GB/s one way x 0.85 (buyers' rule: below 85 % of the official figure is misrepresented) = "
            "10.2 GB/s");
}

struct Fault {
  const char* name;
  const char* text;
  const char* expected;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class OfferFault : public ::testing::TestWithParam<Fault> {};

TEST_P(OfferFault, IsNamedWithItsPlace) { EXPECT_THAT(fault_of(GetParam().text), HasSubstr(GetParam().expected)); }

INSTANTIATE_TEST_SUITE_P(
    , OfferFault,
    ::testing::Values(
        Fault{"UnknownKey", "[node]\nmemori = \"64 GiB\"\n",
              "o.toml:2: node.memori: unknown key; did you mean 'node.memory'?"},
        Fault{"UnknownSection", "[nod]\nmemory = \"64 GiB\"\n", "o.toml:1: nod: unknown section; did you mean 'node'?"},
        Fault{"UnknownProviderKey", "[provider]\nnme = \"x\"\n[node]\ncpu_cores=1\n", "provider.nme: unknown key"},
        Fault{"KeyOutsideOfSections", "memory = \"64 GiB\"\n", "o.toml:1: memory: unknown section"},
        Fault{"SectionIsNoTable", "node = 3\n", "o.toml:1: node: is not a section"},
        Fault{"MissingUnit", "[node]\nmemory = \"64\"\n", "o.toml:2: node.memory: '64' has no unit; units: B"},
        Fault{"NumberWithoutUnit", "[node]\nmemory = 64\n", "o.toml:2: node.memory: a number without a unit"},
        Fault{"WrongDimension", "[node]\nmemory = \"64 GB/s\"\n",
              "'GB/s' measures bytes_per_second, the clause needs bytes"},
        Fault{"BitsMisreadAsBytes", "[storage]\nsequential_read = \"10 Gb/s\"\n", "'Gb/s' is not a unit"},
        Fault{"NoNumber", "[node]\nmemory = \"lots\"\n", "'lots' does not begin with a number"},
        Fault{"DecimalComma", "[node]\nmemory = \"1,5 GiB\"\n", "',5 GiB' is not a unit"},
        Fault{"CountAsText", "[node]\ncpu_cores = \"32\"\n", "o.toml:2: node.cpu_cores: a string is the wrong type"},
        Fault{"CountAsFraction", "[node]\ncpu_cores = 31.5\n", "node.cpu_cores: a floating-point is the wrong type"},
        Fault{"Boolean", "[node]\nmemory = true\n", "a boolean is the wrong type"},
        Fault{"NegativeCount", "[node]\ncpu_cores = -1\n", "o.toml:2: node.cpu_cores: negative"},
        Fault{"ZeroFloor", "[node]\nmemory = \"0 GiB\"\n", "zero: anything would meet it"},
        Fault{"NotANumber", "[scaling]\nefficiency = nan\n", "o.toml:2: scaling.efficiency: not a finite number"},
        Fault{"NotANumberInText", "[node]\nmemory = \"nan GiB\"\n", "not a finite number"},
        Fault{"Infinite", "[scaling]\nefficiency = inf\n", "not a finite number"},
        Fault{"NegativeQuantity", "[node]\nmemory = \"-4 GiB\"\n", "negative"},
        Fault{"EfficiencyAboveOne", "[scaling]\nefficiency = 85\n", "larger than 1"},
        Fault{"MissingDirection", "[network]\npair_bandwidth = { value = \"1 GB/s\", from = \"1 MiB\" }\n",
              "o.toml:2: network.pair_bandwidth: no direction"},
        Fault{"WrongDirection",
              "[network]\npair_bandwidth = { value = \"1 GB/s\", from = \"1 MiB\", direction = \"up\" }\n",
              "neither \"one_way\" nor \"both_ways\""},
        Fault{"DirectionWhereNoneBelongs", "[node]\nmemory = { value = \"1 GiB\", direction = \"one_way\" }\n",
              "unknown key 'direction'"},
        Fault{"MissingSize", "[network]\npair_latency = { value = \"1 us\" }\n", "no size: neither 'from' nor 'to'"},
        Fault{"BareValueForSizedClause", "[network]\npair_latency = \"1 us\"\n",
              "a bare value does not say for which sizes"},
        Fault{"SizeWithoutUnit", "[network]\npair_latency = { value = \"1 us\", to = \"8\" }\n",
              "'to' is not a size with a unit"},
        Fault{"SizesSwapped", "[network]\npair_latency = { value = \"1 us\", from = \"8 B\", to = \"4 B\" }\n",
              "'from' is larger than 'to'"},
        Fault{"AlgorithmBandwidth", "[network]\nall_reduce = { algbw = \"1 GB/s\", from = \"1 MiB\" }\n",
              "unknown key 'algbw'"},
        Fault{"PlainValueForCollective", "[network]\nall_reduce = \"1 GB/s\"\n",
              "does not say what it is; write { busbw = ..."},
        Fault{"NoValue", "[network]\npair_latency = { to = \"8 B\" }\n",
              "no 'value'; an offer without a number says nothing"},
        Fault{"ArrayForPlainClause", "[node]\nmemory = [\"1 GiB\"]\n", "an array is the wrong type"},
        Fault{"EmptyArray", "[network]\nall_reduce = []\n", "an array is the wrong type"},
        Fault{"DuplicateKey", "[node]\ncpu_cores = 1\ncpu_cores = 2\n", "o.toml:3: not TOML"},
        Fault{"NotToml", "this is not TOML\n", "o.toml:1: not TOML"},
        Fault{"Truncated", "[node]\nmemory = \"64 G", "o.toml:2: not TOML"},
        Fault{"BinaryRubbish", "\x89HDF\r\n\x1a\n", "not TOML"}, Fault{"Empty", " \n\t\n", "the offer is empty"},
        Fault{"OnlyComments", "# nothing\n", "the offer has no clause"},
        Fault{"OnlyProvider", "[provider]\nname = \"x\"\n", "the offer has no clause"},
        Fault{"ThresholdMisspelt", "[node]\ncpu_cores=1\n[thresholds]\nnode.cpu_core = 0.9\n",
              "o.toml:4: thresholds.node.cpu_core: unknown clause; did you mean 'node.cpu_cores'?"},
        Fault{"ThresholdWithoutClause", "[node]\ncpu_cores=1\n[thresholds]\nnode.memory = 0.9\n",
              "the offer has no such clause"},
        Fault{"ThresholdAboveOne", "[node]\ncpu_cores=1\n[thresholds]\nnode.cpu_cores = 85\n",
              "a derate is a number above 0 and at most 1"},
        Fault{"ThresholdNaN", "[node]\ncpu_cores=1\n[thresholds]\nnode.cpu_cores = nan\n",
              "a derate is a number above 0 and at most 1"},
        Fault{"ThresholdNotNested", "[node]\ncpu_cores=1\n[thresholds]\nnode = 0.9\n",
              "thresholds.node: is not a clause"}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(Offer, ListsAllFaultsInTheOrderOfTheFile) {
  const std::string faults = fault_of("[storage]\nrandom_read = 5\n[node]\nmemory = \"64\"\ncpu_cores = 0\nxyz = 1\n");
  EXPECT_EQ(std::count(faults.begin(), faults.end(), '\n'), 3) << faults;
  const auto at = [&](const char* place) { return faults.find(place); };
  EXPECT_LT(at("o.toml:2"), at("o.toml:4"));
  EXPECT_LT(at("o.toml:4"), at("o.toml:5"));
  EXPECT_LT(at("o.toml:5"), at("o.toml:6"));
  EXPECT_NE(at("o.toml:6"), std::string::npos);
}

}  // namespace
}  // namespace assay
