#!/usr/bin/env bash
# Every shell script is free of what shellcheck warns about. scripts_test.sh ROOT
set -euo pipefail
cd "$1"
if ! command -v shellcheck >/dev/null; then
  echo "Skipped: shellcheck is not installed"
  exit 77
fi
# setup.sh is sourced and has no first line of its own
mapfile -t scripts < <(grep -rlIE '^#!.*\b(ba)?sh$' --exclude-dir=build --exclude-dir=.git . && echo scripts/setup.sh)
shellcheck -x "${scripts[@]}"
echo "${#scripts[@]} scripts"
((${#scripts[@]} >= 4))
