#include "launcher/launch/start_command.hpp"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::ElementsAre;

Subnet subnet(const char* text) { return parse_interface("x", text).value().subnet(); }

StartPlan plan() {
  StartPlan result;
  result.assay = "/opt/assay/bin/assay";
  result.run_options = {"--suite", "quick", "--out", "my run.h5"};
  result.hosts = {{"node1", 8}, {"node2", 8}};
  result.data = {subnet("10.77.0.0/24"), subnet("10.77.1.0/24")};
  result.bind_to = "core";
  return result;
}

TEST(MpirunCommand, IsExact) {
  EXPECT_EQ(shell_line(mpirun_command(plan(), {"/usr/bin/mpirun", "ssh", {subnet("10.77.0.0/24")}})),
            "/usr/bin/mpirun -np 16 -H node1:8,node2:8 --bind-to core --mca plm rsh "
            "--mca oob_tcp_if_include 10.77.0.0/24 --mca btl_tcp_if_include 10.77.0.0/24,10.77.1.0/24 "
            "--mca oob_tcp_keepalive_time 5 --mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 3 "
            "/opt/assay/bin/assay run --suite quick --out 'my run.h5'");
}

TEST(MpirunCommand, NamesAnotherAgentAndUnequalShares) {
  StartPlan uneven = plan();
  uneven.hosts = {{"node1", 4}, {"node2", 2}, {"node3", 1}};
  uneven.data.clear();
  uneven.run_options.clear();
  uneven.bind_to = "none";
  EXPECT_EQ(shell_line(mpirun_command(uneven, {"/opt/ompi/bin/mpirun", "ssh -p 2222", {}})),
            "/opt/ompi/bin/mpirun -np 7 -H node1:4,node2:2,node3:1 --bind-to none --mca plm rsh "
            "--mca plm_rsh_agent 'ssh -p 2222' --mca oob_tcp_keepalive_time 5 --mca oob_tcp_keepalive_intvl 1 "
            "--mca oob_tcp_keepalive_probes 3 /opt/assay/bin/assay run");
}

TEST(SrunCommand, IsExact) {
  EXPECT_EQ(shell_line(srun_command(plan(), "pmix")),
            "env OMPI_MCA_btl_tcp_if_include=10.77.0.0/24,10.77.1.0/24 srun --mpi=pmix --nodes=2 --ntasks=16 "
            "--ntasks-per-node=8 --cpu-bind=cores --kill-on-bad-exit=1 /opt/assay/bin/assay run --suite quick "
            "--out 'my run.h5'");
}

TEST(SrunCommand, BindsBySlurmsNames) {
  StartPlan one = plan();
  one.data.clear();
  for (const auto& [ours, theirs] :
       {std::pair("core", "cores"), {"socket", "sockets"}, {"numa", "ldoms"}, {"none", "none"}}) {
    one.bind_to = ours;
    const auto command = srun_command(one, "pmi2");
    EXPECT_EQ(command.front(), "srun");
    EXPECT_THAT(command, testing::Contains(std::string("--cpu-bind=") + theirs));
  }
}

TEST(AgentCall, IsSshsFormWithOnePart) {
  EXPECT_THAT(agent_call("ssh -p 2222", "node1", "echo 'a b'", Seconds(7)),
              ElementsAre("ssh", "-p", "2222", "-o", "BatchMode=yes", "-o", "ConnectTimeout=7", "node1",
                          "sh -c 'echo '\\''a b'\\'''"));
  EXPECT_THAT(agent_call("/x/fake-ssh", "node1", "true", Seconds(7)),
              ElementsAre("/x/fake-ssh", "node1", "sh -c true"));
  EXPECT_THAT(srun_call("node1", "a; b"), ElementsAre("srun", "--overlap", "--mpi=none", "--nodes=1", "--ntasks=1",
                                                      "--nodelist=node1", "sh", "-c", "a; b"));
}

}  // namespace
}  // namespace assay
