#!/usr/bin/env python3
"""Inventory, placement and telemetry on emulated clusters: emulated_test.py ASSAY EMULATOR_RUN CLUSTERS

Every fault is planted alone, and what is said of the healthy cluster is looked at too."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py

ASSAY, RUN, CLUSTERS = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
HOST = os.uname().nodename
THROTTLED, CLOCK_CHANGED = 64, 128  # docs/results.md


def emulated(cluster, words, *, options=(), env=None):
    line = [str(RUN), *options, str(CLUSTERS / cluster), "--", *words]
    done = subprocess.run(line, text=True, capture_output=True, timeout=300, check=False, env={**os.environ, **(env or {})})
    return done.returncode, done.stdout, done.stderr


def fault(place, text):
    return ["--set", f"node.0.{place}.fault={text}"]


def inventory(cluster, options=()):
    code, out, error = emulated(cluster, [str(ASSAY), "inventory", "--json", "--machine-overlay", "{overlay}"],
                                options=["-np", "1", *options])
    if code != 0:
        raise AssertionError(error)
    return json.loads(out)


class Inventory(unittest.TestCase):
    def test_healthy_node_of_eight(self):
        node = inventory("a100-1x8.toml")
        self.assertTrue(node["emulated"])
        self.assertEqual(len(node["gpus"]), 8)
        for number, gpu in enumerate(node["gpus"]):
            self.assertEqual((gpu["gpu"], gpu["state"], gpu["nic"]), (number, "ok", f"mlx5_{number}"))
            self.assertEqual([link["active"] for link in gpu["nvlinks"]], [True] * 12)
            self.assertEqual(gpu["numa_node"], number // 4)
            self.assertEqual(gpu["ecc_uncorrected"], 0)
        kinds = {(one["from"], one["to"]): (one["kind"], one["nvlinks"]) for one in node["distances"]}
        self.assertEqual(kinds["gpu0", "mlx5_0"], ("PIX", 0))
        self.assertEqual(kinds["gpu0", "mlx5_4"], ("SYS", 0))
        self.assertEqual(kinds["gpu0", "gpu7"], ("SYS", 12))

    def test_dead_links_are_named(self):
        node = inventory("a100-1x8.toml", fault("gpu.5", "dead_nvlink count=2"))
        down = {gpu["gpu"]: [link["link"] for link in gpu["nvlinks"] if not link["active"]] for gpu in node["gpus"]}
        self.assertEqual(len(down.pop(5)), 2)
        self.assertEqual(set(map(tuple, down.values())), {()})

    def test_missing_card_narrow_slot_and_errors(self):
        node = inventory("a100-1x8.toml", fault("gpu.3", "missing_gpu"))
        self.assertEqual(len(node["gpus"]), 7)
        node = inventory("a100-1x8.toml", fault("gpu.3", "pcie_width width=8"))
        self.assertEqual([gpu["pcie_width"] for gpu in node["gpus"]], [16, 16, 16, 8, 16, 16, 16, 16])
        node = inventory("a100-1x8.toml", fault("gpu.2", "ecc count=7 uncorrected=true"))
        self.assertEqual([gpu["ecc_uncorrected"] for gpu in node["gpus"]], [0, 0, 7, 0, 0, 0, 0, 0])

    def test_dead_nic_is_down_and_still_the_nearest(self):
        node = inventory("a100-1x8.toml", fault("nic.1", "dead_nic"))
        states = {nic["rdma_device"]: nic["rdma_state"] for nic in node["nics"] if nic["rdma_device"]}
        self.assertEqual({name for name, state in states.items() if state != "ACTIVE"}, {"mlx5_1"})
        self.assertEqual(node["gpus"][1]["nic"], "mlx5_1")

    def test_no_nvlink_card_has_none(self):
        node = inventory("l40s-1x2.toml")
        self.assertEqual([gpu["nvlinks"] for gpu in node["gpus"]], [[], []])


class Placement(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "run.h5"

    def run_assay(self, ranks, *words, options=(), env=None, wrap=()):
        command = [*wrap, str(ASSAY), "run", "--machine-overlay", "{overlay}", "--filter", "mpi.ping_pong/bytes:8",
                   "--budget", "1s", "--epochs", "1", "--out", str(self.file), *words]
        return emulated("a100-1x8.toml", command, options=["-np", str(ranks), *options], env=env)

    def rows(self, table):
        with h5py.File(self.file, "r") as file:
            return file[table][:]

    def test_healthy_run_is_marked_and_has_no_findings(self):
        code, out, error = self.run_assay(8)
        self.assertEqual(code, 0, error)
        self.assertTrue(out.startswith("EMULATED"), out)
        self.assertNotIn("warning", out)
        with h5py.File(self.file, "r") as file:
            self.assertEqual(file["run"].attrs["emulated"], 1)
        self.assertEqual([(row["gpu"], row["nic"]) for row in self.rows("ranks")],
                         [(number, f"mlx5_{number}".encode()) for number in range(8)])
        self.assertEqual([row["rank"] for row in self.rows("gpus")], list(range(8)))

    def test_seven_of_eight_is_a_finding_not_an_error(self):
        code, out, error = self.run_assay(8, options=fault("gpu.3", "missing_gpu"))
        self.assertEqual(code, 0, error)
        self.assertIn(f"{HOST}: rank 7 measures on the host only", out)
        self.assertIn(b"rank 7 measures on the host only", b" ".join(row["text"] for row in self.rows("events")))
        self.assertEqual([row["gpu"] for row in self.rows("ranks")], [0, 1, 2, 3, 4, 5, 6, -1])

    def test_gpus_without_ranks_are_reported(self):
        _, out, _ = self.run_assay(2)
        self.assertIn("GPUs 2-7 are not measured: no rank works on them", out)

    def test_required_gpus(self):
        code, _, error = self.run_assay(9, "--gpu", "require")
        self.assertEqual(code, 4)
        self.assertIn("rank 8 has no GPU", error)
        code, _, error = self.run_assay(2, "--gpu", "require")
        self.assertEqual(code, 0, error)

    def test_gpus_off(self):
        code, out, error = self.run_assay(2, "--gpu", "off")
        self.assertEqual(code, 0, error)
        self.assertNotIn("GPU 0", out)
        self.assertEqual([row["gpu"] for row in self.rows("ranks")], [-1, -1])

    def test_two_ranks_on_one_gpu_are_refused_unless_asked(self):
        env = {"CUDA_VISIBLE_DEVICES": "3"}
        code, _, error = self.run_assay(2, env=env)
        self.assertEqual(code, 2)
        self.assertIn("ranks 0-1 were all given the one GPU", error)
        code, out, error = self.run_assay(2, "--share-gpus", env=env)
        self.assertEqual(code, 0, error)
        self.assertIn("ranks 0-1 share GPU 3", out)

    def test_one_visible_gpu_for_each_rank(self):
        wrap = ["bash", "-c", 'CUDA_VISIBLE_DEVICES=$((6 - OMPI_COMM_WORLD_RANK)) exec "$@"', "rank"]
        code, _, error = self.run_assay(2, wrap=wrap)
        self.assertEqual(code, 0, error)
        self.assertEqual([row["gpu"] for row in self.rows("ranks")], [6, 5])

    def test_driver_that_is_too_old_is_one_sentence(self):
        code, out, error = self.run_assay(8, options=["--set", "node.0.fault=driver_too_old"])
        self.assertEqual(code, 0, error)
        self.assertEqual(out.count("no GPU is measured"), 1, out)

    def flags(self, *options):
        """(flags of series by members) of memory bandwidth, each GPU alone and all at once."""
        command = [str(ASSAY), "run", "--machine-overlay", "{overlay}", "--filter", "gpu.memory/.*op:read", "--suite",
                   "quick", "--budget", "3s", "--epochs", "1", "--out", str(self.file), "--force"]
        code, out, error = emulated("h100-1x2.toml", command, options=options)
        self.assertEqual(code, 0, error)
        self.assertGreater(len(self.rows("series")), 0, out)
        return [int(row["flags"]) & (THROTTLED | CLOCK_CHANGED) for row in self.rows("series")]

    def test_throttling_marks_series_and_health_does_not(self):
        self.assertEqual(set(self.flags()), {0})
        self.assertEqual(set(self.flags(*fault("gpu.1", "power_cap watts=300"))), {0})
        self.assertIn(THROTTLED, self.flags(*fault("gpu.1", "thermal after_seconds=0")))

    def test_a_card_lost_in_mid_run_is_named(self):
        self.flags(*fault("gpu.1", "lost_gpu after=30"))
        texts = [row["text"].decode() for row in self.rows("events")]
        self.assertEqual([text for text in texts if "is lost" in text],
                         [f"{HOST}: GPU 1 is lost: the driver says that it does not answer any more"])

    def test_telemetry_stands_beside_the_series(self):
        self.run_assay(8)
        rows = self.rows("telemetry")
        series = self.rows("series")[0]
        for gpu in range(8):
            clocks = [row for row in rows if row["metric"] == b"gpu.sm_clock" and row["device"] == gpu]
            inside = [row for row in clocks if series["start_time"] - 0.1 <= row["time"] <= series["end_time"] + 0.1]
            self.assertGreaterEqual(len(inside), 2)
        self.assertEqual(sum(row["metric"] == b"telemetry.cpu" for row in rows), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
