#!/usr/bin/env bash
# Every C++ source is laid out as .clang-format says. format_test.sh ROOT
set -euo pipefail
wanted=14
cd "$1"
if ! command -v clang-format >/dev/null; then
  echo "Skipped: clang-format is not installed"
  exit 77
fi
version=$(clang-format --version | grep -oE '[0-9]+' | head -1)
if [[ $version != "$wanted" ]]; then
  echo "Skipped: clang-format $version lays out differently from version $wanted"
  exit 77
fi
mapfile -d '' files < <(find core inventory kernels collectives storage results analysis launcher tests bench \
  \( -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' \) -print0)
failed=0
for file in "${files[@]}"; do
  clang-format --dry-run --Werror "$file" 2>/dev/null || { echo "$file: run clang-format -i"; failed=$((failed + 1)); }
done
echo "${#files[@]} files, $failed to format"
((${#files[@]} > 0 && failed == 0))
