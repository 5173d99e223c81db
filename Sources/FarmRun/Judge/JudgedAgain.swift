// `snapfarm judge`: judges the kept pictures of a run by the pipeline file and the pin as they are
// now. No test runs. The same inputs give the same bytes.
import FarmArtifacts
import FarmCore
import FarmImaging
import FarmReferences
import FarmReports
import FarmReview
import Foundation

/// The options of `snapfarm judge`.
package struct JudgeRequest: Sendable {
    /// The run to judge.
    package enum Place: Sendable {
        /// A run of the data folder, or `latest`.
        case run(String)
        /// The path or the URL of a zip, or the path of a folder.
        case from(String)
    }

    let place: Place
    /// The path of the pipeline file; if `nil`, the file of the run's pipeline is searched for.
    let file: String?
    /// The path of the data folder; if `nil`, that of the pipeline file.
    let data: String?
    /// A set's id, a pin file or a revision of the main repository; if `nil`, the work tree's pin.
    let pin: String?
    let output: String
    let printsJSON: Bool
    let isQuiet: Bool
    let environment: [String: String]

    /// Whether a judgement in `output` would replace the folder or zip that it reads.
    package static func wouldReplace(_ place: String, output: String) -> Bool {
        let (place, output) = (PipelineSource.absolute(place), PipelineSource.absolute(output))
        return place == output || place.path(below: output) != nil
    }

    package init(
        _ place: Place,
        file: String?,
        data: String?,
        pin: String?,
        output: String,
        printsJSON: Bool,
        isQuiet: Bool,
        environment: [String: String]
    ) {
        self.place = place
        self.file = file
        self.data = data
        self.pin = pin
        self.output = output
        self.printsJSON = printsJSON
        self.isQuiet = isQuiet
        self.environment = environment
    }
}

/// Judges a run again.
package struct JudgedAgain: Sendable {
    let request: JudgeRequest

    package init(_ request: JudgeRequest) { self.request = request }

    /// Judges the run, writes the output folder, prints the result and returns the exit code.
    package func perform() async throws -> Int32 {
        let (summary, rejected) = try await write()
        try say(summary, PipelineSource.absolute(request.output), rejected)
        return summary.exitCode
    }

    /// Judges the run and writes the output folder; returns the summary, and the pictures that
    /// people rejected before.
    func write() async throws -> (RunSummary, RejectedPictures) {
        let output = PipelineSource.absolute(request.output)
        let kept = try await KeptRun.open(request, beside: output)
        defer { kept.close() }
        let (evidence, store) = try await rejudged(kept)
        let judged = RunJudge.judge(evidence)
        try kept.bring(judged)
        let folder = OutputFolder(
            path: output,
            sources: OutputSources(
                blobs: kept.blobs,
                policies: PortableManifest.JobPolicy.all(of: evidence.plan.jobs.map(\.job)),
                pin: evidence.plan.pin,
                reference: { try store?.read($0) }
            )
        )
        let data = request.data.map(PipelineSource.absolute) ?? kept.source.folder + "/.snapfarm"
        let rejected = await DecisionStore.ledger(data + "/ledger.sqlite")
            .rejected(in: judged.summary) { Console.explain($0) }
        let outcome = RunOutcome(judged: judged, ending: .judged, evidence: evidence)
        return (try await folder.write(outcome, rejected: rejected), rejected)
    }

    /// Returns the evidence of the run under the pipeline's rules and the pin, and the store.
    private func rejudged(_ kept: KeptRun) async throws -> (RunEvidence, ReferenceStore?) {
        let source = kept.source
        let place = try source.references(request.environment)
        let pin = try place.map { try self.pin(of: $0) } ?? ReferencePin()
        var original = try kept.evidenceWithKeptLogs()
        let plan = try original.plan.judged(by: source.pipeline, pin: pin)
        for fact in original.plan.undecided(by: source.pipeline, run: original.facts.id) {
            Console.say(fact)
        }
        let cells = Set(
            plan.jobs.filter { $0.job.kind == .snapshot }.flatMap(\.job.cells).map(\.id)
        )
        let succession = SuccessionRules(cells: plan.matrix, renames: [])
        let needed = cells.union(cells.flatMap(succession.predecessors))
        let store = try place?.store(for: .verify, pin: pin, cells: needed)
        var references: [CellID: CellReferences] = [:]
        for cell in cells {
            references[cell] = try store?.references(of: cell, for: plan) ?? CellReferences()
            // Only a framework's own verdicts depend on the references of then.
            if plan.jobs.contains(where: { $0.job.judge == .framework }) {
                original.references[cell] = try? store?.references(of: cell, for: original.plan)
            }
        }
        let again = Rejudgement(original, by: plan, references: references)
        let outcomes = try await CaptureComparisons(kept: kept, store: store).outcomes(again.pairs)
        var evidence = again.evidence(with: outcomes)
        evidence.facts.rejudge(by: plan)
        evidence.incidents.removeAll { $0.code == "judged-again" }
        evidence.incidents.insert(.judgedAgain(original.facts), at: 0)
        return (evidence, store)
    }

    private func pin(of place: ReferencePlace) throws -> ReferencePin {
        guard let name = request.pin else { return try place.pin() }
        return try place.pin(named: name, in: place.store())
    }

    private func say(
        _ summary: RunSummary,
        _ output: String,
        _ rejected: RejectedPictures
    ) throws {
        if request.printsJSON {
            Console.print(String(decoding: try SummaryJSON.encode(summary), as: UTF8.self))
        }
        RunClosing.show(
            summary,
            at: output,
            advice: DecideAdvice(
                summary,
                isElsewhere: true,
                zip: "\(output)/\(FailureZip.name)",
                file: request.file,
                removes: false
            ),
            rejected: rejected,
            isQuiet: request.isQuiet,
            in: ResultPrinter(besideDocument: request.printsJSON),
            request.environment
        )
    }
}

extension RunFacts {
    /// Gives the run judged again an id of its own: the run's, and the beginning of the new plan's
    /// digest.
    fileprivate mutating func rejudge(by plan: Plan) {
        let digest = plan.digest
        id += "-\(digest.hex.prefix(Self.judgementDigits))"
        planDigest = digest.description
        set = plan.pin.isEmpty ? "" : plan.pin.setID.hex
    }
}

extension Problem {
    /// The note that the result is a judgement of an earlier run's pictures.
    fileprivate static func judgedAgain(_ run: RunFacts) -> Problem {
        let commit = run.commit.isEmpty ? "" : " of commit \(run.commit.prefix(12))"
        return Problem(
            code: "judged-again",
            message: "no test ran: these are the pictures of run \(run.id)\(commit), judged by the "
                + "pipeline file and the pin of now.",
            remedy: "`snapfarm run` makes the pictures anew."
        )
    }
}
