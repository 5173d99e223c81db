#!/bin/bash
# The commands of pipeline.yml and shards.yml, so that Buildkite's filling in of variables does not
# touch them: step.sh history | share | part | merge | decide.
set -euo pipefail

sh pipelines/install.sh
PATH=$PWD/.snapfarm-program/bin:$PATH
mkdir -p farm parts
# What earlier runs found: how long tests take, and which commits they prove green. It is in a folder
# that the agents share, where there is one.
if [ -n "${SNAPFARM_HISTORY_CACHE:-}" ] && [ -f "$SNAPFARM_HISTORY_CACHE" ]; then
  cp "$SNAPFARM_HISTORY_CACHE" farm/history.json
fi
touch farm/history.json

# 1 (differences, failed tests) is a result like any other: the merge says it. Everything else (2
# incomplete, 75 infrastructure) fails the job, and "Retry" runs it again.
keep() {
  code=0
  "$@" || code=$?
  [ "$code" -le 1 ] || exit "$code"
  # What is in it lies beside it as files, which are what the merge reads.
  rm -f parts/*/FailureDiffs.zip
  buildkite-agent artifact upload "parts/**/*"
}

case $1 in
  history)
    # All machines must cut by one file.
    buildkite-agent artifact upload farm/history.json
    ;;
  share)
    buildkite-agent artifact download farm/history.json .
    keep snapfarm run pipelines/app.yaml --history farm/history.json \
      --output "parts/$BUILDKITE_PARALLEL_JOB"
    ;;
  part)
    keep snapfarm run pipelines/app.yaml --select "$PART" --history farm/history.json \
      --output "parts/$BUILDKITE_JOB_ID"
    ;;
  merge)
    buildkite-agent artifact download "parts/**/*" .
    code=0
    # The exit code of the run: 0 as expected, 1 differences, 2 a device is missing.
    snapfarm merge parts/* --output out --history farm/history.json || code=$?
    if [ -d out ]; then
      # The pictures that the annotation shows, and out/FailureDiffs.zip: Buildkite hands out single
      # files, so people take that one, with its page and for `snapfarm review --from`.
      buildkite-agent artifact upload "out/**/*"
      style=success
      [ "$code" -eq 0 ] || style=error
      # Buildkite takes 1 MiB, and shows pictures among the build's artifacts.
      sed 's|<img src="|<img src="artifact://out/|g' out/report.md | head -c 1000000 |
        buildkite-agent annotate --context snapfarm --style "$style"
    fi
    if [ -n "${SNAPFARM_HISTORY_CACHE:-}" ]; then cp farm/history.json "$SNAPFARM_HISTORY_CACHE"; fi
    exit "$code"
    ;;
  decide)
    buildkite-agent artifact download "out/**/*" .
    COMMENT=$(buildkite-agent meta-data get comment)
    export COMMENT FROM=out BRANCH="$BUILDKITE_BRANCH" SNAPFARM_REVIEWER="$BUILDKITE_UNBLOCKER"
    code=0
    sh pipelines/approve.sh || code=$?
    if [ -s answer.md ]; then
      buildkite-agent annotate --context snapfarm-decisions --style info < answer.md
    fi
    exit "$code"
    ;;
esac
