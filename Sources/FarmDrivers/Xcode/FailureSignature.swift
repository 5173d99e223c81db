// What Xcode and its simulators say when the machine failed and not a test, and what is done then.
// Each row is a text of the console; the first row that is met decides. Nothing here is looked at
// while a test says itself what is wrong with it: an assertion is never infrastructure.

/// What follows from a signature.
enum RecoveryAction: String, Hashable, Sendable, CaseIterable {
    /// The tests without a result are started again, on the same simulator as it was set.
    case relaunch
    /// The same for an app that crashed when it was launched; the second time the crash is named.
    case relaunchCrashed
    /// The same after a short pause of random length, so that slots do not meet again.
    case stagger
    /// The simulator is shut down and booted first.
    case reboot
    /// The simulator is shut down and erased first.
    case erase
    /// The simulator is deleted, and another one is made.
    case remake
    /// The list of simulators is read until the simulator is in it.
    case awaitDevice
    /// The test that ran has crashed; the others go on.
    case blame
    /// No start will help.
    case giveUp
}

/// One row of the table.
struct FailureSignature: Hashable, Sendable {
    /// What the console says, in part.
    let text: String
    /// What must stand in the same line, too; empty: nothing.
    var also = ""
    let action: RecoveryAction
    /// How often one lease may do so for rows of this action.
    let limit: Int

    func isMet(by line: String) -> Bool {
        line.contains(text) && (also.isEmpty || line.contains(also))
    }

    /// The first row that a line meets.
    static func met(by line: String) -> FailureSignature? {
        table.first { $0.isMet(by: line) }
    }

    /// Returns what a line says of a crash, without what says only that there was one.
    ///
    /// Xcode puts it into the innermost `(Underlying Error: …)`, before words on result bundles.
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

    /// Xcode started no test within its time.
    static let noStart = FailureSignature(
        text: "no test started in time",
        action: .reboot,
        limit: 2
    )

    /// Nothing explains why tests have no result.
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
        // Before the rows of what also stands in the same lines: the app is to blame, not the machine.
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
        // The simulator's own launchd is gone: a new one has another.
        + [
            FailureSignature(
                text: "for impending launch",
                also: "launchd failed to respond",
                action: .remake,
                limit: 2
            )
        ]
        // Restarting CoreSimulatorService would take the simulators of every other slot with it.
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

/// How often one lease has recovered, and from what.
struct RecoveryBudget: Sendable {
    private var spent: [FailureSignature: Int] = [:]
    private var inARow = 0

    /// Launches in a row that bring no test any further: more than any row allows alone.
    static let launchesInARowMax = 5

    /// A launch has brought a result.
    mutating func noteProgress() { inARow = 0 }

    /// Whether the action of a row may be taken once more; it counts as taken then.
    mutating func allows(_ signature: FailureSignature) -> Bool {
        guard spent[signature, default: 0] < signature.limit, inARow < Self.launchesInARowMax
        else { return false }
        spent[signature, default: 0] += 1
        inARow += 1
        return true
    }
}
