#!/bin/bash
# What step.yml promises. Inputs come as variables and are never shell code.
# shellcheck disable=SC2154
set -euo pipefail

if [ -n "${version:-}" ]; then
  # install.sh lies beside the step, or where the examples put it.
  for place in "$(dirname "${BASH_SOURCE[0]}")" pipelines; do
    [ -f "$place/install.sh" ] || continue
    SNAPFARM_VERSION=$version SNAPFARM_URL=$archive_url SNAPFARM_SHA256=$archive_sha256 \
      sh "$place/install.sh"
    break
  done
  PATH=$PWD/.snapfarm-program/bin:$PATH
fi

words=("$pipeline_file" --mode "$mode" --output "$output_dir")
while IFS= read -r line; do
  [ -z "$line" ] || words+=(--select "$line")
done <<< "${select:-}"
if [ -n "${history_file:-}" ]; then
  mkdir -p "$(dirname "$history_file")"
  touch "$history_file"
  words+=(--history "$history_file")
fi

code=0
snapfarm run "${words[@]}" || code=$?

envman add --key SNAPFARM_OUTPUT_DIR --value "$PWD/$output_dir"
envman add --key SNAPFARM_EXIT_CODE --value "$code"
# A merge reads what is in the zip from the files beside it.
if [ "$is_part" = yes ]; then rm -f "$output_dir/FailureDiffs.zip"; fi
if [ -f "$output_dir/FailureDiffs.zip" ]; then
  envman add --key SNAPFARM_DIFF_ZIP_PATH --value "$PWD/$output_dir/FailureDiffs.zip"
fi
# 1 (differences, failed tests) is a result like any other where a merge follows.
if [ "$is_part" = yes ] && [ "$code" -eq 1 ]; then code=0; fi
exit "$code"
