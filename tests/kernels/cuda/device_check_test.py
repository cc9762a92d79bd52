#!/usr/bin/env python3
"""The device check says when it has nothing to check, and its table when something failed: device_check_test.py ROOT"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()


def table(series, name="NVIDIA H100 80GB HBM3", emulated=False):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"emulated": emulated, "series": series}, file)
        file.flush()
        done = subprocess.run([sys.executable, ROOT / "tests/device_table.py", ROOT / "analysis/catalogue/gpus.toml", name,
                               file.name], text=True, capture_output=True, check=False)
    return done.returncode, done.stdout


def gemm(value, status="ok"):
    return {"name": "gpu.gemm/n:8192/dtype:bf16/gpus:node", "status": status, "problem": "an illegal address",
            "dimension": "flops_per_second", "value": value}


class Table(unittest.TestCase):
    def test_healthy(self):
        code, out = table([gemm(780e12)])
        self.assertEqual(code, 0, out)
        self.assertIn("as a healthy card", out)

    def test_slow(self):
        self.assertIn("below", table([gemm(500e12)])[1])

    def test_failed_series_and_none_at_all_are_no_success(self):
        code, out = table([gemm(None, "failed")])
        self.assertEqual(code, 1)
        self.assertIn("FAILED: an illegal address", out)
        self.assertEqual(table([])[0], 1)

    def test_unknown_card_and_emulation_are_said(self):
        self.assertIn("not in the catalogue", table([gemm(1e12)], name="NVIDIA H100 of another kind")[1])
        self.assertTrue(table([gemm(1e12)], emulated=True)[1].startswith("EMULATED"))


class Check(unittest.TestCase):
    def test_without_a_gpu_it_is_no_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            tool = pathlib.Path(folder) / "nvidia-smi"
            tool.write_text("#!/bin/sh\nexit 9\n", encoding="utf-8")
            tool.chmod(0o755)
            env = {**os.environ, "PATH": folder + ":" + os.environ["PATH"]}
            done = subprocess.run([ROOT / "tests/device_check.sh"], text=True, capture_output=True, check=False, env=env)
        self.assertEqual(done.returncode, 4)
        self.assertIn("nothing was checked", done.stdout)


if __name__ == "__main__":
    unittest.main()
