#!/bin/sh
# Puts snapfarm into .snapfarm-program/ of the job's folder, for machines whose image lacks it: call it
# behind the step that restores that folder from the CI's cache, whose key names the version. It does
# nothing where the folder holds that version already.
#
#   SNAPFARM_VERSION  the version, such as 1.2.0; without it the program of the image is used
#   SNAPFARM_URL      the .tar.gz of that version
#   SNAPFARM_SHA256   what its bytes must be (a cache that others can write proves nothing)
#
# The steps behind it find the program: on CircleCI, GitHub and Bitrise by the file that each of them
# reads for that, elsewhere by PATH=$PWD/.snapfarm-program/bin:$PATH.
set -eu

[ -n "${SNAPFARM_VERSION:-}" ] || exit 0
folder=$PWD/.snapfarm-program
if [ "$(cat "$folder/version" 2>/dev/null)" != "$SNAPFARM_VERSION $SNAPFARM_SHA256" ]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  curl --fail --silent --show-error --location --retry 3 \
    --output "$folder/archive" "${SNAPFARM_URL:?}"
  printf '%s  %s\n' "${SNAPFARM_SHA256:?}" "$folder/archive" | sha256sum --check --quiet
  # The archive has one folder, with bin/snapfarm in it.
  tar -xzf "$folder/archive" -C "$folder" --strip-components 1
  rm "$folder/archive"
  printf '%s %s\n' "$SNAPFARM_VERSION" "$SNAPFARM_SHA256" > "$folder/version"
fi
if [ -n "${GITHUB_PATH:-}" ]; then echo "$folder/bin" >> "$GITHUB_PATH"; fi
if [ -n "${CIRCLECI:-}" ] && [ -n "${BASH_ENV:-}" ]; then
  echo "export PATH=\"$folder/bin:\$PATH\"" >> "$BASH_ENV"
fi
if [ -n "${BITRISE_IO:-}" ]; then envman add --key PATH --value "$folder/bin:$PATH"; fi
