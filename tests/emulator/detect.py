#!/usr/bin/env python3
"""Plants faults in emulated clusters, measures them with the unmodified program and checks what the judge makes of it.

    tests/emulator/detect.py BUILD                 the short form: a few trials
    tests/emulator/detect.py BUILD --full          every fault, and 20 healthy seeds
    tests/emulator/detect.py BUILD --only thermal  trials whose name matches

A trial passes when every clause that the fault touches failed, the culprit is named, and no other clause failed."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from trials import TRIALS, Trial

HERE = pathlib.Path(__file__).resolve().parent
GPU_CASES = "^(gpu|nccl)[.]"


class Bench:
    """Runs the program under the emulator and judges what it wrote."""

    def __init__(self, build, folder, budget):
        self.assay = build / "bin" / "assay"
        self.build = build
        self.folder = folder
        self.budget = budget

    def measure(self, trial, seed):
        """Exit code, output and result file of one run."""
        out = self.folder / f"{trial.name}-{seed}.h5"
        command = [HERE / "run", HERE / "clusters" / f"{trial.cluster}.toml", "--build", self.build, "--seed", str(seed)]
        for fault in trial.faults:
            command += ["--fault", fault]
        command += ["--", self.assay, "run", "--machine-overlay", "{overlay}", "--filter", trial.filter or GPU_CASES,
                    "--budget", self.budget, "--out", out, "--force", "--quiet", *trial.options]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, check=False)
        return done.returncode, done.stdout + done.stderr, out

    def judge(self, trial, out):
        """The judgement as the program's own JSON, or what went wrong."""
        offer = HERE / "offers" / f"{trial.offer or trial.cluster}.toml"
        command = [self.assay, "judge", out, "--offer", offer, "--json"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, check=False)
        try:
            return json.loads(done.stdout), ""
        except json.JSONDecodeError:
            return None, done.stdout + done.stderr


def words_of(verdict):
    """Everything that a verdict says, for people."""
    return " ".join([verdict["reason"], verdict["member"], verdict["cause"], verdict["question"], *verdict["notes"]])


def faults_of(judgement):
    """Clauses that failed."""
    return {v["clause"]["key"] for v in judgement["verdicts"] if v["outcome"] == "FAIL"}


def complaints(trial, judgement, output):
    """What is not as the trial expects; empty when all is."""
    found = []
    failed = faults_of(judgement)
    if not judgement["emulated"]:
        found.append("the judgement is not marked as emulated")
    for key in trial.fails:
        if not any(re.fullmatch(key, name) for name in failed):
            found.append(f"{key} did not fail")
    for name in sorted(failed):
        if not any(re.fullmatch(key, name) for key in [*trial.fails, *trial.may_fail]):
            found.append(f"{name} failed, which this does not touch")
    if trial.overall and judgement["overall"] not in trial.overall:
        found.append(f"overall {judgement['overall']}, not {' or '.join(trial.overall)}")
    bad = " ".join(words_of(v) for v in judgement["verdicts"] if v["outcome"] not in ("PASS",)) + " " + output
    for pattern in trial.names:
        if not re.search(pattern, bad):
            found.append(f"nobody says '{pattern}'")
    return found


def run_trial(bench, trial, seed):
    """True when the trial went as expected; prints one line, and more when it did not."""
    begin = time.monotonic()
    code, output, out = bench.measure(trial, seed)
    found = []
    if code not in trial.codes:
        found.append(f"the run ended with {code}")
    judgement, problem = (bench.judge(trial, out) if out.exists() else (None, "no result file"))
    if judgement is None:
        found.append(f"no judgement: {problem[-400:]}")
    else:
        found += complaints(trial, judgement, output)
    seconds = time.monotonic() - begin
    failed = ", ".join(sorted(faults_of(judgement))) if judgement else "-"
    print(f"{'ok  ' if not found else 'RED '} {trial.name:<18} seed {seed:<3} {seconds:5.0f} s  failed: {failed or 'none'}", flush=True)
    for line in found:
        print(f"       {line}")
    if found:
        print("       " + "\n       ".join(output.strip().splitlines()[-12:]))
    return not found


def chosen(arguments):
    """Trials with the seeds to run them with."""
    for trial in TRIALS:
        if arguments.only and not re.search(arguments.only, trial.name):
            continue
        if not (arguments.full or arguments.only or trial.short):
            continue
        seeds = range(1, (trial.seeds if arguments.full else 1) + 1)
        for seed in seeds:
            yield trial, seed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder: build/release")
    parser.add_argument("--full", action="store_true", help="every fault and all seeds")
    parser.add_argument("--only", help="regular expression over the names of the trials")
    parser.add_argument("--budget", default="12s", help="time to measure in each run [12s]")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the result files, kept")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print("skipped: several hosts in one machine need root")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(arguments.build.resolve(), folder.resolve(), arguments.budget)
        results = [run_trial(bench, trial, seed) for trial, seed in chosen(arguments)]
    print(f"{sum(results)} of {len(results)} trials as expected")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
