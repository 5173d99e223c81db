// The list of runs for people.
import FarmAPI
import FarmCore
import Foundation

/// Formats runs as a table for people.
package enum RunTable {
    /// Returns the table's rows: a header, and a row for each run.
    package static func rows(_ runs: [RunListing]) -> [[String]] {
        [
            [
                "RUN", "STATE", "TESTS", "NOT AS EXPECTED", "STARTED", "TOOK", "BRANCH", "COMMIT",
                "MODE", "PIPELINE",
            ]
        ]
            + runs.map { run in
                [
                    run.run.text, run.state.rawValue, "\(run.done)/\(run.planned)",
                    run.bad > 0 ? "\(run.bad)" : "", started(run), took(run) ?? "", run.branch,
                    String(run.commit.prefix(12)), run.mode.rawValue, run.pipeline,
                ]
            }
    }

    /// Returns the time of a run's start, such as `2026-11-21 16:07:03Z`, without milliseconds.
    private static func started(_ run: RunListing) -> String {
        run.started.prefix(19).replacing("T", with: " ") + "Z"
    }

    /// Returns a run's duration, such as `4 min 10 s`, or `nil` for a run that has not ended.
    private static func took(_ run: RunListing) -> String? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let ended = run.ended.flatMap({ try? style.parse($0) }),
            let began = try? style.parse(run.started), ended >= began
        else { return nil }
        let seconds = ended.timeIntervalSince(began)
        if seconds < 60 { return "\((seconds * 10).rounded() / 10) s" }
        let whole = Int(seconds.rounded())
        return whole < 3_600
            ? "\(whole / 60) min \(whole % 60) s"
            : "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }
}
