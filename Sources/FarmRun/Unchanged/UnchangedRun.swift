// A run that an earlier one proves green: the same inputs, and a pin that names exactly the
// pictures of then. It runs no test.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmGit
import FarmReferences
import FarmReview
import Foundation

/// Looks for an earlier run that proves this one green.
struct UnchangedRun: Sendable {
    let request: RunRequest
    let prepared: PreparedRun

    /// Whether proofs concern the run: it compares all tests of a known commit, and a history, an
    /// earlier output or a coordinator keeps proofs.
    var applies: Bool {
        let isWhole =
            prepared.selection.isEmpty
            && MachineShare.place(request.shard, selects: false, request.environment) == nil
        return request.mode == .verify && isWhole && !request.resumes
            && request.rules.repeats == 1 && !prepared.pin.isEmpty && !prepared.place.commit.isEmpty
            && (request.history != nil || request.reuses != nil || request.isElsewhere)
    }

    /// Returns the digest of the run's inputs, or `nil` if it cannot be computed.
    ///
    /// `fleet` are the programs of a coordinator's machines; if `nil`, the run is on this machine.
    func inputs(_ fleet: [String]?) async -> Digest? {
        let source = prepared.source
        let root = prepared.references?.checkedOut.root ?? source.folder
        let own = [
            prepared.data.path, PipelineSource.absolute(request.output), request.history?.path,
            request.reuses.map(PipelineSource.absolute), prepared.references?.pinPath,
            prepared.references?.location.localPath,
        ]
        let inputs = RunInputs(
            root: root,
            own: own.compactMap(\.self),
            ignored: source.pipeline.pathsIgnore,
            environment: request.environment
        )
        let programs: [String]
        if let fleet { programs = fleet } else { programs = await inputs.programsHere() }
        return await inputs.digest(programs: programs)
    }

    /// Returns the outcome that an earlier run proves, or `nil` if the tests must run.
    ///
    /// `fleet` are earlier runs of a coordinator.
    func outcome(_ fleet: [CompleteRun] = []) throws -> RunOutcome? {
        guard request.allowsReuse, let inputs = prepared.inputs else { return nil }
        let known = request.history?.read { _ in }?.completes ?? []
        let found = try RunHistory.proof(
            among: kept + known + fleet,
            commit: prepared.place.commit,
            inputs: inputs,
            references: references
        )
        guard let found, let proof = found.proof, let plan = plan(of: found) else { return nil }
        var random = SystemRandomNumberGenerator()
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        var facts = prepared.facts(of: plan, mode: .verify)
        facts.id = RunID.new(now: now, using: &random).text
        facts.key = prepared.ci?.runKey ?? ""
        facts.started = ISO8601.text(now)
        facts.finished = facts.started
        let judged = RunJudge.unchanged(facts, plan: plan, since: found, proof)
        return RunOutcome(judged: judged, ending: .unchanged)
    }

    /// The earlier run of `--reuse`, or none if it cannot be used.
    private var kept: [CompleteRun] {
        guard let place = request.reuses else { return [] }
        do {
            let scratch = try OwnedFolder("reuse")
            defer { scratch.remove() }
            let path = PipelineSource.absolute(place)
            let run = try ReviewedRun(from: path, origin: place, scratch: scratch.path)
            return [try run.summary().flatMap(CompleteRun.init)].compactMap(\.self)
        } catch {
            Console.say("nothing is reused from \(place): \(error.inWords)")
            return []
        }
    }

    /// Returns the references that the pin names for this pipeline's pictures.
    private func references() throws -> [Reference] {
        guard let place = prepared.references else { return [] }
        let jobs = prepared.source.pipeline.jobs
        let owner = SuiteOwner(pipeline: prepared.source.pipeline.name, jobs: Set(jobs.map(\.name)))
        let cells = Set(jobs.filter { $0.kind == .snapshot }.flatMap(\.cells).map(\.id))
        let store = try prepared.store ?? place.folders(of: prepared.pin)
        return try cells.flatMap { cell in
            let suites = try store.suiteRecords(prepared.pin, cell: cell)
            return try store.references(prepared.pin, cell: cell).filter {
                !owner.isOther(suites[$0.id.firstFolder])
            }
        }
    }

    private func plan(of run: CompleteRun) -> Plan? {
        let jobs = Planner.jobs(of: prepared.source.pipeline, selection: prepared.selection)
        guard Set(jobs.map(\.name)) == Set(run.tests.keys) else { return nil }
        return try? Planner.plan(
            pipeline: prepared.source.pipeline,
            discovered: jobs.map {
                DiscoveredJob(job: $0, tests: run.tests[$0.name] ?? [], prepared: [:])
            },
            selection: prepared.selection,
            mode: .verify,
            pin: prepared.pin,
            rules: request.rules,
            workTree: prepared.source.folder
        )
    }
}

extension ReferencePlace {
    /// Returns the store with the folders of a pin, whose pictures may be missing.
    fileprivate func folders(of pin: ReferencePin) throws -> ReferenceStore {
        if isRemote {
            try remote(RemoteAccess.own(environment)).fetchFolders(ofSet: pin.setID)
        }
        return try store()
    }
}

extension CoordinatorClient {
    /// Returns the programs of the coordinator's live workers, as `NAME=VALUE`, or `nil` if none is
    /// live.
    func programs() async throws -> [String]? {
        let live = try await workers(limit: FarmLimits.listMax).filter { $0.state == .live }
        let offers = live.compactMap(\.offer).flatMap { offer in
            offer.values.flatMap { name, values in values.map { "\(name)=\($0)" } }
        }
        return offers.isEmpty ? nil : Set(offers).sorted()
    }

    /// Returns the newest complete run of a pipeline, or none.
    func lastComplete(of pipeline: String) async throws -> [CompleteRun] {
        let runs = try await runs(limit: FarmLimits.listMax).filter {
            $0.pipeline == pipeline && $0.mode == .verify && [.passed, .failed].contains($0.state)
        }
        guard let newest = runs.max(by: { $0.started < $1.started }) else { return [] }
        return [try await result(newest.run).flatMap { CompleteRun(of: $0.summary) }]
            .compactMap(\.self)
    }
}
