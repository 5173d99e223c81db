// The last lines that a run prints: the result, the output paths and the next commands.
import FarmCore
import FarmReports
import Foundation

struct RunClosing {
    let request: RunRequest
    /// The store and the pin of the references, or `nil` for a pipeline without references.
    let references: ReferencePlace?
    /// The work tree's pin before the run.
    let pin: ReferencePin
    let output: String
    let rejected: RejectedPictures

    private var words: ResultPrinter { request.words }

    func say(_ outcome: RunOutcome, _ summary: RunSummary) {
        if request.printsJSON {
            Console.print((try? String(decoding: SummaryJSON.encode(summary), as: UTF8.self)) ?? "")
        }
        let ci = CIEnvironment.detect(request.environment)
        let advice =
            references == nil
            ? nil
            : DecideAdvice(
                summary,
                isElsewhere: request.isElsewhere || ci != nil,
                // A reader of a CI's log has no output folder, only the zip that the CI keeps.
                zip: ci == nil ? "\(output)/\(FailureZip.name)" : ci.zipName,
                file: request.file,
                data: request.data
            )
        Self.show(
            summary,
            at: output,
            advice: advice,
            rejected: rejected,
            isQuiet: request.isQuiet,
            in: words,
            request.environment
        )
        if let recording = outcome.judged.recording { sayRecorded(recording) }
        if case .stopped = outcome.ending { sayResume() }
        if case .gaveUp = outcome.ending, !summary.run.id.isEmpty { sayResume() }
    }

    private func sayRecorded(_ recording: RunRecording) {
        if !request.isQuiet { for line in Self.recorded(recording) { words.say(line) } }
        guard let references else { return }
        guard recording.pin != pin else {
            return words.say("The pin \(references.pinPath) names them already.")
        }
        words.say("The pin \(references.pinPath) names the new references; commit it.")
        if references.isRemote, !request.isElsewhere {
            words.say("Push them first: snapfarm refs push --pipeline \(request.file)")
        }
    }

    private func sayResume() {
        words.say("Nothing is lost. Finish the open test cases with the same command and --resume.")
    }

    // MARK: output of a run or a merge

    /// Prints the summary and the output paths; if `isQuiet`, only the verdict.
    ///
    /// `advice` are the commands that decide about the run, or `nil` if there is nothing to decide.
    static func show(
        _ summary: RunSummary,
        at output: String,
        advice: DecideAdvice?,
        rejected: RejectedPictures = RejectedPictures(),
        isQuiet: Bool,
        in words: ResultPrinter,
        _ environment: [String: String]
    ) {
        let style: TerminalSummary.Style = words.hasColour(environment) ? .ansi : .plain
        let width = words.columns
        var places = places(summary, at: output, advice: advice)
        // `approve` takes nothing that was rejected.
        if !rejected.isEmpty, rejected.count == summary.openPictures.count { places.approve = nil }
        let text =
            isQuiet
            ? TerminalSummary.verdict(summary, style: style, width: width, places: places)
            : TerminalSummary.render(
                summary,
                style: style,
                width: width,
                places: places,
                rejected: rejected
            )
        words.write(text)
    }

    /// Returns the paths and commands that the summary shows; the zip only if a picture has other
    /// files than its capture.
    static func places(
        _ summary: RunSummary,
        at output: String,
        advice: DecideAdvice?
    ) -> TerminalSummary.Places {
        let hasDiffs = summary.snapshots.contains {
            $0.files.values.contains { $0.hasPrefix("FailureDiffs/") }
        }
        return TerminalSummary.Places(
            report: "\(output)/\(RunDocument.pageName)",
            zip: hasDiffs ? "\(output)/\(FailureZip.name)" : nil,
            review: advice?.review,
            approve: advice?.approve
        )
    }

    /// Returns lines about a record run: the counts, and the first removed references of each cell.
    static func recorded(_ recording: RunRecording) -> [String] {
        let counts =
            "Recorded: \(recording.added) new, \(recording.changed) changed, "
            + "\(recording.removed) removed, \(recording.unchanged) unchanged "
            + "(set \(recording.set.short))."
        return [counts]
            + recording.outcomes.sorted { $0.key < $1.key }.flatMap { cell, outcome in
                outcome.removed.prefix(removedMax).map { "  fell out of \(cell): \($0)" }
            }
    }

    /// The most removed references shown for each cell; the report lists all.
    private static let removedMax = 10
}
