// The messages of Xcode and its simulators that mean a failure of the machine, not of a test, and
// the recovery from each. A row is a text of the console; the first row that a line meets decides.
// A test's own failures are not matched: an assertion is never infrastructure.

/// The recovery from a failure that a signature means.
enum RecoveryAction: String, Hashable, Sendable, CaseIterable {
    /// Starts the tests without a result again, on the same simulator with the same settings.
    case relaunch
    /// Starts the tests without a result again, after the app crashed at launch; the second time
    /// the crash is reported.
    case relaunchCrashed
    /// Starts the tests without a result again, after a short pause of random length, so that
    /// slots do not meet again.
    case stagger
    /// Shuts the simulator down and boots it before the tests without a result start again.
    case reboot
    /// Shuts the simulator down and erases it before the tests without a result start again.
    case erase
    /// Deletes the simulator, and makes another one for the tests without a result.
    case remake
    /// Reads the list of simulators until it has the simulator, before the tests without a result
    /// start again.
    case awaitDevice
    /// Counts the running test as crashed; the others go on.
    case blame
    /// Gives up, because no other start will help.
    case giveUp
}

/// The texts of a console's line that means a failure of the machine, and the recovery from it.
struct FailureSignature: Hashable, Sendable {
    /// A text that the console's line has.
    let text: String
    /// Another text that the line must have; empty for none.
    var also = ""
    let action: RecoveryAction
    /// The most times that one lease recovers by this signature.
    let limit: Int

    func isMet(by line: String) -> Bool {
        line.contains(text) && (also.isEmpty || line.contains(also))
    }

    /// Returns the first signature of the table whose texts a line has, or `nil` if there is none.
    static func met(by line: String) -> FailureSignature? {
        table.first { $0.isMet(by: line) }
    }

    /// Returns the words of a line about a crash, without those that only report that there was
    /// one.
    ///
    /// Xcode puts the former into the innermost `(Underlying Error: …)`, before advice on result
    /// bundles.
    static func crashWords(of line: String) -> String {
        var words = line[...]
        for start in ["encountered an error (", "(Underlying Error: "] {
            while let range = words.firstRange(of: start) { words = words[range.upperBound...] }
        }
        if let end = words.firstRange(of: " If you believe this error represents a bug") {
            words = words[..<end.lowerBound]
        }
        while let last = words.last, last == ")" || last == " ", !words.hasSuffix("()") {
            words.removeLast()
        }
        return String(words.prefix(300))
    }

    /// The signature of a launch in which Xcode started no test within its time.
    static let noStart = FailureSignature(
        text: "no test started in time",
        action: .reboot,
        limit: 2
    )

    /// The signature of a launch that left tests without a result and without a reason.
    static let silence = FailureSignature(
        text: "no result and no reason",
        action: .reboot,
        limit: 1
    )

    static let table: [FailureSignature] =
        rows(
            .blame,
            limit: 0,
            ["Restarting after unexpected exit, crash, or test timeout"]
        )
        + rows(
            .giveUp,
            limit: 0,
            [
                "The bundle is damaged or missing necessary resources.", "0xe8008012",
                "requires a provisioning profile", "doesn't include signing certificate",
            ]
        )
        // These rows come before others that meet the same lines: the app is to blame, not the
        // machine.
        + [
            ("Early unexpected exit", "Crash: "),
            ("crashed with signal", "before establishing connection"),
            ("The test runner crashed", "before establishing connection"),
            ("The test runner crashed", "while preparing to run tests"),
        ].map { FailureSignature(text: $0, also: $1, action: .relaunchCrashed, limit: 1) }
        + rows(
            .remake,
            limit: 2,
            [
                "The request was denied by service delegate (SBMainWorkspace)",
                "is unknown to FrontBoard.", "Failed to initiate service connection to simulator",
            ]
        )
        + rows(
            .reboot,
            limit: 2,
            [
                "Failed to background test runner.",
                "The test runner hung before establishing connection",
                "Failed to establish communication with the test runner",
            ]
        )
        // The simulator's own launchd is gone; a new simulator has another one.
        + [
            FailureSignature(
                text: "for impending launch",
                also: "launchd failed to respond",
                action: .remake,
                limit: 2
            )
        ]
        // Restarting CoreSimulatorService would end the simulators of every other slot, too.
        + rows(
            .erase,
            limit: 2,
            [
                "Failed to install or launch the test runner", "Simulator device failed to launch",
                "Mach error -308", "timed out while preparing to run tests", "server died",
            ]
        )
        + ["became invalid", "interrupted"].map {
            FailureSignature(
                text: "CoreSimulatorService connection",
                also: $0,
                action: .stagger,
                limit: 3
            )
        }
        + rows(
            .awaitDevice,
            limit: 2,
            [
                "Unable to find a device matching the provided destination specifier",
                "Unable to find a destination matching the provided destination specifier",
            ]
        )
        + rows(
            .relaunch,
            limit: 3,
            [
                "Lost connection to testmanagerd", "Lost connection to DTServiceHub",
                "DTXProxyChannel error 1", "Lost connection to test manager service",
                "Lost connection to the test runner", "Lost connection to the application",
                // Xcode has started the tests again after each crash, as often as it does.
                "Exceeded max restart count",
            ]
        )
        + rows(
            .relaunch,
            limit: 1,
            [
                "iPhoneSimulator: Timed out waiting", "No space left on device",
                "Early unexpected exit, operation never finished bootstrapping",
                "Test runner never began executing tests after launching.",
                "Test runner exited before starting test execution",
                "Test runner failed to initialize for UI testing",
                "Timed out registering for testing event accessibility notifications",
                "Timed out waiting for AX loaded notification",
                "UI Testing Failure - App accessibility isn't loaded",
                "App state is still not running active, state = XCApplicationStateNotRunning",
                "Failure attempting to launch <XCUIApplicationImpl:",
                "Terminating app due to uncaught exception '_XCTestCaseInterruptionException'",
            ]
        )

    private static func rows(
        _ action: RecoveryAction,
        limit: Int,
        _ texts: [String]
    ) -> [FailureSignature] {
        texts.map { FailureSignature(text: $0, action: action, limit: limit) }
    }
}

/// Counts the recoveries of one lease, by signature.
struct RecoveryBudget: Sendable {
    private var spent: [FailureSignature: Int] = [:]
    private var inARow = 0

    /// The most launches in a row without a new result: more than any signature allows alone.
    static let launchesInARowMax = 5

    /// Notes that a launch has brought a result.
    mutating func noteProgress() { inARow = 0 }

    /// Whether a lease may recover once more by a signature; if so, the recovery is counted.
    mutating func allows(_ signature: FailureSignature) -> Bool {
        guard spent[signature, default: 0] < signature.limit, inARow < Self.launchesInARowMax
        else { return false }
        spent[signature, default: 0] += 1
        inARow += 1
        return true
    }
}
