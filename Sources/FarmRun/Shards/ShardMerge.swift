// `snapfarm merge`: makes one run of the shares of many machines. First all shares are read and
// checked. Only a complete set of shares writes anything: the references of a record run, the
// output folder and the history, in this order. The same judge makes the verdicts again, from the
// evidence of all shares.
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmImaging
import FarmReferences
import FarmReports
import FarmReview
import FarmServer
import Foundation

/// The options of `snapfarm merge`.
package struct MergeRequest {
    let folders: [String]
    let output: String
    /// The pipeline file; if `nil`, the file is searched for when it is needed.
    let pipeline: String?
    let history: HistoryFile?
    let printsJSON: Bool
    let isQuiet: Bool
    let environment: [String: String]

    package init(
        folders: [String],
        output: String,
        pipeline: String?,
        history: HistoryFile?,
        printsJSON: Bool,
        isQuiet: Bool,
        environment: [String: String]
    ) {
        self.folders = folders
        self.output = output
        self.pipeline = pipeline
        self.history = history
        self.printsJSON = printsJSON
        self.isQuiet = isQuiet
        self.environment = environment
    }

    /// Returns the first of these folders that the output would destroy while the merge reads it,
    /// or `nil`.
    ///
    /// The merge empties the output folder, and reads the shares' folders until the end.
    package static func folder(of folders: [String], inTheWayOf output: String) -> String? {
        let target = PipelineSource.absolute(output)
        return folders.map(PipelineSource.absolute).first {
            $0 == target || $0.path(below: target + "/report") != nil || target == $0 + "/shard"
        }
    }
}

