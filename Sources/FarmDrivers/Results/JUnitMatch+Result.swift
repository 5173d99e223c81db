// Makes one result from all entries of a test in the results files.
import FarmCore

extension JUnitMatch {
    /// Returns the result of one test from all its entries (parameters, repetitions, its class).
    ///
    /// The worst ending counts; a test is skipped only if nothing of it ran.
    package static func result(of test: TestID, _ entries: [JUnitCase]) -> TestResult {
        let failed = entries.indices.filter { entries[$0].hasFailed }
        let skips = entries.count { entry in
            if case .skipped = entry.ending { true } else { false }
        }
        let ending: TestEnding =
            if !failed.isEmpty {
                .failed(words(of: entries, failed: failed))
            } else if skips == entries.count, case .skipped(let reason) = entries.first?.ending {
                .skipped(reason)
            } else {
                .passed
            }
        let output = OutputTail()
        for entry in entries { output.append(entry.output.utf8) }
        return TestResult(
            test: test,
            ending: ending,
            seconds: entries.reduce(0) { $0 + $1.seconds },
            failures: failed.flatMap { index in
                let failures = entries[index].failures
                return failures.isEmpty ? [TestFailure(entries[index].failedText)] : failures
            },
            output: output.text
        )
    }

    /// Returns a text that lists the failed entries with their failures.
    private static func words(of entries: [JUnitCase], failed: [Int]) -> String {
        guard entries.count > 1 else { return entries.first?.failedText ?? "" }
        let shown = failed.prefix(FarmLimits.failuresPerTestMax)
        let haveNames = Set(entries.map(\.name)).count == entries.count
        let names = shown.map { index in
            haveNames ? entries[index].shownName : "run \(index + 1)"
        }
        let more = failed.count > shown.count ? ", …" : ""
        let list = names.joined(separator: ", ") + more
        // The first line has the cause, because a list of tests shows only that line.
        var words = Array("\(failed.count) of \(entries.count) failed (\(list)):".utf8)
        var separator = " "
        for index in failed where words.count < FarmLimits.resultOutputBytesMax {
            words += Array(separator.utf8) + entries[index].failedText.utf8
            separator = "\n"
        }
        words.cut(toBytes: FarmLimits.resultOutputBytesMax)
        return String(decoding: words, as: UTF8.self)
    }
}

extension JUnitCase {
    var failedText: String {
        if case .failed(let text) = ending { text } else { "" }
    }

    /// The entry's name for people; for the entry of a suite itself, its class name.
    var shownName: String { name.isEmpty ? className : name }
}
