// Summaries of a made-up run, for tests that read summaries.
import FarmCore
import Foundation

package enum SampleRun {
    /// Returns a run with these tests and pictures.
    ///
    /// A picture is `cell/suite/name`, optionally followed by ` of test`.
    package static func summary(pictures: [String] = [], tests: [String] = []) -> RunSummary {
        var summary = RunSummary(
            run: RunFacts(
                id: "r",
                key: "",
                pipeline: "app",
                mode: .verify,
                filtered: false,
                commit: "",
                branch: "",
                pullRequest: "",
                set: "",
                planDigest: "",
                started: "",
                finished: ""
            ),
            state: .failed,
            exitCode: 1,
            counts: VerdictCounts(),
            comparisons: ComparisonCounts(),
            cells: [],
            tests: tests.map { test($0) },
            snapshots: [],
            artifacts: [],
            problems: []
        )
        summary.snapshots = pictures.map { picture($0) }
        for id in ["A", "B"] {
            let cell = CellSummary(
                id: id,
                device: "Device \(id)",
                os: "13.1",
                variant: [:],
                complete: true,
                counts: VerdictCounts()
            )
            summary.cells.append(cell)
        }
        return summary
    }

    package static func picture(
        _ words: String,
        _ verdict: Verdict = .changed,
        says: String = "recoloured"
    ) -> SnapshotSummary {
        let parts = words.components(separatedBy: " of ")
        let path = parts[0].split(separator: "/").map(String.init)
        return SnapshotSummary(
            id: parts[0],
            job: "s",
            cell: path[0],
            suite: path.dropFirst().dropLast().joined(separator: "/"),
            name: path[path.count - 1],
            identifier: "",
            test: parts.count > 1 ? parts[1] : "",
            verdict: verdict,
            words: says
        )
    }

    package static func test(
        _ id: String,
        on cell: String = "A",
        _ verdict: Verdict? = .failed,
        says: String = ""
    ) -> TestSummary {
        TestSummary(
            job: "s",
            cell: cell,
            test: id,
            verdict: verdict,
            attempts: 1,
            seconds: 1,
            message: says
        )
    }
}
