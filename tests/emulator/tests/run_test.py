#!/usr/bin/env python3
"""The run script: what the ranks of an emulated cluster find. run_test.py EMULATOR_DIR BUILD_DIR"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

EMULATOR, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
sys.argv = sys.argv[:1]
CLUSTERS = EMULATOR / "clusters"


def run(cluster, *options, command, expect=0):
    done = subprocess.run([EMULATOR / "run", CLUSTERS / cluster, "--build", BUILD, *options, "--", *command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=200, check=False)
    if done.returncode != expect:
        raise AssertionError(f"exit {done.returncode}, not {expect}\n{done.stdout}\n{done.stderr}")
    return done


def shell(text):
    return ["bash", "-c", text]


class Run(unittest.TestCase):
    def test_one_host_needs_no_agent(self):
        out = run("h100-1x2.toml", command=shell("echo rank $OMPI_COMM_WORLD_RANK node $ASSAY_EMULATOR_NODE")).stdout
        self.assertEqual(sorted(out.splitlines()), ["rank 0 node 0", "rank 1 node 0"])

    def test_every_node_is_a_host_of_its_own(self):
        out = run("l40s-2x8.toml", "-np", "4", command=shell("echo $(hostname) $LD_LIBRARY_PATH $ASSAY_EMULATOR_CLUSTER")).stdout
        lines = [line.split() for line in out.splitlines()]
        self.assertEqual(sorted({line[0] for line in lines}), ["node00"])
        out = run("l40s-2x8.toml", command=shell("echo $(hostname) $LD_LIBRARY_PATH $ASSAY_EMULATOR_CLUSTER")).stdout
        lines = [line.split() for line in out.splitlines()]
        self.assertEqual(sorted(line[0] for line in lines), ["node00"] * 8 + ["node01"] * 8)
        self.assertEqual({line[1].split(":")[0] for line in lines}, {str(BUILD / "emulator/lib")})
        self.assertEqual({line[2] for line in lines}, {str(CLUSTERS / "l40s-2x8.toml")})

    def test_state_is_shared_and_removed(self):
        out = run("h100-1x2.toml", command=shell("echo $ASSAY_EMULATOR_STATE; test -d $ASSAY_EMULATOR_STATE")).stdout
        states = set(out.split())
        self.assertEqual(len(states), 1)
        self.assertFalse(pathlib.Path(states.pop()).exists())

    def test_faults_and_settings_are_laid_over(self):
        out = run("h100-4x8.toml", "-np", "0", "--set", "noise_sigma=0", "--set", "fabric.oversubscription=2",
                  "--set", "node.1.gpu.3.fault=power_cap watts=300", "--fault", "kind=dead_nvlink,node=2,gpu=0+1,count=2",
                  "--fault", "missing_gpu(node=3,gpu=7)", "--seed", "5",
                  command=shell("cat $ASSAY_EMULATOR_FAULTS; echo seed $ASSAY_EMULATOR_SEED; ls {overlay}")).stdout
        for line in ("noise_sigma = 0", "[fabric]", "oversubscription = 2", "watts = 300", "gpu = [0, 1]", "seed 5", "node03",
                     'kind = "missing_gpu"'):
            self.assertIn(line, out.splitlines())

    def test_a_missing_card_keeps_its_rank(self):
        out = run("h100-1x2.toml", "--fault", "missing_gpu,gpu=1", command=shell("echo rank")).stdout
        self.assertEqual(out.split(), ["rank", "rank"])

    def test_the_overlay_has_the_host_it_runs_on(self):
        for ranks in ("1", "0"):
            out = run("h100-2x4.toml" if ranks == "0" else "h100-1x2.toml", "-np", ranks,
                      command=shell("cat {overlay}/$(hostname)/sys/class/infiniband/mlx5_0/ports/1/state")).stdout
            self.assertEqual(out.strip(), "4: ACTIVE")

    def test_bad_configuration_ends_with_99(self):
        done = run("h100-1x2.toml", "--fault", "gremlin", command=["true"], expect=99)
        self.assertIn("'gremlin' is none of", done.stderr)
        done = run("h100-1x2.toml", "--set", "nonsense=1", command=["true"], expect=99)
        self.assertIn("no such key here", done.stderr)
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as bad:
            bad.write("[[nodes]]\ncout = 1\n")
            bad.flush()
            done = run(bad.name, command=["true"], expect=99)
            self.assertIn(f"{bad.name}:2: cout", done.stderr)

    def test_exit_codes_come_through(self):
        run("h100-1x1.toml", command=shell("exit 7"), expect=7)
        run("h100-1x1.toml", "-np", "0", command=shell("exit 7"), expect=7)

    def test_replacements_are_complete_when_loaded(self):
        for library in sorted((BUILD / "emulator/lib").glob("*.so*")):
            dynamic = subprocess.run(["readelf", "-d", library], text=True, stdout=subprocess.PIPE, check=True).stdout
            self.assertIn(f"[{library.name}]", dynamic, library)
            self.assertRegex(dynamic, "BIND_NOW|Flags: NOW", library)
            self.assertNotRegex(dynamic, r"\(RPATH\)", library)


if __name__ == "__main__":
    if __import__("os").geteuid() != 0:
        print("skipped: several hosts need root, as each is a namespace of its own")
        sys.exit(77)
    unittest.main()
