#!/usr/bin/env python3
"""Checks the form of every source that CONTRIBUTING.md asks for and that clang-format leaves alone: source_form.py ROOT"""

import pathlib
import re
import sys

MAXIMUM_FILE_LINES = 399
MAXIMUM_BODY_LINES = 39
SOURCES = ["*.[ch]pp", "*.cu", "*.cuh"]
FOLDERS = ["core", "inventory", "kernels", "collectives", "storage", "results", "analysis", "launcher", "tests", "bench"]

# A statement that opens a brace and is no function, in code laid out by clang-format.
NO_FUNCTION = re.compile(r"^(\} )?(namespace|class|struct|enum|union|if|else|for|while|do|switch|case|default|try|catch"
                         r"|return|extern)\b|[=,(]\s*\{$")
ENDS_PROCESS = re.compile(r"\b(std::_?(exit|Exit|quick_exit|abort|terminate)|(?<![\w.:>])_?[eE]xit)\(")
MAY_END_PROCESS = ["launcher/main.cpp", "launcher/watch/", "tests/"]
FORBIDDEN = [
    (re.compile(r"^\s*#\s*define\b"), "macros are not used"),
    (re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b"), "unfinished work is not committed"),
    (re.compile(r"\bnew [A-Z]\w*[({\[]|\bdelete [a-z_]+;"), "memory is owned by a type, never freed by hand"),
]


def bodies(lines):
    """(first line number, lines between the braces) of every function, by the indentation clang-format gives."""
    for index, line in enumerate(lines):
        if not line.endswith("{"):
            continue
        start = index
        while start > 0 and lines[start - 1].strip() and not re.search(r"[;{}:]$|^\s*//", lines[start - 1]):
            start -= 1
        statement = " ".join(part.strip() for part in lines[start:index + 1])
        if "(" not in statement or NO_FUNCTION.search(statement):
            continue
        close = lines[start][:len(lines[start]) - len(lines[start].lstrip(" "))] + "}"
        end = next((i for i in range(index + 1, len(lines)) if lines[i].startswith(close)), None)
        if end is not None:
            yield start + 1, end - index - 1


def file_faults(path, text, header_exists):
    """Faults of one file as (line number, reason)."""
    lines = text.splitlines()
    if len(lines) > MAXIMUM_FILE_LINES:
        yield len(lines), f"{len(lines)} lines; {MAXIMUM_FILE_LINES} are the most"
    if path.endswith((".hpp", ".cuh")) and not text.lstrip().startswith("#pragma once"):
        yield 1, "a header starts with #pragma once"
    if header_exists and not text.startswith(f'#include "{path[:-4]}.hpp"'):
        yield 1, f'the first line is #include "{path[:-4]}.hpp", so that the header is known to compile alone'
    if not path.startswith("tests/"):
        for number, length in bodies(lines):
            if length > MAXIMUM_BODY_LINES:
                yield number, f"a function of {length} lines; {MAXIMUM_BODY_LINES} are the most"
    may_end = any(path.startswith(place) for place in MAY_END_PROCESS)
    for number, line in enumerate(lines, 1):
        for pattern, reason in FORBIDDEN:
            if pattern.search(line):
                yield number, reason
        if not may_end and ENDS_PROCESS.search(line.split("//")[0]):
            yield number, "only main and the watchdog end the process"


def faults(root):
    """All faults in the tree at `root`, as "file:line: reason", and the number of files seen."""
    found, files = [], 0
    for folder in FOLDERS:
        for file in sorted(file for pattern in SOURCES for file in (root / folder).rglob(pattern)):
            files += 1
            path = file.relative_to(root).as_posix()
            header_exists = file.suffix == ".cpp" and file.with_suffix(".hpp").exists()
            for number, reason in file_faults(path, file.read_text(encoding="utf-8"), header_exists):
                found.append(f"{path}:{number}: {reason}")
    return found, files


def main():
    found, files = faults(pathlib.Path(sys.argv[1]))
    print("\n".join(found))
    print(f"{files} files, {len(found)} faults")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
