#!/bin/sh
# Puts snapfarm into .snapfarm-program/ of the job's folder, for machines whose image lacks it: call it
# behind the step that restores that folder from the CI's cache, whose key names the version. It loads
# down nothing where that folder has the archive already, and trusts no more of it than the archive's bytes.
#
#   SNAPFARM_VERSION  the version, such as 1.2.0; without it the program of the image is used
#   SNAPFARM_URL      the .tar.gz of that version
#   SNAPFARM_SHA256   what its bytes must be (a cache that others can write proves nothing)
#
# The steps behind it find the program: on CircleCI, GitHub and Bitrise by the file that each of them
# reads for that, elsewhere by PATH=$PWD/.snapfarm-program/bin:$PATH.
set -eu

[ -n "${SNAPFARM_VERSION:-}" ] || exit 0
: "${SNAPFARM_URL:?says where the archive of that version is}"
: "${SNAPFARM_SHA256:?says what its bytes must be}"
folder=$PWD/.snapfarm-program
archive=$folder/snapfarm-$SNAPFARM_VERSION.tar.gz
fail() { echo "install.sh: $1" >&2; exit 1; }
is_right() {
  if command -v sha256sum >/dev/null; then found=$(sha256sum < "$archive")
  else found=$(shasum -a 256 < "$archive"); fi
  [ "${found%% *}" = "$SNAPFARM_SHA256" ]
}

if [ -f "$archive" ] && is_right; then
  # Whatever else a cache has brought is not the archive's.
  mv "$archive" "$folder.tar.gz"
  rm -rf "$folder"
  mkdir "$folder"
  mv "$folder.tar.gz" "$archive"
else
  rm -rf "$folder"
  mkdir "$folder"
  curl --fail --silent --show-error --location --retry 3 --output "$archive" "$SNAPFARM_URL" \
    || fail "snapfarm $SNAPFARM_VERSION is not at SNAPFARM_URL ($SNAPFARM_URL)."
  is_right || { rm "$archive"; fail "$SNAPFARM_URL is not the file that SNAPFARM_SHA256 names."; }
fi
# The archive has one folder, with bin/snapfarm in it.
tar -xzf "$archive" -C "$folder" --strip-components 1
if [ -n "${GITHUB_PATH:-}" ]; then echo "$folder/bin" >> "$GITHUB_PATH"; fi
if [ -n "${CIRCLECI:-}" ] && [ -n "${BASH_ENV:-}" ]; then
  echo "export PATH=\"$folder/bin:\$PATH\"" >> "$BASH_ENV"
fi
if [ -n "${BITRISE_IO:-}" ]; then envman add --key PATH --value "$folder/bin:$PATH"; fi
