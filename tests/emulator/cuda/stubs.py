#!/usr/bin/env python3
"""Writes a stub for every function of a real library that the emulation lacks: each prints its name and returns an error.

stubs.py NM REAL_LIBRARY CODE OUTPUT OBJECT...: CODE is what the stubs return, OBJECT... the emulation's own objects.
"""

import pathlib
import subprocess
import sys


def defined(nm, arguments, functions_only):
    """Names that files define; of functions alone, or of everything."""
    out = subprocess.run([nm, "--defined-only", "--format=posix", *arguments], check=True, capture_output=True, text=True)
    names = set()
    for line in out.stdout.splitlines():
        parts = line.split()
        if len(parts) >= 2 and (parts[1] in "TW" or not functions_only):
            names.add(parts[0].split("@")[0])
    return names


def main():
    nm, real, code, output, *objects = sys.argv[1:]
    wanted = defined(nm, ["--dynamic", real], functions_only=True)
    missing = sorted(wanted - defined(nm, objects, functions_only=False))
    lines = ["// Generated from the real library: what the emulation does not have fails, and says its name.",
             "#include <cstdio>", "",
             "static int unemulated(const char* name) {",
             '  std::fprintf(stderr, "emulated CUDA: %s is not emulated\\n", name);',
             f"  return {code};", "}", "", 'extern "C" {']
    lines += [f'__attribute__((visibility("default"))) int {name}() {{ return unemulated("{name}"); }}' for name in missing]
    lines += ["}", ""]
    pathlib.Path(output).write_text("\n".join(lines), encoding="utf-8")
    print(f"{len(wanted)} functions in {pathlib.Path(real).name}, {len(missing)} of them stubs")


if __name__ == "__main__":
    main()
