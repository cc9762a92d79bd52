#include "inventory/kernel_log.hpp"

#include <gmock/gmock.h>

#include "tests/inventory/planted_root.hpp"

namespace assay {
namespace {

using assay::testing::PlantedRoot;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* fallen =
    "3,1021,5000000,-;NVRM: Xid (PCI:0000:3B:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.";

TEST(Xid, ARecordOfTheKernelsLog) {
  const auto xid = parse_xid(fallen, 65);
  ASSERT_TRUE(xid.has_value());
  EXPECT_EQ(xid->code, 79);
  EXPECT_EQ(xid->pci_bus_id, "0000:3b:00.0");
  EXPECT_DOUBLE_EQ(xid->age, 60);
  EXPECT_THAT(xid->text, HasSubstr("NVRM: Xid (PCI:0000:3B:00): 79"));
  EXPECT_EQ(xid_meaning(79), "GPU has fallen off the bus");
}

TEST(Xid, OtherLinesAreNone) {
  EXPECT_FALSE(parse_xid("6,1,1,-;usb 1-1: new device", 1).has_value());
  EXPECT_FALSE(parse_xid("NVRM: Xid (PCI:0000:3b:00): 79", 1).has_value());
  EXPECT_FALSE(parse_xid("6,1,1,-;NVRM: Xid (PCI:0000", 1).has_value());
  EXPECT_FALSE(parse_xid("", 1).has_value());
}

TEST(Xid, TheWholeLog) {
  PlantedRoot root;
  root.write("/dev/kmsg", std::string("6,1,1,-;booting\n") + fallen + "\n4,7,9,-;NVRM: Xid (PCI:0000:1b:00): 48, x");
  const auto xids = read_xids(root);
  ASSERT_TRUE(xids.known());
  ASSERT_THAT(xids.value(), SizeIs(2));
  EXPECT_EQ(xids.value()[1].code, 48);
}

TEST(Xid, ALogThatMayNotBeReadIsUnknown) {
  const auto xids = read_xids(PlantedRoot());
  EXPECT_FALSE(xids.known());
  EXPECT_THAT(xids.why(), HasSubstr("/dev/kmsg"));
}

}  // namespace
}  // namespace assay
