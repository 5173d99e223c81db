#!/bin/sh
# Tries the driver xcodebuild on a Mac, with the small app of deploy/mac-check: it records, verifies,
# changes, approves and kills, and looks at what is left. It works in a folder of its own, which goes
# with its simulators when it ends; what stays is one zip to send back.
#   mac-check.sh SNAPFARM [ZIP]     SNAPFARM is a built snapfarm
# Plain sh with the tools of macOS: its sed, grep, ps and mktemp know no GNU options.
set -u
[ $# -ge 1 ] || { echo "usage: deploy/mac-check.sh SNAPFARM [ZIP]" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd -P)
program=$(cd "$(dirname "$1")" && pwd -P)/$(basename "$1")
zip=${2:-$(dirname "$here")/snapfarm-out/mac-check.zip}
case $zip in /*) ;; *) zip=$PWD/$zip ;; esac
[ -x "$program" ] || { echo "$1 is no program. Build it first: make build" >&2; exit 66; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/mac-check.XXXXXX") || exit 74
scratch=$(cd "$scratch" && pwd -P)
app=$scratch/app
began=$scratch/began
# Also the folders of the zip.
mkdir "$app" "$scratch/steps" "$scratch/out" "$scratch/trace" "$scratch/bin"
report=$scratch/report.txt
child=
# The steps that failed, and those without which others cannot be tried.
failed=
broken=

say() { printf '%s\n' "$*" | tee -a "$report"; }

for part in ends machine send xcode; do
    # shellcheck disable=SC1090
    . "$here/mac-check/$part.sh"
done
# Simulators that were there before this script, and those that a step was blamed for as well.
echo none >"$scratch/there"
cp "$scratch/there" "$scratch/known"
trap leave EXIT
trap 'exit 130' HUP INT PIPE TERM

# --- the sample app

write_app() {
    cp -R "$here/mac-check/app/." "$app"
    cp "$here/../Kit/SnapfarmTestKit.swift" "$app/MacCheckSnapshotTests/"
    write_pipeline "" snapfarm.yaml.new
    write_pipeline "$began" killed.pipeline
    mv "$app/snapfarm.yaml.new" "$app/snapfarm.yaml"
    git init -q "$app" >/dev/null
}
# write_pipeline BEGAN FILE
write_pipeline() {
    sed -e "s|PHONE|$phone ($ios)|" -e "s|PAD|$pad ($ios)|" -e "s|\"BEGAN\"|\"$1\"|" \
        "$app/snapfarm.yaml" >"$app/$2"
}
# edit EXPRESSION: changes the app's source.
edit() {
    sed "$1" "$app/MacCheck/MacCheckApp.swift" >"$scratch/edited"
    cp "$scratch/edited" "$app/MacCheck/MacCheckApp.swift"
}

# --- steps

# launch WORDS…: starts snapfarm in the app's folder as `child`. It sees nothing of your shell, which
# may hold tokens, or say that this is CI.
launch() {
    (
        cd "$app" || exit 74
        exec env -i PATH="$scratch/bin:$PATH" HOME="$HOME" TMPDIR="${TMPDIR:-/tmp}" \
            USER="$(id -un)" LANG=en_US.UTF-8 GIT_AUTHOR_NAME=mac-check \
            GIT_AUTHOR_EMAIL=mac-check@example.org \
            ${DEVELOPER_DIR:+"DEVELOPER_DIR=$DEVELOPER_DIR"} \
            ${SNAPFARM_XCODES:+"SNAPFARM_XCODES=$SNAPFARM_XCODES"} "$program" "$@"
    ) >>"$log" 2>&1 &
    child=$!
}
# await SECONDS: the status of `child`; 124 where it had to be ended.
await() {
    seconds=$1
    while kill -0 "$child" 2>/dev/null; do
        if [ "$seconds" -le 0 ]; then
            end "$child"
            return 124
        fi
        sleep 1
        seconds=$((seconds - 1))
    done
    wait "$child" 2>/dev/null
    status=$?
    child=
    return $status
}
# The lines of the log that say why, from the first one on; its last ones where none does.
cause() {
    line=$(($(wc -l <"$log") - 4))
    for sign in '^[a-z]+: [0-9]+ of ' '^[^a-zA-Z0-9 ]+ (failed|errored) ' '^error: '; do
        found=$(grep -nE -e "$sign" "$log" | sed -n '1s/:.*//p')
        line=${found:-$line}
    done
    [ "$line" -gt 0 ] || line=1
    sed -n "$line,\$p" "$log" | sed -n '/./p' | sed -e 5q \
        | sed -e "s|$scratch/||g" -e 's/^\(.\{250\}\).*/\1 …/'
}
fail() {
    why=$1
    return 1
}
# expects STATUS TEXT WORDS…: snapfarm ends with the status, and a line says the text.
expects() {
    wanted=$1
    text=$2
    shift 2
    launch "$@"
    await 1800
    ended=$?
    [ "$ended" = "$wanted" ] || fail "exit $ended instead of $wanted: $(cause)" || return 1
    grep -q -e "$text" "$log" || fail "no line says \"$text\": $(cause)"
}
# run_step STATUS TEXT WORDS…: the same of a run, whose outputs are kept under the step's name.
run_step() {
    wanted=$1
    text=$2
    shift 2
    expects "$wanted" "$text" run "$@" --output "$scratch/out/$key"
}

