import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("The calls of the driver xcodebuild")
struct XcodeTraceTests {
    /// Returns a trace without the parts that differ between runs: process ids, random names, and
    /// the variables of the tests, which "the tests see the contract …" checks.
    private func plain(_ trace: String) -> String {
        trace.replacing("snapfarm-\(ProcessMark.own) iPhone 16 (18.5)", with: "SIMULATOR")
            .replacing(ProcessMark.own, with: "MARK")
            .replacing(#/[-_][0-9A-F]{8}(?=\.(xctestrun|xcresult|json))/#, with: "-ID")
            .replacing(#/attachments-[0-9A-F]{8}/#, with: "attachments-ID")
            .replacing(#/xcode/Shop-[0-9a-f]{8}/#, with: "xcode/Shop-ID")
            .replacing(#/TEST_RUNNER_\w+=("[^"]*"|\S*) /#, with: "")
    }

    @Test("a record on a Japanese dark cell makes exactly these calls")
    func record() async throws {
        let mac = try await XcodeMac(
            tests: #"[{"test": "CartTests/testEmpty", "does": [{"picture": {"with": "fb"}}]}]"#
        )
        let variant = ["appearance": "dark", "locale": "ja-JP"]
        let job = mac.job(kind: .snapshot, cells: [XcodeMac.cell("iPhone 16", "18.5", variant)])
        let found = try await mac.discover(job)
        _ = try await mac.run(job, found, mode: .record)
        await mac.driver.shutDown()
        let trace = plain(try await mac.trace())
        #expect(trace == Self.expected, "\(trace)")
    }

    private static let expected = """
        xcodebuild -version -> exit 0
        DEVELOPER_DIR=$MAC/Applications/Xcode-16.4.app/Contents/Developer xcodebuild -version -> \
        exit 0
        xcrun simctl list --json -> exit 0
        xcodebuild build-for-testing -workspace Shop.xcworkspace -scheme Shop -destination \
        "generic/platform=iOS Simulator" -derivedDataPath $TREE/.snapfarm/xcode/Shop-ID -> exit \
        0
        xcrun simctl list --json -> exit 0
        xcrun simctl create "SIMULATOR" com.apple.CoreSimulator.SimDeviceType.iPhone-16 \
        com.apple.CoreSimulator.SimRuntime.iOS-18-5 -> exit 0
        xcrun simctl bootstatus <SIMULATOR> -b -> exit 0
        xcrun simctl ui <SIMULATOR> appearance light -> exit 0
        xcrun simctl status_bar <SIMULATOR> override --time 9:41 --dataNetwork wifi --wifiMode \
        active --wifiBars 3 --cellularMode active --cellularBars 4 --batteryState charged \
        --batteryLevel 100 -> exit 0
        xcodebuild test-without-building -xctestrun \
        $TREE/.snapfarm/xcode/Shop-ID/Build/Products/Shop_iphonesimulator18.5-arm64-x86_64.xctestrun \
        -destination "platform=iOS Simulator,id=<SIMULATOR>" -enumerate-tests \
        -test-enumeration-style flat -test-enumeration-format json -test-enumeration-output-path \
        $TEST/scratch/tests-ID.json -> exit 0
        xcrun simctl shutdown <SIMULATOR> -> exit 0
        xcrun simctl delete <SIMULATOR> -> exit 0
        xcrun simctl list --json -> exit 0
        xcrun simctl create "SIMULATOR" com.apple.CoreSimulator.SimDeviceType.iPhone-16 \
        com.apple.CoreSimulator.SimRuntime.iOS-18-5 -> exit 0
        xcrun simctl bootstatus <SIMULATOR #2> -b -> exit 0
        xcrun simctl spawn <SIMULATOR #2> defaults write -g AppleLanguages -array ja-JP en -> \
        exit 0
        xcrun simctl spawn <SIMULATOR #2> defaults write -g AppleLocale ja_JP -> exit 0
        xcrun simctl spawn <SIMULATOR #2> launchctl kill SIGKILL \
        system/com.apple.cfprefsd.xpc.daemon -> exit 0
        xcrun simctl spawn <SIMULATOR #2> launchctl kill SIGKILL system/com.apple.SpringBoard -> \
        exit 0
        xcrun simctl spawn <SIMULATOR #2> launchctl print system -> exit 0
        xcrun simctl spawn <SIMULATOR #2> launchctl print system -> exit 0
        xcrun simctl ui <SIMULATOR #2> appearance dark -> exit 0
        xcrun simctl status_bar <SIMULATOR #2> override --time 9:41 --dataNetwork wifi \
        --wifiMode active --wifiBars 3 --cellularMode active --cellularBars 4 --batteryState \
        charged --batteryLevel 100 -> exit 0
        xcrun simctl ui <SIMULATOR #2> appearance -> exit 0
        xcrun simctl status_bar <SIMULATOR #2> list -> exit 0
        NSUnbufferedIO=YES xcodebuild test-without-building -xctestrun \
        $TREE/.snapfarm/xcode/Shop-ID/Build/Products/snapfarm-MARK-ID.xctestrun -destination \
        "platform=iOS Simulator,id=<SIMULATOR #2>" -resultBundlePath \
        $TEST/lease1/launch-ID.xcresult -parallel-testing-enabled NO -testLanguage ja \
        -testRegion JP -collect-test-diagnostics never \
        -only-testing:ShopTests/CartTests/testEmpty() -> exit 65
        NSUnbufferedIO=YES xcrun xcresulttool get test-results tests --path \
        $TEST/lease1/launch-ID.xcresult -> exit 0
        NSUnbufferedIO=YES xcrun xcresulttool export attachments --path \
        $TEST/lease1/launch-ID.xcresult --output-path $TEST/lease1/lease/attachments-ID -> exit \
        0
        xcrun simctl shutdown <SIMULATOR #2> -> exit 0
        xcrun simctl delete <SIMULATOR #2> -> exit 0

        """
}
