// The last lines of a run: what was found, where it lies, what to do next.
import FarmCI
import FarmCore
import FarmReports
import FarmTerminal
import Foundation

struct ClosingWords {
    let request: RunRequest
    /// Nil for a pipeline without references.
    let references: ReferencePlace?
    let output: String

    func say(_ outcome: RunOutcome, _ summary: RunSummary) {
        if request.printsJSON {
            Console.print((try? String(decoding: SummaryJSON.encode(summary), as: UTF8.self)) ?? "")
        }
        guard !request.isQuiet || summary.exitCode != 0 else { return }
        let hasDiffs = summary.snapshots.contains {
            !$0.files.keys.filter { $0 != "capture" }.isEmpty
        }
        let places = TerminalSummary.Places(
            report: output + "/report/index.html",
            zip: hasDiffs ? output + "/FailureDiffs.zip" : nil,
            approve: references == nil
                ? nil
                : ApproveAdvice.command(
                    for: summary,
                    isElsewhere: request.isElsewhere
                        || CIEnvironment.detect(request.environment) != nil,
                    file: request.file,
                    data: request.data
                )
        )
        let style: TerminalSummary.Style =
            Console.hasColour(request.environment) ? .ansi : .plain
        Console.write(
            TerminalSummary.render(
                summary,
                style: style,
                width: Console.columns,
                places: places
            ),
            to: STDERR_FILENO
        )
        if let recording = outcome.judged.recording { sayRecorded(recording) }
        if case .stopped = outcome.ending { sayResume() }
        if case .gaveUp = outcome.ending, !summary.run.id.isEmpty { sayResume() }
    }

    private func sayRecorded(_ recording: RunRecording) {
        Console.say(
            "Recorded: \(recording.added) new, \(recording.changed) changed, "
                + "\(recording.removed) removed, \(recording.unchanged) unchanged "
                + "(set \(recording.set.hex.prefix(12)))."
        )
        for (cell, outcome) in recording.outcomes.sorted(by: { $0.key < $1.key }) {
            for gone in outcome.removed.prefix(10) { Console.say("  fell out of \(cell): \(gone)") }
        }
        guard let references else { return }
        Console.say("The pin \(references.pinPath) names the new references; commit it.")
        if references.isRemote, !request.isElsewhere {
            Console.say("Push them first: snapfarm refs push --pipeline \(request.file)")
        }
    }

    private func sayResume() {
        Console.say(
            "Nothing is lost. Finish the open test cases with the same command and --resume."
        )
    }
}
