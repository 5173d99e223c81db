// timeline.json in the Trace Event Format that chrome://tracing and Perfetto read: one row per
// worker, one complete event ("X") per test. Times are whole microseconds since the run's start.
import FarmCore
import Foundation

/// Renders `timeline.json`.
package enum Timeline {
    private struct Trace: Encodable {
        let displayTimeUnit = "ms"
        let traceEvents: [Event]
    }

    private struct Event: Encodable {
        let name: String
        let cat: String
        let ph: String
        let pid = 1
        let tid: Int
        let ts: Int
        let dur: Int
        let args: [String: String]
    }

    /// The trace, with a line feed at the end; a test that no worker began has no row.
    package static func render(_ summary: RunSummary) -> String {
        let begun = summary.tests.filter { !$0.worker.isEmpty }
        let workers = Set(begun.map(\.worker)).sorted { left, right in
            let order = left.compare(right, options: .numeric)
            return order == .orderedSame ? left < right : order == .orderedAscending
        }
        let rows = Dictionary(uniqueKeysWithValues: workers.enumerated().map { ($1, $0 + 1) })
        var events = [metadata("process_name", row: 0, name: summary.run.pipeline)]
        events += workers.enumerated().map { metadata("thread_name", row: $0 + 1, name: $1) }
        events += begun.map { event($0, row: rows[$0.worker] ?? 0) }
            .sorted { ($0.tid, $0.ts, $0.name) < ($1.tid, $1.ts, $1.name) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        // Strings and whole numbers only: encoding cannot fail.
        let bytes = (try? encoder.encode(Trace(traceEvents: events))) ?? Data("{}".utf8)
        return String(decoding: bytes, as: UTF8.self) + "\n"
    }

    private static func metadata(_ kind: String, row: Int, name: String) -> Event {
        Event(
            name: kind,
            cat: "__metadata",
            ph: "M",
            tid: row,
            ts: 0,
            dur: 0,
            args: ["name": LegalText.line(name)]
        )
    }

    private static func event(_ test: TestSummary, row: Int) -> Event {
        Event(
            name: test.test,
            cat: test.job,
            ph: "X",
            tid: row,
            ts: microseconds(test.startedAt),
            dur: microseconds(test.seconds),
            args: [
                "attempts": String(test.attempts), "cell": test.cell,
                "verdict": Wording.word(test.verdict),
            ]
        )
    }

    /// A year is more than any run; beyond it a number is a fault of a clock.
    private static func microseconds(_ seconds: Double) -> Int {
        guard seconds.isFinite, seconds > 0 else { return 0 }
        return Int((min(seconds, 366 * 86_400) * 1_000_000).rounded())
    }
}
