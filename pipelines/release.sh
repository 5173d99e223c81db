#!/bin/sh
# Compares the references of a release with those of the one before, and publishes the report.
#
#   release.sh [TAG]      TAG is the tag of the checked out commit unless it is given
#
# Needs all tags (a full clone), `publish:` in the pipeline file, and the keys of that place.
set -eu
tag=${1:-$(git describe --tags --exact-match)}
before=$(git describe --tags --abbrev=0 "$tag^" 2>/dev/null) || {
  echo "$tag is the first release: there is nothing to compare it with."
  exit 0
}
# 1: pictures differ, which is what a release does.
snapfarm compare "$before" "$tag" --pipeline "${PIPELINE:-pipelines/app.yaml}" --report release-report \
  --publish || [ $? -eq 1 ]
