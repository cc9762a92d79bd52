#include "launcher/launch/host_check.hpp"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Interfaces interfaces(std::initializer_list<std::pair<const char*, const char*>> list) {
  Interfaces result;
  for (const auto& [name, address] : list) result.push_back(parse_interface(name, address).value());
  return result;
}

std::vector<std::string> texts(const std::vector<Subnet>& subnets) {
  std::vector<std::string> result;
  for (const Subnet& subnet : subnets) result.push_back(to_string(subnet));
  return result;
}

TEST(Interface, ParsesAddressesAndKnowsItsSubnet) {
  const auto eth0 = parse_interface("eth0", "10.77.3.11/22");
  ASSERT_TRUE(eth0.has_value());
  EXPECT_EQ(to_string(*eth0), "eth0 10.77.3.11/22");
  EXPECT_EQ(to_string(eth0->subnet()), "10.77.0.0/22");
  EXPECT_EQ(to_string(parse_interface("x", "1.2.3.4/0")->subnet()), "0.0.0.0/0");
  EXPECT_EQ(to_string(parse_interface("x", "1.2.3.4/32")->subnet()), "1.2.3.4/32");
  for (const char* address :
       {"", "10.0.0.1", "10.0.0.1/", "10.0.0.1/33", "10.0.0.1/-1", "10.0.0/24", "::1/128", "10.0.0.1/2x"}) {
    EXPECT_FALSE(parse_interface("eth0", address).has_value()) << address;
  }
  EXPECT_FALSE(parse_interface("", "10.0.0.1/8").has_value());
}

TEST(CommonSubnets, AreThoseWhereEveryHostHasItsOwnAddress) {
  const std::vector<Interfaces> hosts{
      interfaces({{"eth1", "10.77.1.11/24"}, {"eth0", "10.77.0.11/24"}, {"docker0", "172.17.0.1/16"}}),
      interfaces({{"docker0", "172.17.0.1/16"}, {"ens3", "10.77.0.12/24"}, {"eth1", "10.77.1.12/24"}}),
  };
  EXPECT_THAT(texts(common_subnets(hosts)), ElementsAre("10.77.1.0/24", "10.77.0.0/24"));
  EXPECT_TRUE(names_subnet("eth0", common_subnets(hosts)[1], hosts[0]));
  EXPECT_TRUE(names_subnet("ens3", common_subnets(hosts)[1], hosts[1]));
  EXPECT_TRUE(names_subnet("10.77.0.0/24", common_subnets(hosts)[1], hosts[0]));
  EXPECT_FALSE(names_subnet("eth1", common_subnets(hosts)[1], hosts[0]));
}

TEST(CommonSubnets, DifferByPrefixAndByHost) {
  EXPECT_THAT(common_subnets({interfaces({{"eth0", "10.0.0.1/24"}}), interfaces({{"eth0", "10.0.0.2/16"}})}),
              IsEmpty());
  EXPECT_THAT(common_subnets({interfaces({{"eth0", "10.0.0.1/24"}}), interfaces({{"eth0", "10.0.1.1/24"}})}),
              IsEmpty());
  EXPECT_THAT(common_subnets({interfaces({{"eth0", "10.0.0.1/24"}}), {}}), IsEmpty());
  EXPECT_THAT(common_subnets({}), IsEmpty());
  EXPECT_THAT(texts(common_subnets({interfaces({{"eth0", "10.0.0.1/24"}, {"eth0", "10.0.0.9/24"}})})),
              ElementsAre("10.0.0.0/24"));
}

