// timeline.json in the Trace Event Format that chrome://tracing and Perfetto read: one row per
// worker, one complete event ("X") per test. Times are whole microseconds since the run's start.
import FarmCore
import Foundation

/// Renders `timeline.json`.
package enum Timeline {
    /// The trace, one event per line; a test that no worker began has no row.
    package static func render(_ summary: RunSummary) -> String {
        let begun = summary.tests.filter { !$0.worker.isEmpty }
        let workers = Set(begun.map(\.worker)).sorted { left, right in
            let order = left.compare(right, options: .numeric)
            return order == .orderedSame ? left < right : order == .orderedAscending
        }
        let rows = Dictionary(uniqueKeysWithValues: workers.enumerated().map { ($1, $0 + 1) })
        var events = [metadata("process_name", row: 0, name: summary.run.pipeline)]
        events += workers.enumerated().map { metadata("thread_name", row: $0 + 1, name: $1) }
        var document = JSONText(capacity: 240 * begun.count)
        document.add("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n")
        document.add(json: events.joined(separator: ",\n"))
        for event in begun.map({ Event($0, row: rows[$0.worker] ?? 0) }).sorted() {
            document.add(",\n")
            event.add(to: &document)
        }
        document.add("\n]}\n")
        return String(decoding: document.bytes, as: UTF8.self)
    }

    private static func metadata(_ kind: String, row: Int, name: String) -> String {
        "{\"name\":\(JSONText.quoted(kind)),\"ph\":\"M\",\"pid\":1,\"tid\":\(row),"
            + "\"args\":{\"name\":\(JSONText.quoted(LegalText.line(name)))}}"
    }

    /// One test on one worker's row.
    private struct Event: Comparable {
        let test: TestSummary
        let row: Int
        let start: Int
        let duration: Int

        init(_ test: TestSummary, row: Int) {
            self.test = test
            self.row = row
            start = Timeline.microseconds(test.startedAt)
            duration = Timeline.microseconds(test.seconds)
        }

        static func < (left: Event, right: Event) -> Bool {
            (left.row, left.start, left.test.test) < (right.row, right.start, right.test.test)
        }

        func add(to document: inout JSONText) {
            document.add("{\"name\":")
            document.add(string: test.test)
            document.add(",\"cat\":")
            document.add(string: test.job)
            document.add(",\"ph\":\"X\",\"pid\":1,\"tid\":")
            document.add(row)
            document.add(",\"ts\":")
            document.add(start)
            document.add(",\"dur\":")
            document.add(duration)
            document.add(",\"args\":{\"attempts\":")
            document.add(test.attempts)
            document.add(",\"cell\":")
            document.add(string: test.cell)
            document.add(",\"verdict\":")
            document.add(string: Wording.word(test.verdict))
            document.add("}}")
        }
    }

    /// A year is more than any run; beyond it a number is a fault of a clock.
    private static func microseconds(_ seconds: Double) -> Int {
        guard seconds.isFinite, seconds > 0 else { return 0 }
        return Int((min(seconds, 366 * 86_400) * 1_000_000).rounded())
    }
}
