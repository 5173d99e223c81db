// The problems of one test case, in the words of all drivers.
import FarmCore

extension Problem {
    static func testTimedOut(seconds: Double) -> Problem {
        Problem(
            code: "test-timed-out",
            message: "the test ran longer than \(secondsText(seconds)) and was ended.",
            remedy: "Find what it waits for in the lease's log, or raise `timeout.test` of the job."
        )
    }

    /// The problem of a test that itself took most of its shard's time.
    package static func shardTimedOut(seconds: Double) -> Problem {
        Problem(
            code: "shard-timed-out",
            message: "the shard's \(secondsText(seconds)) were over before the test had ended.",
            remedy: "Find what the test waits for in the lease's log, or raise `timeout.shard` of "
                + "the job."
        )
    }

    static func testFlooded() -> Problem {
        Problem(
            code: "test-flooded",
            message: "the test printed more than \(FarmLimits.logBytesMax >> 20) MB and was ended.",
            remedy: "Print less; the lease's log has the first part."
        )
    }

    static func testCrashed(signal: Int32, during: String = "the test") -> Problem {
        Problem(
            code: "test-crashed",
            message: "\(during) was ended by \(signalName(signal)).",
            remedy: "Read the end of the lease's log; run the test alone with `--select test=…`."
        )
    }

    static func testExited(status: Int32) -> Problem {
        Problem(
            code: "test-crashed",
            message: "the test program left with status \(status) in the middle of the test.",
            remedy: "Look for exit() in the code under test; a test must return."
        )
    }

    static func resultsMissing(pattern: String, ending: String) -> Problem {
        Problem(
            code: "results-missing",
            message: "the command \(ending) and left no results file \(pattern).",
            remedy: "Make `run` write JUnit XML there, relative to SNAPFARM_LEASE_DIR."
        )
    }

    static func resultsInvalid(path: String, reason: String) -> Problem {
        Problem(
            code: "results-invalid",
            message: "the results file \(path) cannot be used: \(reason).",
            remedy: "Make `run` write JUnit XML without a DOCTYPE."
        )
    }

    /// The problem of a test that a truncated results file does not name.
    static func resultsCutOff(path: String, reason: String) -> Problem {
        Problem(
            code: "results-cut-off",
            message: "the results file \(path) has no whole entry of the test: \(reason).",
            remedy: "Find in the lease's log what ended the program that wrote it, or what else "
                + "wrote to the file."
        )
    }

    /// The problem of a test without an entry, while something else of its class or file failed.
    static func resultAbsent(cause: String) -> Problem {
        Problem(
            code: "test-not-reported",
            message: "the test has no result. \(cause)",
            remedy: "Mend what failed; if it is another test, look into the lease's log."
        )
    }

    static func exitUnexplained(status: Int32) -> Problem {
        Problem(
            code: "exit-unexplained",
            message: "the command left with status \(status), although no test it ran had failed.",
            remedy:
                "Read the end of the lease's log; the command must leave with 0 when all passed."
        )
    }

    /// The problem of a test that may have made pictures without an owner; `names` are their
    /// `<suite>/<name>`, at least one.
    static func picturesWithoutOwner(_ names: [String]) -> Problem {
        let shown = names.prefix(3).joined(separator: ", ")
        let more = names.count > 3 ? " and \(names.count - 3) more" : ""
        let what = names.count == 1 ? "the picture \(shown) is" : "the pictures \(shown)\(more) are"
        return Problem(
            code: "picture-without-owner",
            message: "\(what) of no known test. This test may have made it, so it does not pass, "
                + "and the picture is not recorded.",
            remedy: "Name the file after its test (<class>/<test>.png), write "
                + "`{\"test\": \"NAME\"}` into a .json file beside it, or set `captures: "
                + "{pattern: …, test: \"{suite}/{name}\"}`."
        )
    }

    static func sidecarInvalid(path: String) -> Problem {
        Problem(
            code: "sidecar-invalid",
            message: "\(path) is not a JSON object with the texts `test` and `identifier`.",
            remedy: "Write `{\"test\": …, \"identifier\": …}` or leave the file out."
        )
    }
}

/// Returns a number of seconds as text: `30 s`, `0.5 s`.
func secondsText(_ seconds: Double) -> String {
    seconds == seconds.rounded() && abs(seconds) < 1e15 ? "\(Int(seconds)) s" : "\(seconds) s"
}

/// Returns a signal's number and name as text: `signal 11 (SIGSEGV)`.
func signalName(_ signal: Int32) -> String {
    let names: [Int32: String] = [
        1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT",
        8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM",
    ]
    #if os(Linux)
    let more: [Int32: String] = [7: "SIGBUS", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS"]
    #else
    let more: [Int32: String] = [10: "SIGBUS", 24: "SIGXCPU", 25: "SIGXFSZ", 12: "SIGSYS"]
    #endif
    guard let name = names[signal] ?? more[signal] else { return "signal \(signal)" }
    return "signal \(signal) (\(name))"
}

/// Returns the signal in a shell's exit status 128 + n, or `nil` if it is none that means a crash.
func crashSignal(ofShellStatus status: Int32) -> Int32? {
    let signal = status - 128
    #if os(Linux)
    let crashes: Set<Int32> = [4, 5, 6, 7, 8, 9, 11, 24, 25, 31]
    #else
    let crashes: Set<Int32> = [4, 5, 6, 8, 9, 10, 11, 12, 24, 25]
    #endif
    return crashes.contains(signal) ? signal : nil
}
