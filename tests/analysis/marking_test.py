#!/usr/bin/env python3
"""Whatever judge, locate and show print about an emulated run says so in its first line: marking_test.py ASSAY MPIEXEC

Makes a small run, marks a copy of it as emulated, and asks for every output of them. An option or a command that this
test does not know fails it, so that a new output cannot come in unmarked. Exits with 77 when h5py is missing.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import h5py
except ImportError:
    print("skipped: h5py is missing (package python3-h5py)")
    sys.exit(77)

ASSAY, MPIEXEC = sys.argv[1:3]
WORD = "EMULATED"
# Every option of the commands that print what a result file holds. Values: arguments that stand for it in a call;
# None: it changes where the input comes from, not the output.
OPTIONS = {
    "judge": {"--offer": None, "--catalogue": None, "--partial": ["--partial"], "--json": ["--json"]},
    "locate": {"--json": ["--json"]},
    "show": {"--status": ["--status"], "--pairs": ["--pairs"], "--samples": ["--samples", "0"], "--json": ["--json"]},
}
NOT_ABOUT_A_FILE = {"run", "list", "inventory", "offer", "launch"}


def output(*arguments):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, check=False)


def listed(text, heading):
    """First words of the entries below a heading of a help text."""
    section = re.search(rf"^{heading}:\n((?:  .*\n)+)", text, re.M).group(1)
    return re.findall(r"^  (\S+)", section, re.M)


class Marking(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="assay_marking_")
        folder = pathlib.Path(cls.folder.name)
        cls.plain, cls.emulated, cls.offer = folder / "plain.h5", folder / "emulated.h5", folder / "offer.toml"
        run = [MPIEXEC, "-n", "2", ASSAY, "run", "--filter", "mpi.pairs/bytes:8", "--budget", "5s", "--out", cls.plain]
        subprocess.run(run, check=True, capture_output=True, timeout=120)
        shutil.copy(cls.plain, cls.emulated)
        with h5py.File(cls.emulated, "r+") as file:
            file["run"].attrs.modify("emulated", 1)
        cls.offer.write_text('[cluster]\nnodes = 1\n[network]\npair_latency = { value = "1 s", to = "8 B" }\n')

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def calls(self, path):
        for command, options in OPTIONS.items():
            base = [command, path, *(["--offer", self.offer] if command == "judge" else [])]
            for extra in [[], *(value for value in options.values() if value)]:
                yield [*map(str, base), *extra]
        yield ["judge", str(path), "--offer", str(self.offer), "--partial", "--json"]

    def test_every_output_of_an_emulated_run_is_marked_in_its_first_line(self):
        for call in self.calls(self.emulated):
            done = output(*call)
            self.assertTrue(done.stdout, f"{call} prints nothing: {done.stderr}")
            self.assertIn(WORD, done.stdout.splitlines()[0], f"unmarked: {call}")

    def test_no_output_of_a_measured_run_is(self):
        for call in self.calls(self.plain):
            self.assertNotIn(WORD, output(*call).stdout, call)

    def test_json_stays_json(self):
        for call in self.calls(self.emulated):
            if "--json" in call:
                self.assertIs(json.loads(output(*call).stdout)["emulated"], True)

    def test_no_option_and_no_command_is_unknown_here(self):
        for command, options in OPTIONS.items():
            found = {word.split(",")[-1] for word in listed(output(command, "--help").stdout, "Options")} - {"--help"}
            self.assertEqual(found, set(options), f"{command} has options that are not tried here")
        commands = set(listed(output("--help").stdout, "Subcommands"))
        self.assertEqual(commands - NOT_ABOUT_A_FILE, set(OPTIONS), "a command whose output is not tried here")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
