// The last lines of a run: what was found, where it lies, what to do next.
import FarmCore
import FarmReports
import Foundation

struct ClosingWords {
    let request: RunRequest
    /// Nil for a pipeline without references.
    let references: ReferencePlace?
    /// What the work tree had before the run.
    let pin: ReferencePin
    let output: String
    let rejected: RejectedPictures

    private var words: ResultWords { request.words }

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
                // Who reads a CI's log has the zip that the CI keeps, wherever they put it.
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

    // MARK: what a run and a merge say alike

    /// Draws what was found, and where it lies; for quiet readers the verdict alone.
    ///
    /// `advice` says how to decide about it.
    static func show(
        _ summary: RunSummary,
        at output: String,
        advice: DecideAdvice?,
        rejected: RejectedPictures = RejectedPictures(),
        isQuiet: Bool,
        in words: ResultWords,
        _ environment: [String: String]
    ) {
        let style: TerminalSummary.Style = words.hasColour(environment) ? .ansi : .plain
        let width = words.columns
        let places = places(summary, at: output, advice: advice)
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

    /// The zip is named where it holds pictures.
    static func places(
        _ summary: RunSummary,
        at output: String,
        advice: DecideAdvice?
    ) -> TerminalSummary.Places {
        let hasDiffs = summary.snapshots.contains { $0.files.keys.contains { $0 != "capture" } }
        return TerminalSummary.Places(
            report: "\(output)/\(RunDocument.pageName)",
            zip: hasDiffs ? "\(output)/\(FailureZip.name)" : nil,
            review: advice?.review,
            approve: advice?.approve
        )
    }

    /// What a record run did to the references, and of each cell the first that fell out.
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

    /// Of each cell; the report names all.
    private static let removedMax = 10
}
