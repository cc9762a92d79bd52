#!/usr/bin/env python3
"""Faults of a running job, end to end: kills, stopped ranks, signals, a full disk, ranks that disagree.

    faults.py ASSAY [--kills N] [--seed S] [-k PATTERN]

The short form (5 kills) is part of the tests; the full trial is `faults.py build/release/bin/assay --kills 50`.
Exits with 77 when h5py is missing.
"""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import h5py
except ImportError:
    print("skipped: h5py is missing (package python3-h5py)")
    sys.exit(77)

SERIES_LINE = re.compile(r"^(\d+)/(\d+)  epoch ")
options = None


def environment():
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
    busy = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
            "OMPI_MCA_mpi_yield_when_idle": "1"}
    return {**os.environ, **root, **busy}


def descendants(pid):
    """Processes below `pid`, by /proc."""
    parent_of = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                    parent_of[int(name)] = int(stat.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                pass
    found, level = [], [pid]
    while level:
        level = [child for child, parent in parent_of.items() if parent in level]
        found += level
    return found


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


class Job:
    """mpirun with ranks of assay; its lines are read as they come."""

    def __init__(self, folder, ranks=4, arguments=(), budget="30s"):
        self.result = os.path.join(folder, "run.h5")
        self.lines = []
        command = ["mpirun", "-np", str(ranks), options.assay, "run", "--out", self.result, "--force",
                   "--budget", budget, *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        env=environment(), start_new_session=True)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.pending = ""

    def read(self):
        try:
            self.pending += self.process.stdout.read() or ""
        except (OSError, TypeError):
            return
        *lines, self.pending = self.pending.split("\n")
        self.lines += lines

    def reported(self):
        """Series that were said to be done."""
        self.read()
        numbers = [int(match.group(1)) for match in map(SERIES_LINE.match, self.lines) if match]
        return max(numbers, default=0)

    def wait_for_series(self, count, timeout=60):
        end = time.monotonic() + timeout
        while self.reported() < count:
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError("no series came:\n" + "\n".join(self.lines))
            time.sleep(0.02)

    def ranks(self):
        """Pids of the ranks, in rank order."""
        pids = {}
        for pid in descendants(self.process.pid):
            try:
                with open(f"/proc/{pid}/environ", "rb") as environ:
                    match = re.search(rb"OMPI_COMM_WORLD_RANK=(\d+)", environ.read())
                with open(f"/proc/{pid}/comm", encoding="utf-8") as comm:
                    if match and comm.read().strip() == "assay":
                        pids[int(match.group(1))] = pid
            except OSError:
                pass
        return [pids[rank] for rank in sorted(pids)]

    def wait(self, timeout):
        """Seconds until mpirun and everything below it is gone."""
        start = time.monotonic()
        below = descendants(self.process.pid)
        while time.monotonic() - start < timeout:
            self.read()
            if self.process.poll() is not None and not any(map(alive, below)):
                self.read()
                return time.monotonic() - start
            time.sleep(0.02)
        self.end()
        raise AssertionError(f"still there after {timeout} s:\n" + "\n".join(self.lines))

    def end(self):
        for pid in [*descendants(self.process.pid), self.process.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()

    def text(self):
        return "\n".join(self.lines)


class FaultTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-faults-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def job(self, **keywords):
        job = Job(self.folder, **keywords)
        self.addCleanup(job.process.stdout.close)
        self.addCleanup(lambda: job.end() if job.process.poll() is None else None)
        return job

    def recorded(self, job):
        """Distinct series of the plan in the file, which has to open and be whole."""
        with h5py.File(job.result, "r") as file:
            rows = file["series"][:]
            samples = file["samples"].shape[0]
            self.assertTrue(all(row["offset"] + row["count"] <= samples for row in rows))
            self.status = file["run"].attrs["status"].decode()
            self.reason = file["run"].attrs["status_reason"].decode()
            return len({float(row["start_time"]) for row in rows})

    def test_kill_at_random_moments_keeps_what_was_reported(self):
        chance = random.Random(options.seed)
        for number in range(options.kills):
            victim = chance.choice(["rank", "rank 0", "mpirun"])
            with self.subTest(kill=number, victim=victim):
                job = self.job(arguments=["--filter", "mpi|latency", "--path", self.folder])
                job.wait_for_series(1)
                time.sleep(chance.uniform(0, 3))
                ranks = job.ranks()
                pid = {"rank": ranks[chance.randrange(1, 4)], "rank 0": ranks[0], "mpirun": job.process.pid}[victim]
                os.kill(pid, signal.SIGKILL)
                job.wait(15)
                self.assertGreaterEqual(self.recorded(job), job.reported(), job.text())

    def test_stopped_rank_is_named(self):
        for rank in (0, 2):
            with self.subTest(rank=rank):
                job = self.job(arguments=["--filter", "mpi.all_reduce", "--deadline", "4s"])
                job.wait_for_series(2)
                os.kill(job.ranks()[rank], signal.SIGSTOP)
                self.assertLess(job.wait(20), 4 + 5 + 1, job.text())
                # mpirun reports the first code it sees: ours, or its own for ranks that it had to kill.
                self.assertNotEqual(job.process.returncode, 0)
                named = f"rank {rank} on" if rank > 0 else "rank 0 has been silent"
                self.assertIn(named, job.text())
                self.assertIn("mpi.all_reduce", job.text())
                self.assertGreaterEqual(self.recorded(job), job.reported())
                if rank > 0:
                    self.assertEqual(self.status, "stopped")
                    self.assertIn(named, self.reason)

    def test_signals_end_with_code_3_and_a_closed_file(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                job = self.job(arguments=["--path", self.folder])
                job.wait_for_series(3)
                for pid in job.ranks():
                    os.kill(pid, number)
                job.wait(15)
                self.assertEqual(job.process.returncode, 3, job.text())
                self.assertGreaterEqual(self.recorded(job), job.reported())
                self.assertEqual(self.status, "stopped")
                self.assertEqual(sorted(os.listdir(self.folder)), ["run.h5"])

    def test_mpirun_that_gets_a_signal_leaves_a_closed_file(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                job = self.job(arguments=["--filter", "mpi"])
                job.wait_for_series(3)
                job.process.send_signal(number)
                job.wait(15)
                self.assertGreaterEqual(self.recorded(job), job.reported())
                self.assertEqual(self.status, "stopped", job.text())

    def test_ranks_with_other_options_are_refused(self):
        command = ["mpirun", "-np", "1", options.assay, "run", "--seed", "1", "--out", f"{self.folder}/a.h5", ":",
                   "-np", "2", options.assay, "run", "--seed", "2", "--out", f"{self.folder}/a.h5"]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("ranks 1-2 were started with other options", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_lone_rank_ends_with_3_on_a_signal(self):
        process = subprocess.Popen([options.assay, "run", "--out", f"{self.folder}/run.h5", "--filter", "latency"],
                                   stdout=subprocess.PIPE, text=True, env=environment())
        for line in process.stdout:
            if SERIES_LINE.match(line):
                break
        process.send_signal(signal.SIGTERM)
        process.stdout.read()
        process.stdout.close()
        self.assertEqual(process.wait(20), 3)


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assay")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-k", dest="pattern", default=None)
    options = parser.parse_args()
    options.assay = os.path.abspath(options.assay)
    loader = unittest.TestLoader()
    if options.pattern:
        loader.testNamePatterns = [f"*{options.pattern}*"]
    suite = loader.loadTestsFromTestCase(FaultTest)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)


if __name__ == "__main__":
    main()
