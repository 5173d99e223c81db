// Tests of offers discovered from the output of programs, and of finding a command's program.
import FarmCore
import Foundation
import Testing

@testable import FarmDrivers

struct DiscoveredOffersTests {
    @Test(
        "the version is the first word that is one",
        arguments: [
            ("Chromium 134.0.6998.88 built on Debian GNU/Linux 12 (bookworm)\n", "134.0.6998.88"),
            (
                "ChromeDriver 134.0.6998.88 (7e3d5c978c6d3a6eda25692cfac7f893a2b20dd0)",
                "134.0.6998.88"
            ),
            ("Xcode 15.4\nBuild version 15F31d\n", "15.4"), ("Xcode 16\n", "16"), ("", nil),
            ("xcode-select: error: tool 'xcodebuild' requires Xcode", nil),
        ] as [(String, String?)]
    )
    func versions(_ output: String, _ version: String?) {
        #expect(DiscoveredOffers.version(in: output) == version)
    }

    @Test("the system's version is the one its release file names")
    func systems() {
        let debian =
            "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n"
        #expect(DiscoveredOffers.systemVersion(osRelease: debian) == "12")
        #expect(DiscoveredOffers.systemVersion(osRelease: "ID=arch\nVERSION_ID=\n") == nil)
        #expect(DiscoveredOffers.systemVersion(osRelease: "") == nil)
    }

    @Test("simulators are those that are available, with and without their runtime")
    func simulators() {
        // The format that Apple's tool prints, shortened; not recorded on one of our Macs.
        let list = """
            {"devicetypes": [], "pairs": {}, "runtimes": [
              {"identifier": "com.apple.CoreSimulator.SimRuntime.iOS-17-5", "name": "iOS 17.5",
               "version": "17.5", "buildversion": "21F79", "platform": "iOS", "isAvailable": true},
              {"identifier": "com.apple.CoreSimulator.SimRuntime.iOS-16-4", "name": "iOS 16.4",
               "version": "16.4", "isAvailable": false}],
             "devices": {
              "com.apple.CoreSimulator.SimRuntime.iOS-17-5": [
               {"udid": "1", "name": "iPhone 15 Pro", "state": "Shutdown", "isAvailable": true},
               {"udid": "2", "name": "iPhone 8", "state": "Shutdown", "isAvailable": false}],
              "com.apple.CoreSimulator.SimRuntime.iOS-16-4": [
               {"udid": "3", "name": "iPhone 14", "state": "Shutdown", "isAvailable": false}]}}
            """
        let found = DiscoveredOffers.simulators(Data(list.utf8)).map { "\($0.name)=\($0.value)" }
        #expect(
            found == ["ios=17.5", "simulator=iPhone 15 Pro", "simulator=iPhone 15 Pro (17.5)"]
        )
        #expect(DiscoveredOffers.simulators(Data("no list".utf8)).isEmpty)
    }

    @Test(
        "the program of a command is its first word, where the shell does not change it",
        arguments: [
            ("python3 -m pytest {tests}", "python3"), ("tests/run.sh --list", "tests/run.sh"),
            ("  ./run.sh", "./run.sh"), ("FOO=1 BAR=x/y run", "run"), ("cat scenes", "cat"),
            ("テスト.sh", "テスト.sh"), ("npx playwright test", "npx"),
            ("cd app && npm test", nil), ("if true; then x; fi", nil), ("'my run' x", nil),
            ("$RUN x", nil), ("FOO='a b' run", nil), ("(a; b)", nil), ("a;b", nil), ("a>b", nil),
            ("", nil), ("FOO=1", nil), ("`x`", nil), ("~/run.sh", nil), ("[ -e x ]", nil),
        ] as [(String, String?)]
    )
    func program(command: String, program: String?) {
        #expect(ProgramWord.first(of: command) == program)
    }
}