TEST(CheckScript, TellsTheTruthAboutThisMachine) {
  const auto result = run_process({"sh", "-c", check_script({"/proc/self/no such file", ""})}, Seconds(20));
  const HostFacts facts = parse_facts(result.output);
  EXPECT_TRUE(facts.complete) << result.errors;
  EXPECT_FALSE(facts.host_name.empty());
  EXPECT_GE(facts.cpus, 1);
  EXPECT_EQ(facts.assay, "");
  EXPECT_EQ(facts.mpi, "");
  const auto echo =
      run_process({"sh", "-c", check_script({find_program("echo").value(), "/proc/self/exe"})}, Seconds(20));
  EXPECT_THAT(parse_facts(echo.output).assay, HasSubstr("echo"));  // `echo --version` prints either that or its version
  EXPECT_EQ(parse_facts(echo.output).mpi, "");                     // no orted beside it
}

TEST(ParseFacts, PassesOverWhatALoginShellSays) {
  const HostFacts facts = parse_facts(
      "Welcome to node1!\nassay-check host node1\nassay-check cpus 96\nassay-check assay assay 0.1.0 (git abc)\n"
      "assay-check mpi mpirun (Open MPI) 4.1.4\nassay-check interface eth0 10.0.0.1/24\nassay-check interface odd\n"
      "assay-check done\n");
  EXPECT_EQ(facts.host_name, "node1");
  EXPECT_EQ(facts.cpus, 96);
  EXPECT_EQ(facts.assay, "assay 0.1.0 (git abc)");
  EXPECT_EQ(facts.mpi, "mpirun (Open MPI) 4.1.4");
  EXPECT_EQ(facts.interfaces, interfaces({{"eth0", "10.0.0.1/24"}}));
  EXPECT_TRUE(facts.complete);
  EXPECT_TRUE(facts.has_ip);
  EXPECT_FALSE(parse_facts("assay-check host node1\n").complete);
  EXPECT_FALSE(parse_facts("assay-check no-ip\n").has_ip);
}

TEST(ReachProblem, NamesHostAndCause) {
  const Seconds timeout(10);
  EXPECT_EQ(reach_problem("n1", "ssh", timeout, {true, 137, "", ""}, {}), "n1: no answer through 'ssh' within 10 s");
  EXPECT_EQ(reach_problem("n1", "ssh", timeout, {false, 255, "", "Warning: x\nssh: Connection refused\r\n\n"}, {}),
            "n1: cannot be reached through 'ssh': exit code 255, ssh: Connection refused");
  EXPECT_EQ(reach_problem("n1", "ssh", timeout, {false, 0, "", ""}, {}),
            "n1: cannot be reached through 'ssh': exit code 0");
  HostFacts facts;
  facts.complete = true;
  EXPECT_EQ(reach_problem("n1", "ssh", timeout, {false, 0, "", ""}, facts), "");
}

TEST(HostProblems, OneSentenceForEachDifference) {
  const Programs programs{"/opt/assay", "/usr/bin/mpirun"};
  HostFacts here;
  here.assay = "assay 0.1.0 (git a)";
  here.mpi = "mpirun (Open MPI) 4.1.4";
  EXPECT_THAT(host_problems("n1", programs, here, here), IsEmpty());

  HostFacts other = here;
  other.assay = "assay 0.1.0 (git b)";
  other.mpi = "mpirun (Open MPI) 5.0.1";
  EXPECT_THAT(host_problems("n1", programs, other, here),
              ElementsAre("n1: /opt/assay says 'assay 0.1.0 (git b)', here it says 'assay 0.1.0 (git a)'",
                          "n1: Open MPI differs: 'mpirun (Open MPI) 5.0.1', here 'mpirun (Open MPI) 4.1.4'"));
  HostFacts none;
  none.has_ip = false;
  EXPECT_THAT(host_problems("n1", programs, none, here),
              ElementsAre(HasSubstr("n1: no executable /opt/assay"),
                          HasSubstr("n1: no /usr/bin/mpirun or no /usr/bin/orted"), HasSubstr("n1: no program 'ip'")));
  none.has_ip = true;
  none.assay = here.assay;
  EXPECT_THAT(host_problems("n1", {"/opt/assay", ""}, none, here), IsEmpty());
}

}  // namespace
}  // namespace assay
