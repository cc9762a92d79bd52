#!/usr/bin/env python3
"""The checks of this folder notice what they are there to notice."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import include_rules  # noqa: E402
import source_form  # noqa: E402


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def plant(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def assert_breach(self, path, text, words):
        self.plant(path, text)
        found = include_rules.breaches(self.root)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])
        self.assertTrue(found[0].startswith(path), found[0])

    def assert_fault(self, path, text, words):
        self.plant(path, text)
        found, _ = source_form.faults(self.root)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_what_is_allowed_passes(self):
        self.plant("core/a.cpp", '#include "core/a.hpp"\n\n#include <fmt/format.h>\n\n#include <vector>\n')
        self.plant("analysis/b.cpp", '#include <toml++/toml.h>\n#include "results/record.hpp"\n')
        self.assertEqual(include_rules.breaches(self.root), [])

    def test_core_includes_nothing_above_it(self):
        self.assert_breach("core/a.cpp", '#include "results/record.hpp"\n', 'core/ may not include')

    def test_judging_never_measures(self):
        self.assert_breach("analysis/a.cpp", '#include "kernels/host/blas.hpp"\n', 'analysis/ may not include')

    def test_measuring_never_knows_the_offer(self):
        self.assert_breach("collectives/mpi/a.cpp", '#include "analysis/offer.hpp"\n', 'may not include')

    def test_a_foreign_api_stays_in_its_folder(self):
        self.assert_breach("launcher/a.cpp", "#include <hdf5.h>\n", "HDF5")

    def test_an_unknown_foreign_header_needs_a_row(self):
        self.assert_breach("launcher/a.cpp", "#include <boost/any.hpp>\n", "in no row")

    def test_paths_start_at_the_root(self):
        self.assert_breach("core/a.cpp", '#include "a.hpp"\n', "not written as folder/file.hpp")

    def test_long_file(self):
        self.assert_fault("core/a.cpp", "\n" * 400, "400 lines")

    def test_long_function(self):
        body = "  step();\n" * 40
        self.assert_fault("core/a.cpp", "A::A(int x)\n    : x_(x) {\n" + body + "}\n", "a function of 40 lines")

    def test_function_of_allowed_length(self):
        body = "  if (x) {\n    step();\n  }\n" * 13
        self.plant("core/a.cpp", "void f(int x) {\n" + body + "}\n\nstruct B {\n" + "  int x;\n" * 50 + "};\n")
        self.assertEqual(source_form.faults(self.root), ([], 1))

    def test_own_header_first(self):
        self.plant("core/a.hpp", "#pragma once\n")
        self.assert_fault("core/a.cpp", '#include <vector>\n#include "core/a.hpp"\n', "the first line")

    def test_pragma_once(self):
        self.assert_fault("core/a.hpp", "struct A {};\n", "pragma once")

    def test_macro(self):
        self.assert_fault("core/a.hpp", "#pragma once\n#define A 1\n", "macros")

    def test_exit_below_main(self):
        self.assert_fault("core/a.cpp", "void f() { std::exit(1); }\n", "only main")

    def test_raw_ownership(self):
        self.assert_fault("core/a.cpp", "auto* a = new Thing();\n", "memory is owned")


if __name__ == "__main__":
    unittest.main()