# step KEY NEEDED TITLE: does step_KEY, unless NEEDED failed.
step() {
    key=$1
    log=$scratch/steps/$key.txt
    why=
    fact=
    : >"$log"
    case " $broken " in
    *" $2 "*)
        say "-       $3: not tried, because the step \"$2\" failed"
        broken="$broken $key"
        return
        ;;
    esac
    start=$(date +%s)
    "step_$key" || {
        broken="$broken $key"
        why=${why:-for no reason that this script knows}
    }
    # What is killed leaves its simulators to the next step.
    [ "$key" = killed ] || blame_for_simulators
    if [ -z "$why" ]; then
        say "OK      $3${fact:+: $fact} ($(($(date +%s) - start)) s)"
    else
        failed="$failed $key"
        say "FAILED  $3"
        say "$(printf '%s\n' "$why" | sed -n 's/^./        &/p')"
    fi
}
blame_for_simulators() {
    left_simulators "$scratch/known" >"$scratch/new"
    [ -s "$scratch/new" ] || return
    cat "$scratch/new" >>"$scratch/known"
    why="$why
it leaves simulators: $(tr '\n' ' ' <"$scratch/new")"
}

step_record() {
    expects 0 . refs init || return 1
    run_step 0 'Recorded: 12 new' snapfarm.yaml --mode record
}
step_verify() {
    run_step 0 'passed: 16 tests as expected' snapfarm.yaml || return 1
    find "$scratch/out/record/captures" -name '*.png' | grep '_light/' | while IFS= read -r light; do
        dark=$(printf '%s' "$light" | sed 's|_light/|_dark/|')
        cmp -s "$light" "$dark" && printf '%s\n' "${light##*/}"
    done >"$scratch/same"
    [ ! -s "$scratch/same" ] || fail "light and dark look the same: $(tr '\n' ' ' <"$scratch/same")"
}
step_change() {
    edit 's/\.systemBackground/.systemYellow/'
    run_step 1 'in 12 pictures: 12 changed\.' snapfarm.yaml
}
step_approve() {
    expects 0 . approve --run latest --reason "a new colour" || return 1
    run_step 0 'passed: 16 tests as expected' snapfarm.yaml
}
step_failure() {
    edit 's/"empty"/"nothing"/'
    run_step 1 'CartTests\.swift:[0-9]*: XCTAssertEqual failed' snapfarm.yaml --select job=unit
    went=$?
    edit 's/"nothing"/"empty"/'
    return $went
}

# Starts a run and waits until a test of it waits.
begin_waiting() {
    rm -f "$began"
    launch run killed.pipeline --select job=unit --workers 1 --output "$scratch/out/$key"
    seconds=900
    until [ -e "$began" ]; do
        if ! kill -0 "$child" 2>/dev/null; then
            await 1
            fail "the run ended before its test began: $(cause)"
            return 1
        fi
        if [ "$seconds" -le 0 ]; then
            end "$child"
            fail "no test began within 15 minutes: $(cause)"
            return 1
        fi
        sleep 1
        seconds=$((seconds - 1))
    done
}
# The worker processes of `child`.
workers() {
    ps -A -ww -o pid= -o ppid= -o command= | awk -v run="$child" '$2 == run && / worker / { print $1 }'
}
step_worker() {
    begin_waiting || return 1
    killed=$(workers)
    [ -n "$killed" ] || fail "ps shows no worker of process $child" || return 1
    # shellcheck disable=SC2086
    kill -KILL $killed
    await 1800
    ended=$?
    [ "$ended" = 0 ] || fail "exit $ended instead of 0: $(cause)" || return 1
    grep -q 'was killed by signal 9' "$log" || fail "no line names the killed worker"
}
step_killed() {
    begin_waiting || return 1
    # All in one blow: none sees that another is gone.
    killed="$child $(workers)"
    # shellcheck disable=SC2086
    kill -STOP $killed
    # shellcheck disable=SC2086
    kill -KILL $killed
    wait "$child" 2>/dev/null
    child=
    seconds=60
    while [ -n "$(left_processes)" ]; do
        [ "$seconds" -gt 0 ] || fail "processes live on: $(left_processes | tr '\n' ' ')" || return 1
        sleep 1
        seconds=$((seconds - 1))
    done
    left_simulators "$scratch/known" | wc -l | sed 's/$/ simulators are left/' >>"$log"
}
step_sweep() { run_step 0 'passed: 4 tests as expected' snapfarm.yaml --select job=unit; }

# ---

say "snapfarm on this Mac, about 20 minutes. Run no other snapfarm here meanwhile."
look_for_tools
if [ -n "$lacks" ]; then
    say "Nothing was tried. Mend what is missing, and start again."
    exit 69
fi
write_versions
trace_tools
write_app
say "OK      tools: Xcode $xcode, iOS $ios, $phone, $pad"
step record none "record: 12 pictures become references"
step verify record "verify: the same pictures, in light and dark, on both devices"
step serial verify "with -parallel-testing-enabled NO tests of Swift Testing run"
step architectures verify "what is built for any simulator is for this Mac"
step names verify "of two lists of tests one counts"
step change record "a change of the app is seen in 12 pictures"
step approve change "approve: the change becomes the references, and is green"
step failure none "a test that fails is named with its file and line"
step worker none "a worker that is killed is replaced, and its simulator goes"
step killed none "of a run that is killed no process lives on"
step sweep none "the next run deletes the simulators that the killed one left"
collect || failed="$failed zip"
[ -z "$failed" ] || say "Not all is well: this is what we want to know."
printf '%s\n' "Please open an issue with this file (logs and versions, without your home folder): $zip"
[ -z "$failed" ]
