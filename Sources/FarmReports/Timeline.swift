// timeline.json in the Trace Event Format, for chrome://tracing and Perfetto: one row for each
// worker, one complete event ("X") for each test. Times are whole microseconds since the run's
// start.
import FarmCore
import Foundation

/// Renders `timeline.json`, the trace of a run.
package enum Timeline {
    /// Returns the trace, one event per line; a test that no worker began has no event.
    package static func render(_ summary: RunSummary) -> String {
        let begun = summary.tests.filter { !$0.worker.isEmpty }
        let workers = Set(begun.map(\.worker)).sorted { left, right in
            let order = left.compare(right, options: .numeric)
            return order == .orderedSame ? left < right : order == .orderedAscending
        }
        let rows = Dictionary(uniqueKeysWithValues: workers.enumerated().map { ($1, $0 + 1) })
        var document = JSONText(capacity: 240 * begun.count)
        document.add("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n")
        add("process_name", row: 0, name: summary.run.pipeline, to: &document)
        for (index, worker) in workers.enumerated() {
            document.add(",\n")
            add("thread_name", row: index + 1, name: worker, to: &document)
        }
        for event in begun.map({ Event($0, row: rows[$0.worker] ?? 0) }).sorted() {
            document.add(",\n")
            event.add(to: &document)
        }
        document.add("\n]}\n")
        return String(decoding: document.bytes, as: UTF8.self)
    }

    private static func add(
        _ kind: String,
        row: Int,
        name: String,
        to document: inout JSONText
    ) {
        document.add("{")
        document.add("name", kind)
        document.add("ph", "M")
        document.add("pid", 1)
        document.add("tid", row)
        document.add("args") { $0.add("name", LegalText.line(name)) }
        document.add("}")
    }

    /// A test's span of time on the row of its worker.
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
            document.add("{")
            document.add("name", test.test)
            document.add("cat", test.job)
            document.add("ph", "X")
            document.add("pid", 1)
            document.add("tid", row)
            document.add("ts", start)
            document.add("dur", duration)
            document.add("args") {
                $0.add("attempts", test.attempts)
                $0.add("cell", test.cell)
                $0.add("verdict", Wording.word(test.verdict))
            }
            document.add("}")
        }
    }

    /// Converts seconds to whole microseconds, at most a year: a greater number is a clock's fault.
    private static func microseconds(_ seconds: Double) -> Int {
        guard seconds.isFinite, seconds > 0 else { return 0 }
        return Int((min(seconds, 366 * 86_400) * 1_000_000).rounded())
    }
}
