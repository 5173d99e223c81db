# Steps for what recordings of Apple's tools leave open: read by mac-check.sh. The driver works either
# way.
# shellcheck shell=sh disable=SC2154

# Whether Swift Testing runs its tests one after another under -parallel-testing-enabled NO. Where it
# does not, the driver times a test from the end of the last other one.
step_serial() {
    cat "$scratch"/out/verify/logs/unit/*.log >>"$log" 2>/dev/null
    awk '/Test [a-z]+\(\) started\./ { open++; if (open > 1) side++ }
        /Test [a-z]+\(\) (passed|failed) after / { open--; ends++ }
        END { print ends + 0, side + 0 }' "$log" >"$scratch/order"
    read -r ends side <"$scratch/order"
    [ "$ends" -ge 2 ] || fail "the console shows $ends ends of tests of Swift Testing" || return 1
    fact="one after another"
    [ "$side" = 0 ] || fact="side by side"
}

# Which names count: those of -only-testing, or those in the .xctestrun. The driver gives the same ones
# twice.
step_names() {
    file=$(find "$app/.snapfarm/xcode" -name '*.xctestrun' | sed 1q)
    [ -n "$file" ] || fail "no .xctestrun is left of the build" || return 1
    copy=${file%.xctestrun}-mac-check.xctestrun
    one='<dict><key>name</key><string>OrderTests</string><key>testFunctions</key><array><string>first()</string></array></dict>'
    one="<key>OnlyTestingIdentifiers</key><dict><key>suites</key><array>$one</array></dict>"
    sed "s|<key>BlueprintName</key>|$one&|" "$file" >"$copy"
    grep -q OnlyTestingIdentifiers "$copy" || fail "the .xctestrun is no XML as it was" || return 1
    own=$(xcrun simctl create "mac-check names" "$phone" "$runtime") || fail "no simulator" || return 1
    xcodebuild test-without-building -xctestrun "$copy" -destination "platform=iOS Simulator,id=$own" \
        -parallel-testing-enabled NO -resultBundlePath "$scratch/names.xcresult" \
        '-only-testing:MacCheckTests/OrderTests/second()' >>"$log" 2>&1 &
    child=$!
    await 900
    ended=$?
    rm -rf "$copy" "$scratch/names.xcresult"
    xcrun simctl shutdown "$own" >/dev/null 2>&1
    xcrun simctl delete "$own" >/dev/null 2>&1
    ran=$(sed -n 's/.*Test \([a-z]*\)() passed after .*/\1/p' "$log" | tr '\n' ' ')
    case $ran in
    "second ") fact=-only-testing ;;
    "first ") fact="the .xctestrun" ;;
    "") fail "no test ran, and xcodebuild ended with $ended" ;;
    *) fail "these ran: $ran" ;;
    esac
}

# For which machines a build for any simulator is.
step_architectures() {
    binary=$(find "$app/.snapfarm/xcode" -path '*MacCheck.app/MacCheck' -type f | sed 1q)
    fact=$(xcrun lipo -archs "$binary" 2>>"$log") || fail "no program in $binary" || return 1
    case " $fact " in
    *" $(uname -m) "*) ;;
    *) fail "the app is for $fact, and this Mac is $(uname -m)" ;;
    esac
}
