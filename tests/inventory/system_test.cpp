#include "inventory/system.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "tests/inventory/planted_root.hpp"

namespace assay {
namespace {

using assay::testing::PlantedRoot;

constexpr auto bare_cpu = "processor\t: 0\nflags\t\t: fpu vme ht\n";
constexpr auto guest_cpu = "processor\t: 0\nflags\t\t: fpu hypervisor ht\n";

TEST(System, ReadsOsKernelAndClockSource) {
  PlantedRoot root;
  root.write("/etc/os-release", "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 22.04.4 LTS\"");
  root.write("/proc/sys/kernel/osrelease", "5.15.0-1045-nvidia");
  root.write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
  const auto system = read_system(root);
  EXPECT_EQ(system.os.value(), "Ubuntu 22.04.4 LTS");
  EXPECT_EQ(system.kernel.value(), "5.15.0-1045-nvidia");
  EXPECT_EQ(system.clock_source.value(), "tsc");
}

TEST(System, MissingFilesAreUnknown) {
  const PlantedRoot root;
  const auto system = read_system(root);
  EXPECT_FALSE(system.os.known());
  EXPECT_FALSE(system.kernel.known());
  EXPECT_FALSE(system.virtualization.known());
  EXPECT_FALSE(system.clock_source.known());
  EXPECT_FALSE(system.clock_cost.known());
}

TEST(Virtualization, BareMetalEvenOfACloud) {
  PlantedRoot root;
  root.write("/proc/cpuinfo", bare_cpu);
  root.write("/sys/class/dmi/id/sys_vendor", "Amazon EC2");
  EXPECT_EQ(read_virtualization(root).value(), "none");
}

TEST(Virtualization, HypervisorByItsSignatureThenByFirmware) {
  PlantedRoot root;
  root.write("/proc/cpuinfo", guest_cpu);
  EXPECT_EQ(read_virtualization(root).value(), "unnamed hypervisor");
  root.write("/sys/class/dmi/id/sys_vendor", "Microsoft Corporation");
  root.write("/sys/class/dmi/id/product_name", "Virtual Machine");
  EXPECT_EQ(read_virtualization(root).value(), "hyper-v");
  root.set_signature("KVMKVMKVM");
  EXPECT_EQ(read_virtualization(root).value(), "kvm");
}

TEST(Virtualization, ArmGuestIsKnownByFirmwareOnly) {
  PlantedRoot root;
  root.write("/proc/cpuinfo", "CPU implementer\t: 0x41");
  EXPECT_FALSE(read_virtualization(root).known());
  root.write("/sys/class/dmi/id/product_name", "Grace Server");
  EXPECT_EQ(read_virtualization(root).value(), "none");
  root.write("/sys/class/dmi/id/product_name", "KVM Virtual Machine");
  EXPECT_EQ(read_virtualization(root).value(), "kvm");
}

TEST(Virtualization, Containers) {
  struct Planted {
    const char* path;
    const char* text;
    const char* expected;
  };
  for (const auto& planted : {Planted{"/.dockerenv", "", "docker"}, Planted{"/run/.containerenv", "", "podman"},
                              Planted{"/.singularity.d/env", "", "apptainer"},
                              Planted{"/run/systemd/container", "systemd-nspawn", "systemd-nspawn"},
                              Planted{"/proc/1/cgroup", "0::/kubepods/besteffort/podx", "kubernetes"},
                              Planted{"/proc/1/cgroup", "4:memory:/docker/abc", "docker"}}) {
    PlantedRoot root;
    root.write("/proc/cpuinfo", bare_cpu);
    root.write(planted.path, planted.text);
    EXPECT_EQ(read_virtualization(root).value(), planted.expected) << planted.path;
  }
}

TEST(Virtualization, ContainerInAVirtualMachine) {
  PlantedRoot root;
  root.write("/proc/cpuinfo", guest_cpu);
  root.set_signature("KVMKVMKVM");
  root.write("/.dockerenv", "");
  EXPECT_EQ(read_virtualization(root).value(), "docker on kvm");
}

TEST(SystemRoot, RefusesWhatIsNoDirectory) { EXPECT_THROW(SystemRoot("/no/such/root"), Error); }

TEST(SystemRoot, DirectoryReadsAsUnknownFile) {
  PlantedRoot root;
  root.directory("/etc");
  EXPECT_FALSE(root.read("/etc").known());
}

}  // namespace
}  // namespace assay
