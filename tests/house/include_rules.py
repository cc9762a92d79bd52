#!/usr/bin/env python3
"""Holds every #include of the program against the two tables below: include_rules.py ROOT"""

import pathlib
import re
import sys

# folder -> folders whose headers it may include, besides its own
FOLDERS = {
    "core": [],
    "inventory": ["core"],
    "kernels": ["core", "inventory"],
    "collectives": ["core", "inventory", "kernels"],
    "storage": ["core", "inventory", "kernels"],
    "results": ["core"],
    "analysis": ["core", "results"],
    "launcher": ["core", "inventory", "kernels", "collectives", "storage", "results", "analysis"],
}

# foreign API -> the headers that give access to it, the folders that may use it ("dir/" or "dir/file")
APIS = {
    "fmt": (r"fmt/.*", [f"{folder}/" for folder in FOLDERS]),
    "POSIX and Linux": (
        r"(sys|arpa|net|netinet|linux|gnu)/.*|(unistd|fcntl|sched|pthread|netdb|poll|signal|spawn|dirent|limits|dlfcn|link|time|strings"
        r"|mntent|ifaddrs|termios|glob|errno|x86intrin|immintrin|cpuid)\.h",
        ["core/buffer.cpp", "inventory/", "kernels/", "collectives/nccl/debug_stream.cpp",
         "collectives/mpi/mpi_session.cpp", "storage/", "results/new_file.cpp", "results/hdf5.cpp", "launcher/"],
    ),
    "hwloc": (r"hwloc(/.*)?\.h", ["inventory/"]),
    "libibverbs": (r"infiniband/.*", ["inventory/", "collectives/"]),
    "CUDA": (r"(cuda|cublas|cufile|library_types).*\.h", ["kernels/cuda/", "collectives/nccl/", "storage/"]),
    "MPI": (r"mpi\.h", ["collectives/", "storage/"]),
    "NCCL": (r"nccl\.h", ["collectives/nccl/"]),
    "UCX": (r"(ucp|uct|ucs)/.*", ["collectives/"]),
    "io_uring": (r"liburing\.h", ["storage/"]),
    "HDF5": (r"hdf5.*\.h|H5.*\.h", ["results/"]),
    "toml++": (r"toml\+\+/.*|toml\.hpp", ["analysis/"]),
    "nlohmann-json": (r"nlohmann/.*", ["analysis/", "launcher/"]),
    "CLI11": (r"CLI/.*", ["launcher/"]),
    "Google Benchmark": (r"benchmark/.*", ["launcher/"]),
}

SOURCES = ["*.[chi]pp", "*.cu", "*.cuh"]
STANDARD = r"[a-z_]+"  # <vector>: the standard's headers are the only ones without a suffix
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def folder_breach(path, included):
    """Why the project file `path` may not include the project header `included`; empty when it may."""
    folder, other = path.split("/")[0], included.split("/")[0]
    if "/" not in included or other not in FOLDERS:
        return f'"{included}" is not written as folder/file.hpp from the root of the tree'
    if other != folder and other not in FOLDERS[folder]:
        return f'{folder}/ may not include "{included}"'
    return ""


def api_breach(path, included):
    """Why the project file `path` may not include the foreign header `included`; empty when it may."""
    if re.fullmatch(STANDARD, included):
        return ""
    for api, (pattern, allowed) in APIS.items():
        if re.fullmatch(pattern, included):
            fits = any(path.startswith(place) for place in allowed)
            return "" if fits else f"<{included}> ({api}) is allowed in {', '.join(allowed)} only"
    return f"<{included}> is in no row of the table of tests/house/include_rules.py"


def breaches(root):
    """All breaches in the tree at `root`, as "file:line: reason"."""
    found = []
    for folder in FOLDERS:
        for file in sorted(file for pattern in SOURCES for file in (root / folder).rglob(pattern)):
            path = file.relative_to(root).as_posix()
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if match:
                    check = folder_breach if match[1] == '"' else api_breach
                    reason = check(path, match[2])
                    if reason:
                        found.append(f"{path}:{number}: {reason}")
    return found


def main():
    root = pathlib.Path(sys.argv[1])
    files = [file for folder in FOLDERS for file in (root / folder).rglob("*.[ch]pp")]
    found = breaches(root)
    print("\n".join(found))
    print(f"{len(files)} files, {len(found)} breaches")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
