#!/usr/bin/env python3
"""Lists the GPU architectures in a library that nvcc made: fat_binary.py LIBRARY [sm_90 compute_90 ...]

With architectures named, fails unless each of the library's fat binaries holds exactly those. A fat binary is a header
(magic number, version, header size, body size) and entries, each with a header of its own: kind (1 PTX, 2 machine code),
header size, body size and the architecture as a number."""

import struct
import sys

MAGIC = 0xBA55ED50
HEADER = struct.Struct("<IHHQ")
ENTRY = struct.Struct("<HHIQ")
ARCHITECTURE_AT = 28  # in an entry's header
KINDS = {1: "compute_", 2: "sm_"}


def entries(data, at, end):
    """Names of the entries of one fat binary whose body is data[at:end]."""
    while at + ENTRY.size <= end:
        kind, _, header_size, body_size = ENTRY.unpack_from(data, at)
        if kind not in KINDS or header_size < ARCHITECTURE_AT + 4:
            raise ValueError(f"an entry at byte {at} is of no known kind ({kind})")
        (number,) = struct.unpack_from("<I", data, at + ARCHITECTURE_AT)
        yield KINDS[kind] + str(number)
        at += header_size + body_size


def fat_binaries(data):
    """The architectures of every fat binary in a file, as sets."""
    at = data.find(struct.pack("<I", MAGIC))
    while at >= 0:
        _, _, header_size, body_size = HEADER.unpack_from(data, at)
        if 16 <= header_size <= 64 and at + header_size + body_size <= len(data) and body_size > 0:
            yield set(entries(data, at + header_size, at + header_size + body_size))
        at = data.find(struct.pack("<I", MAGIC), at + 4)


def main():
    with open(sys.argv[1], "rb") as file:
        found = list(fat_binaries(file.read()))
    wanted = set(sys.argv[2:])
    print(f"{len(found)} fat binaries: {' '.join(sorted(set().union(*found)))}")
    wrong = [one for one in found if wanted and one != wanted]
    for one in wrong:
        print(f"one holds {' '.join(sorted(one))} instead of {' '.join(sorted(wanted))}")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main())