/// Merges the outputs of several machines into one run.
package struct ShardMerge {
    let request: MergeRequest

    package init(request: MergeRequest) { self.request = request }

    /// Joins the shares and returns the exit code of the run.
    package func perform() async throws -> Int32 {
        let (members, folders) = try await readReportingFailure()
        let set: ShareSet
        do {
            set = try ShareSet(members)
        } catch {
            await PullRequestReport(
                environment: request.environment,
                ci: CIEnvironment.detect(request.environment)
            ).show(error, of: members[0].evidence.facts)
            throw error
        }
        for (old, new) in set.replaced { Console.say("\(old) is left out: \(new) is newer.") }
        let policies = folders[set.members[0].folder]?.manifest.policies ?? []
        let scratch = try OutputScratch(beside: PipelineSource.absolute(request.output))
        defer { scratch.remove() }
        var references: [ObjectID: Digest] = [:]
        for member in set.members {
            guard let folder = folders[member.folder] else { continue }
            let found = try folder.store(member.evidence.files, in: scratch.blobs)
            references.merge(found) { first, _ in first }
        }
        var evidence = set.evidence
        if let history = request.history {
            let known = history.read { Console.say($0) }
            evidence.plan.lost = known?.lost(
                from: evidence.plan,
                branch: evidence.facts.branch,
                set: evidence.facts.set
            )
            evidence.plan.cleanRuns = known?.cleanRuns(before: evidence.plan)
        }
        var judged =
            evidence.provenBy.map {
                RunJudge.unchanged(evidence.facts, plan: evidence.plan, $0)
            } ?? RunJudge.judge(evidence)
        var pinPath: String?
        if evidence.plan.mode == .record {
            let recorder = try MergeRecorder(evidence: evidence, request: request)
            (judged.recording, pinPath) = try recorder.record(scratch.blobs)
        }
        let output = OutputFolder(
            path: PipelineSource.absolute(request.output),
            sources: sources(evidence, policies, scratch.blobs, references)
        )
        let project = project(of: judged.summary.run.pipeline)
        let rejected = await rejected(in: judged.summary, of: project)
        let outcome = RunOutcome(
            judged: judged,
            ending: .judged,
            // Of a run that ran nothing, nothing can be judged again.
            evidence: evidence.provenBy == nil ? evidence : nil
        )
        let summary = try await output.write(outcome, rejected: rejected)
        if let history = request.history {
            // A merged run ran on machines that no other run of a CI has.
            history.add(summary, host: summary.run.id, to: history.read { _ in }) {
                Console.say($0)
            }
        }
        let ci = CIEnvironment.detect(request.environment)
        ci?.deliver(summary, rejected: rejected, folder: output.path)
        let publication = project.map {
            RunPublication(source: $0, environment: request.environment)
        }
        await PullRequestReport(
            environment: request.environment,
            ci: ci,
            store: (try? project?.references(request.environment))?.location,
            report: publication?.publishAfterRun(summary, output: output.path)
        ).show(summary, rejected: rejected)
        try say(summary, judged, output.path, pinPath, rejected)
        return summary.exitCode
    }

    /// Returns the pipeline's project, or `nil` if its file is not found: a merge does not need it.
    private func project(of pipeline: String) -> PipelineSource? {
        try? request.pipeline.map { try PipelineSource(file: $0) }
            ?? PipelineSearch.find(named: pipeline, request.environment)
    }

    /// Returns the pictures that were rejected before, if the project's data folder is on this
    /// machine.
    private func rejected(
        in summary: RunSummary,
        of project: PipelineSource?
    ) async -> RejectedPictures {
        guard let project else { return RejectedPictures() }
        let place = DecisionStore.ledger(project.folder + "/.snapfarm/ledger.sqlite")
        return await place.rejected(in: summary) { Console.explain($0) }
    }

    // MARK: reading

    /// Reads all parts as `read` does, and sets the commit's status if that fails.
    private func readReportingFailure() async throws -> ([ShareSet.Member], [String: ShardFolder]) {
        do {
            return try read()
        } catch let error as any ExplainedError {
            await PullRequestReport(
                environment: request.environment,
                ci: CIEnvironment.detect(request.environment)
            ).show(error, of: pipelineName)
            throw error
        }
    }

    /// The name in the pipeline file, used if no part gives it; `nil` if there is no readable file.
    private var pipelineName: String? {
        let finder = PipelineFinder(named: request.pipeline, environment: request.environment)
        return (try? PipelineSource(file: finder.file()))?.pipeline.name
    }

    /// Reads all parts; returns their members, at least one, and the folders by name.
    private func read() throws -> ([ShareSet.Member], [String: ShardFolder]) {
        var folders: [String: ShardFolder] = [:]
        var members: [ShareSet.Member] = []
        var faults: [ShardFault] = []
        let isEmpty = request.folders.allSatisfy {
            !FileManager.default.fileExists(atPath: PipelineSource.absolute($0))
        }
        guard !isEmpty else { throw NoParts(folders: request.folders) }
        for name in request.folders where folders[name] == nil {
            do {
                let folder = try ShardFolder(name)
                folders[name] = folder
                guard let evidence = try folder.evidence() else {
                    // Its tests were never planned; a newer output of the share may replace it.
                    Console.say("\(name): the run of \(folder.manifest.shard) never began.")
                    continue
                }
                members.append(ShareSet.Member(folder: name, evidence: evidence))
            } catch let error as ShareSetError {
                faults += error.faults
            }
        }
        guard faults.isEmpty else { throw ShareSetError(faults) }
        guard !members.isEmpty else {
            throw ShareSetError(request.folders.map { .damaged(folder: $0, fact: "it has no run") })
        }
        return (members, folders)
    }

    // MARK: writing

    private func sources(
        _ evidence: RunEvidence,
        _ policies: [PortableManifest.JobPolicy],
        _ blobs: BlobStore,
        _ references: [ObjectID: Digest]
    ) -> OutputSources {
        OutputSources(
            blobs: blobs,
            policies: policies,
            pin: evidence.plan.pin,
            reference: { object in try references[object].map { try blobs.read($0) } }
        )
    }

    private func say(
        _ summary: RunSummary,
        _ judged: JudgedRun,
        _ output: String,
        _ pinPath: String?,
        _ rejected: RejectedPictures
    ) throws {
        if request.printsJSON {
            Console.print(String(decoding: try SummaryJSON.encode(summary), as: UTF8.self))
        }
        let words = ResultPrinter(besideDocument: request.printsJSON)
        RunClosing.show(
            summary,
            at: output,
            advice: DecideAdvice(
                summary,
                isElsewhere: true,
                zip: CIEnvironment.detect(request.environment).zipName
            ),
            rejected: rejected,
            isQuiet: request.isQuiet,
            in: words,
            request.environment
        )
        guard let recording = judged.recording, let pinPath else { return }
        if !request.isQuiet {
            for line in RunClosing.recorded(recording) { words.say(line) }
        }
        words.say("The pin \(pinPath) names them; commit it.")
    }
}
