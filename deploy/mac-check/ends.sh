# What the check leaves and how it goes: read by mac-check.sh.
# shellcheck shell=sh disable=SC2154

# left_simulators FILE: the simulators of the farm and of this script, by UDID, but for those that the
# file names.
left_simulators() {
    xcrun simctl list devices 2>/dev/null | grep -E '^ *(snapfarm-|mac-check )' \
        | grep -oE '[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}' \
        | grep -vxF -f "$1"
}
# Processes that name this folder, but for this script's own.
left_processes() {
    ps -A -ww -o pid= -o command= | FOLDER=$scratch/ awk 'index($0, ENVIRON["FOLDER"]) { print $1 }'
}
# end PROCESS: asks it to leave, and ends it after a minute.
end() {
    kill -TERM "$1" 2>/dev/null
    seconds=60
    while [ "$seconds" -gt 0 ] && kill -0 "$1" 2>/dev/null; do
        sleep 1
        seconds=$((seconds - 1))
    done
    kill -KILL "$1" 2>/dev/null
    wait "$1" 2>/dev/null
    child=
}
leave() {
    trap '' HUP INT PIPE TERM
    [ -z "$child" ] || end "$child"
    for simulator in $(left_simulators "$scratch/there"); do
        xcrun simctl shutdown "$simulator" >/dev/null 2>&1
        xcrun simctl delete "$simulator" >/dev/null 2>&1
    done
    rm -rf "$scratch"
}
