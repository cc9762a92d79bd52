#!/usr/bin/env bash
# Every shell script is free of what shellcheck warns about. scripts_test.sh ROOT
set -euo pipefail
cd "$1"
if ! command -v shellcheck >/dev/null; then
  echo "Skipped: shellcheck is not installed"
  exit 77
fi
mapfile -t scripts < <(grep -rlIE '^(#!/usr/bin/env bash|# shellcheck shell=bash)$' .ci scripts tests bench slurm 2>/dev/null)
shellcheck -x quickstart run-tests "${scripts[@]}"
echo "$((${#scripts[@]} + 2)) scripts"
