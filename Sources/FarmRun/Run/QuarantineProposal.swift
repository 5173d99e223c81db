// The flow of `snapfarm quarantine`: the rule finds tests, and `--write` adds their lines to the
// pipeline file.
import FarmCore
import FarmFiles
import FarmPipeline
import Foundation

/// The options of `snapfarm quarantine`.
package struct QuarantineProposal {
    /// The path of the pipeline file.
    let file: String
    let rule: QuarantineRule

    package init(file: String, rule: QuarantineRule) {
        self.file = file
        self.rule = rule
    }

    /// Returns the name of the pipeline and the path of its data folder.
    package func place() throws -> (pipeline: String, data: String) {
        let source = try PipelineSource(file: file)
        return (source.pipeline.name, source.folder + "/.snapfarm")
    }

    /// Prints the proposal as a patch of the pipeline file, and applies it if `writes`.
    package func perform(on flaky: FlakyTests, writes: Bool) throws {
        let source = try PipelineSource(file: file)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let entries = rule.proposals(from: flaky, for: source.pipeline, now: now)
        let hasNarrow = sayNarrow(flaky, source.pipeline, entries, now: now)
        guard !entries.isEmpty else {
            return Console.say(
                "nothing is proposed: no \(hasNarrow ? "other " : "")test was flaky "
                    + "\(Amount.count(rule.times, "time")) in the last \(Amount.count(flaky.runs, "run")) on "
                    + "\(Amount.count(rule.hosts, "host")), without a fault of the farm that day."
            )
        }
        guard let patch = QuarantinePatch(entries, for: source.text),
            let changed = try? source.decoded(patch.text, file: file),
            changed.quarantine == source.pipeline.quarantine + entries
        else { throw QuarantineListError(file: file) }
        Console.print(patch.unified(file))
        guard writes else {
            return Console.say("Nothing is written yet: add --write, and commit the file.")
        }
        try DurableFile.write(Data(patch.text.utf8), to: source.file)
        Console.say(
            "\(Amount.count(entries.count, "test")) quarantined in \(file). Commit it; "
                + "`snapfarm judge --run latest` judges the last run with it."
        )
    }

    /// Says which tests only the number of hosts keeps from being proposed; returns whether there
    /// are any.
    private func sayNarrow(
        _ flaky: FlakyTests,
        _ pipeline: Pipeline,
        _ proposed: [QuarantineEntry],
        now: Int64
    ) -> Bool {
        var loose = rule
        loose.hosts = 1
        let all = loose.proposals(from: flaky, for: pipeline, now: now)
        guard all.count > proposed.count else { return false }
        let names = all.filter { !proposed.contains($0) }.compactMap { entry in
            entry.test.map { $0 + (entry.cell.map { " on \($0)" } ?? "") }
        }
        Console.say(
            "on fewer than \(Amount.count(rule.hosts, "host")), so not proposed (--hosts 1 does): "
                + names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " …" : "") + "."
        )
        return true
    }
}

/// The error of a pipeline file whose list of quarantined tests no line can extend.
private struct QuarantineListError: ExplainedError {
    let file: String
    var code: String { "quarantine-not-extended" }
    var message: String { "\(file): its `quarantine` is not a list with a line for each entry." }
    var remedy: String { "Write each entry on a line of its own, after `- `." }
    var exit: ExitCode { .invalidInput }
}
