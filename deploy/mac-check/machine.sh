# What the Mac has, and what of it the check uses: read by mac-check.sh.
# shellcheck shell=sh disable=SC2034,SC2154

lacks=
# missing FACT REMEDY
missing() {
    say "MISSING $1"
    say "        $2"
    lacks=yes
}
first_line() { printf '%s\n' "$1" | sed -n '/./{p;q;}'; }

look_for_tools() {
    for tool in git zip; do
        command -v "$tool" >/dev/null || missing "$tool" "Install it, and start again."
    done
    found=$(xcodebuild -version 2>&1) || {
        missing "Xcode: $(first_line "$found")" \
            "Install Xcode 16 or newer, open it once, then: sudo xcode-select -s /Applications/Xcode.app"
        return
    }
    xcode=$(printf '%s\n' "$found" | sed -n 's/^Xcode //p')
    case ${xcode%%.*} in
    [0-9] | 1[0-5]) missing "Xcode 16: this is Xcode $xcode, which cannot read the sample's project" \
        "Install a newer one, then: sudo xcode-select -s /Applications/Xcode.app" ;;
    esac
    found=$(xcrun simctl list runtimes 2>&1) || {
        missing "simctl: $(first_line "$found")" "Open Xcode once, so that it installs its parts."
        return
    }
    left_simulators "$scratch/known" >>"$scratch/there"
    cp "$scratch/there" "$scratch/known"
    look_for_devices "$found"
}

# Of each kind the first that runs on the newest runtime will do; snapfarm knows their sizes.
phones="iPhone 17:iPhone 16:iPhone 16e:iPhone 15:iPhone 14"
pads="iPad Pro 11-inch (M5):iPad Pro 11-inch (M4):iPad Pro (11-inch) (4th generation)"

look_for_devices() {
    # "iOS 18.5 (18.5 - 22F77) - com.apple.CoreSimulator.SimRuntime.iOS-18-5", the newest first.
    printf '%s\n' "$1" | grep '^iOS ' | grep -v unavailable \
        | sed 's/^iOS \([0-9.]*\) .* - \(com\.apple\.[^ ]*\).*$/\1 \2/' \
        | sort -t. -k1,1nr -k2,2nr >"$scratch/runtimes"
    while read -r ios runtime; do
        phone=$(first_that_runs "$runtime" "$phones")
        pad=$(first_that_runs "$runtime" "$pads")
        [ -z "$phone" ] || [ -z "$pad" ] || return
    done <"$scratch/runtimes"
    if [ -s "$scratch/runtimes" ]; then
        missing "one iPhone and one iPad of $(printf '%s' "$phones:$pads" | sed 's/:/, /g')" \
            "See what your Xcode has: xcrun simctl list devicetypes"
    else
        missing "iOS: Xcode has no runtime for simulators" "xcodebuild -downloadPlatform iOS"
    fi
}
# first_that_runs RUNTIME NAMES: makes a simulator to see that it can be made, and deletes it.
first_that_runs() (
    IFS=:
    for name in $2; do
        made=$(xcrun simctl create mac-check "$name" "$1" 2>/dev/null </dev/null) || continue
        xcrun simctl delete "$made" >/dev/null 2>&1 </dev/null
        printf '%s\n' "$name"
        return
    done
)

# Writes down what this machine is.
write_versions() {
    {
        sw_vers 2>/dev/null || uname -sr
        uname -m
        "$program" --version
        git --version
        xcodebuild -version
        xcode-select -p
        xcrun simctl list devicetypes
        xcrun simctl list runtimes
    } >"$scratch/versions.txt" 2>&1
}

# Puts scripts before Apple's tools that write down how they are called, and become them. What
# xcresulttool says is asked for once more, for the zip.
trace_tools() {
    for tool in xcodebuild xcrun; do
        real=$(command -v "$tool")
        cat >"$scratch/bin/$tool" <<SCRIPT
#!/bin/sh
printf '%s %s\n' "\$(date -u +%H:%M:%S) $tool" "\$*" >>"$scratch/trace/calls.txt"
case "\${1:-} \${2:-}" in
"xcresulttool get") "$real" "\$@" >"$scratch/trace/results-\$\$.json" 2>&1 ;;
esac
exec "$real" "\$@"
SCRIPT
        chmod +x "$scratch/bin/$tool"
    done
}
