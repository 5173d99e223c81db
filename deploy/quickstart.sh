#!/bin/sh
# The farm without a browser: record, verify, in seconds.
set -eu
snapfarm=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
state=pipelines/.snapfarm/quickstart
rm -rf "$state"
"$snapfarm" run pipelines/quickstart.yaml --mode record --data "$state/data" --output snapfarm-out/quickstart/record
"$snapfarm" run pipelines/quickstart.yaml --data "$state/data" --output snapfarm-out/quickstart/verify
