#!/usr/bin/env python3
"""Lists the tests that a ctest run skipped, and why: skipped_tests.py JUNIT_FILE"""

import re
import sys
import xml.etree.ElementTree as ElementTree


def reason(case):
    """The line that follows GoogleTest's "file:line: Skipped", or the last line of another program's output."""
    text = (case.findtext("system-out") or "").strip()
    skipped = re.search(r"^\S+:\d+: Skipped\s*\n(.+)$", text, re.MULTILINE)
    if skipped:
        return skipped.group(1).strip()
    return text.splitlines()[-1].strip() if text else "no reason given"


def main():
    cases = [case for case in ElementTree.parse(sys.argv[1]).iter("testcase") if case.find("skipped") is not None]
    print(f"Skipped tests: {len(cases)}")
    for case in cases:
        print(f"  {case.get('name')}: {reason(case)}")


if __name__ == "__main__":
    main()
