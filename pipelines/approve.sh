#!/bin/sh
# Does what a comment of a pull request says, for any CI: copy it into your repository, and let a job
# call it that you trust with the token. Everything comes in variables, so that no text of the comment
# is ever read by a shell.
#
#   COMMENT     the text of the comment
#   FROM        what the run left: its FailureDiffs.zip, its output folder, or the URL of the zip
#   BRANCH      the branch that gets the commit
#   ANSWER      the file that gets the answer to post (default: answer.md)
#   REPOSITORY  the URL of the main repository (default: the remote origin of this checkout)
#
# The caller has made sure that the comment's author may push to the branch. SNAPFARM_REVIEWER says
# who that is. SNAPFARM_STORE_TOKEN pushes the set, SNAPFARM_REPOSITORY_TOKEN the commit, and
# SNAPFARM_GITHUB_TOKEN, where there is one, sets the status of that commit. See docs/pull-requests.md.
set -eu

: "${COMMENT:?}" "${FROM:?}" "${BRANCH:?}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '%s\n' "$COMMENT" > "$folder/comment"

set -- --from "$FROM" --comment "$folder/comment" --commit "$BRANCH" \
  --answer "${ANSWER:-answer.md}"
if [ -n "${REPOSITORY:-}" ]; then set -- "$@" --repository "$REPOSITORY"; fi
snapfarm approve "$@"
