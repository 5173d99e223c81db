#!/bin/sh
# What a newcomer does after the installation; try-in-root.sh runs it in an empty Debian root.
#   usage: newcomer.sh quickstart|web|wallet|fastlane|fastlane-run
set -eu
export GIT_AUTHOR_NAME=newcomer GIT_AUTHOR_EMAIL=newcomer@example.org
export GIT_COMMITTER_NAME=newcomer GIT_COMMITTER_EMAIL=newcomer@example.org
for compiler in cc gcc clang swift swiftc; do
    ! command -v "$compiler" || { echo "this root has a compiler" >&2; exit 1; }
done
snapfarm --version

quickstart() {
    cd ~/try
    snapfarm plan pipelines/quickstart.yaml
    snapfarm run pipelines/quickstart.yaml --mode record
    snapfarm run pipelines/quickstart.yaml
}

# example FILE: writes the first block of README.md that begins with "# FILE".
example() {
    awk -v head="# $1" '
        /^```/ { if (found) exit; first = 1; next }
        first && index($0, head) == 1 { found = 1 }
        found { print }
        { first = 0 }' "$HOME/README.md" >"$1"
}

web() {
    mkdir -p ~/shop/app && cd ~/shop && git init -q
    example snapfarm.yaml
    example scenes.yaml
    echo '<h1>Good morning</h1><p id="ready">Balance: 12</p>' >app/home.html
    printf '.snapfarm/\nsnapfarm-out/\n' >.gitignore
    snapfarm plan snapfarm.yaml
    snapfarm refs init
    snapfarm run snapfarm.yaml --mode record
    git add . && git commit -qm "Snapshot tests"
    snapfarm run snapfarm.yaml
    sed -i 's/morning/evening/' app/home.html
    code=0
    snapfarm run snapfarm.yaml || code=$?
    [ "$code" = 1 ] || { echo "a change must be red (1), this was $code" >&2; exit 1; }
    snapfarm approve --run latest --reason "new greeting"
    git commit -qam "New greeting"
    snapfarm run snapfarm.yaml
}

# Pages of an app, of which snapfarm knows nothing yet.
wallet() {
    cd ~/wallet && git init -q
    snapfarm init --yes
    snapfarm plan snapfarm.yaml
    snapfarm refs init
    snapfarm run snapfarm.yaml --mode record
    git add . && git commit -qm "Snapshot tests"
    snapfarm run snapfarm.yaml
}

# Xcode is not here: the plan says so, and names no other fault of the file that init wrote.
fastlane() {
    cd ~/fastlane-app && git init -q
    snapfarm init --yes
    grep -q 'iPhone 16 (18.5)   # from fastlane' snapfarm.yaml
    if snapfarm plan snapfarm.yaml 2>plan.txt; then exit 1; fi
    grep -q 'the program xcodebuild is not there' plan.txt
}

# The same with a stand-in for Xcode's tools.
fastlane_run() {
    python3 ~/XcodeStandIn/bin/standin-install ~/mac
    export PATH="$HOME/mac/bin:$PATH" SNAPFARM_XCODES="$HOME/mac/Applications"
    cd ~/fastlane-app
    snapfarm plan snapfarm.yaml
    snapfarm refs init
    snapfarm run snapfarm.yaml --mode record
    git add . && git commit -qm "Snapshot tests"
    snapfarm run snapfarm.yaml
}

case $1 in
quickstart | web | wallet | fastlane) "$1" ;;
fastlane-run) fastlane_run ;;
*) exit 64 ;;
esac
