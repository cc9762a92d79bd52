#!/usr/bin/env python3
"""NCCL cases of the whole program on emulated clusters: what was chosen is recorded, faults are found and named.

    emulated_test.py RUN ASSAY OLD_NCCL [-k PATTERN]

Exits with 77 when h5py is missing."""

import os
import subprocess
import sys
import tempfile
import unittest

try:
    import h5py
except ImportError:
    print("skipped: h5py is missing (package python3-h5py)")
    sys.exit(77)

RUN, ASSAY, OLD_NCCL = "", "", ""
TWO_GPUS = """
seed = 1
[[nodes]]
gpus = { product = "h100-sxm5-80gb", count = 2 }
nics = { count = 2 }
"""
FOUR_GPUS = TWO_GPUS.replace("count = 2 }\nnics", "count = 4 }\nnics")
TWO_NODES = """
seed = 1
[[nodes]]
count = 2
gpus = { product = "h100-sxm5-80gb", count = 2 }
nics = { count = 2, rate_gbit = 400, kind = "ib" }
"""


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


class NcclTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="assay-nccl-test.")
        self.addCleanup(self.folder.cleanup)

    def measure(self, cluster, *arguments, words=(), fails=False):
        """Rows of the table of series, and all that was printed."""
        path = os.path.join(self.folder.name, "cluster.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(cluster)
        result = os.path.join(self.folder.name, "run.h5")
        line = [RUN, *words, path, "--", ASSAY, "run", "--epochs", "1", "--budget", "3s", "--force", "--out", result, *arguments]
        done = subprocess.run(line, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=280, check=False)
        self.assertEqual(done.returncode == 0, not fails, done.stdout)
        with h5py.File(result) as file:
            rows = file["series"][:]
        return [{name: text(row[name]) for name in rows.dtype.names} for row in rows], done.stdout

    def test_choices_are_recorded(self):
        rows, out = self.measure(TWO_GPUS, "--filter", "nccl[.]all_reduce|nccl[.]send_recv")
        self.assertEqual({row["status"] for row in rows}, {"ok"}, out)
        methods = {(row["case"], row["point"]): row["method"] for row in rows}
        ring = [method for (case, point), method in methods.items() if "algo:ring" in point]
        self.assertTrue(ring and all(method.startswith("Ring/") for method in ring), methods)
        self.assertTrue(all("P2P/" in method and "NCCL 2." in method for method in methods.values()), methods)

    def test_the_way_between_nodes_is_recorded(self):
        if os.geteuid() != 0:
            self.skipTest("several emulated hosts need root")
        filter_ = "nccl[.]all_reduce/bytes:1048576.*ranks:all|nccl[.]pairs"
        rows, out = self.measure(TWO_NODES, "--filter", filter_)
        self.assertEqual({row["status"] for row in rows}, {"ok"}, out)
        self.assertTrue(all("NET/IB GDR mlx5_0-1" in row["method"] for row in rows), rows)
        rows, out = self.measure(TWO_NODES, "--filter", filter_, words=["--fault", "gdr_off,node=0"])
        self.assertTrue(any("GPUDirect RDMA disabled" in row["method"] for row in rows), rows)
        rows, out = self.measure(TWO_NODES, "--filter", filter_, words=["--fault", "socket_transport"])
        self.assertTrue(all("NET/Socket" in row["method"] for row in rows), rows)

    def test_wrong_results_are_noticed_and_placed(self):
        rows, out = self.measure(TWO_GPUS, "--filter", "nccl[.]all_gather",
                                 words=["--fault", "wrong_results,node=0,gpu=1,rate=1e-5"])
        self.assertEqual({row["status"] for row in rows}, {"wrong_data"}, out)
        self.assertIn("rank 1 (GPU ", out)

    def test_a_gpu_that_hangs_is_named_and_the_run_goes_on(self):
        rows, out = self.measure(FOUR_GPUS, "--filter", "nccl[.]all_(gather|reduce/bytes:1048576)|nccl[.]broadcast",
                                 words=["--fault", "hang,node=0,gpu=2,operation=AllReduce,after=9"])
        states = {row["case"]: row["status"] for row in rows}
        self.assertEqual(states["nccl.all_reduce"], "failed", out)
        self.assertIn("rank 2 (GPU ", out)
        self.assertIn("answers no neighbour", out)
        self.assertEqual(len(rows), 3, out)

    def test_a_lost_gpu_is_named(self):
        _, out = self.measure(TWO_GPUS, "--filter", "nccl[.]all_(gather|reduce/bytes:1048576)",
                              words=["--fault", "lost_gpu,node=0,gpu=1,after=300"])
        self.assertIn("failed: nccl.all_reduce", out)
        self.assertIn("rank 1 (GPU ", out)

    def test_an_old_nccl_is_left_alone(self):
        build = os.path.dirname(os.path.dirname(os.path.abspath(ASSAY)))
        tree = os.path.join(self.folder.name, "build", "emulator")
        os.makedirs(os.path.join(tree, "lib"))
        os.symlink(os.path.join(build, "emulator", "bin"), os.path.join(tree, "bin"))
        for name in os.listdir(os.path.join(build, "emulator", "lib")):
            source = OLD_NCCL if name.startswith("libnccl") else os.path.join(build, "emulator", "lib", name)
            os.symlink(os.path.abspath(source), os.path.join(tree, "lib", name))
        rows, out = self.measure(TWO_GPUS, "--filter", "nccl|gpu[.]launch", words=["--build", os.path.dirname(tree)])
        self.assertIn("NCCL 2.16.2 (", out)
        self.assertIn("is too old", out)
        self.assertIn("not measured: nccl.all_reduce: needs NCCL 2.18 or later", out)
        self.assertEqual({row["case"] for row in rows}, {"gpu.launch"}, out)

    def test_mpi_that_takes_no_gpu_memory_says_so(self):
        _, out = self.measure(TWO_GPUS, "--filter", "mpi[.]gpu_|gpu[.]launch")
        self.assertIn("not measured: mpi.gpu_all_reduce: needs an MPI library that takes GPU memory", out)
        self.assertIn("not measured: mpi.gpu_ping_pong: needs an MPI library that takes GPU memory", out)


if __name__ == "__main__":
    RUN, ASSAY, OLD_NCCL = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
