#include "launcher/launch/hosts_file.hpp"

#include <gmock/gmock.h>

#include <string>

#include "core/error.hpp"

namespace assay {
namespace {

using testing::HasSubstr;

std::string text_of(const std::vector<HostEntry>& hosts) {
  std::string text;
  for (const HostEntry& host : hosts) text += host.name + "=" + std::to_string(host.slots) + " ";
  return text;
}

TEST(HostsFile, AcceptsItsThreeForms) {
  EXPECT_EQ(text_of(parse_hosts("node1\nnode2 slots=8\nnode3:4\n", "f")), "node1=0 node2=8 node3=4 ");
  EXPECT_EQ(text_of(parse_hosts("gpu-01.example.org", "f")), "gpu-01.example.org=0 ");
  EXPECT_EQ(text_of(parse_hosts("10.0.0.1 slots=2", "f")), "10.0.0.1=2 ");
}

TEST(HostsFile, PassesOverBlanksCommentsAndCarriageReturns) {
  const auto hosts = parse_hosts("# all\r\n\r\n  node1\tslots=2  # first\r\n#node2\r\nnode3\r\n", "f");
  EXPECT_EQ(text_of(hosts), "node1=2 node3=0 ");
}

std::string complaint(const std::string& text) {
  try {
    static_cast<void>(parse_hosts(text, "hosts.txt"));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "none";
}

TEST(HostsFile, NamesFileAndLineOfABadOne) {
  EXPECT_EQ(complaint("node1\n\nnode2 slots=x\n"), "hosts.txt:3: 'x' slots: not a whole number from 1 to 65535");
  for (const char* slots : {"0", "-1", "65536", "99999999999", "1.5", "4x", ""}) {
    EXPECT_THAT(complaint(std::string("node1 slots=") + slots),
                HasSubstr("hosts.txt:1: '" + std::string(slots) + "' "));
    EXPECT_THAT(complaint(std::string("node1:") + slots), HasSubstr("hosts.txt:1: '" + std::string(slots) + "' "));
  }
  EXPECT_EQ(complaint("node1 8"), "hosts.txt:1: '8' does not belong there");
  EXPECT_EQ(complaint("node1 node2"), "hosts.txt:1: 'node2' does not belong there");
  EXPECT_EQ(complaint("node1 slots=2 slots=3"), "hosts.txt:1: 'slots=3' does not belong there");
  EXPECT_THAT(complaint("node1:2 8"), HasSubstr("'8' does not belong"));
}

TEST(HostsFile, OneHostHasOneNumberOfSlots) {
  EXPECT_EQ(complaint("node1:2 slots=3"), "hosts.txt:1: 'slots=3' does not belong there");
}

TEST(HostsFile, RefusesNamesThatAnAgentOrAShellWouldTakeForMore) {
  for (const char* name : {"-oProxyCommand=x", "a;b", "$(x)", "user@node1", "a,b", "'node'", ".", ":4", "nöde"}) {
    EXPECT_THAT(complaint(name), HasSubstr("is not a host name")) << name;
  }
}

TEST(HostsFile, RefusesDuplicatesAndEmptyFiles) {
  EXPECT_EQ(complaint("node1\nnode2\n\nnode1 slots=2\n"), "hosts.txt:4: node1 is already on line 1");
  EXPECT_EQ(complaint(""), "hosts.txt: names no host");
  EXPECT_EQ(complaint("# nothing\n\n"), "hosts.txt: names no host");
}

TEST(HostsFile, AnUnreadableFileIsBadInput) {
  for (const char* path : {"/nonexistent/hosts", "/"}) {
    try {
      static_cast<void>(read_hosts_file(path));
      FAIL() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_THAT(error.what(), HasSubstr(path));
    }
  }
}

}  // namespace
}  // namespace assay
