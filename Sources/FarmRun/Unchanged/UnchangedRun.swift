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

    /// Whether proofs concern the run: it compares whole jobs of a known commit, and a history, an
    /// earlier output or a coordinator keeps proofs.
    var applies: Bool {
        request.mode == .verify && prepared.selection.names == nil && !request.resumes
            && request.rules.repeats == 1 && !prepared.place.commit.isEmpty
            && request.redOf == nil
            && (request.history != nil || request.reuses != nil || request.isElsewhere)
    }

    /// Returns the digest of the run's inputs, `nil` if it is not known, and the outcome that an
    /// earlier run proves, `nil` if the tests must run.
    ///
    /// `fleet` is the coordinator that runs the tests; if `nil`, this machine does. A store or an
    /// earlier output that cannot be read proves nothing, and stops no run.
    func look(_ fleet: FleetFacts? = nil) async -> (inputs: Digest?, outcome: RunOutcome?) {
        guard applies else { return (nil, nil) }
        let kept = self.kept
        let read = inputs(leavesOutReused: !kept.isEmpty)
        guard let read, let inputs = await digest(of: read, fleet) else { return (nil, nil) }
        guard request.allowsReuse else { return (inputs, nil) }
        let known = request.history?.read { _ in }?.completes ?? []
        do {
            let runs = kept + known + (fleet?.runs ?? [])
            switch try search(inputs, among: runs) {
            case .proven(let run): return (inputs, outcome(provenBy: run))
            case .refuted(let run, let mismatch): say(mismatch, of: run, read)
            case .noProof: break
            }
            return (inputs, nil)
        } catch {
            Console.say("the tests run, because the references cannot be read: \(error.inWords)")
            return (inputs, nil)
        }
    }

    /// Returns the inputs, or `nil` if snapfarm writes into a folder with files of the repository.
    private func inputs(leavesOutReused: Bool) -> RunInputs? {
        let source = prepared.source
        let checkedOut = CheckedOut(around: source.folder, request.environment).root
        let root = checkedOut ?? source.folder
        let reused = leavesOutReused ? request.reuses.map(PipelineSource.absolute) : nil
        let written = request.written(in: prepared) + [reused].compactMap(\.self)
        let git = GitRepositoryFiles(root: root, environment: request.environment)
        if checkedOut != nil, let tracked = git.firstTracked(below: written) {
            say("\(tracked) is a file of the repository in a folder that snapfarm writes.")
            return nil
        }
        return RunInputs(
            root: root,
            own: written + prepared.ownPaths,
            pipelineFile: source.file,
            ignored: source.pipeline.pathsIgnore,
            environment: request.environment
        )
    }

    private func digest(of inputs: RunInputs, _ fleet: FleetFacts?) async -> Digest? {
        let programs: [String]
        if let fleet { programs = fleet.programs } else { programs = await inputs.programsHere() }
        let digest = await inputs.digest(programs: programs)
        if digest == nil {
            say(
                "the repository has over \(RunInputs.bytesMax >> 30) GB of files, or one that cannot "
                    + "be read. Name build folders under `pathsIgnore` in the pipeline file."
            )
        }
        return digest
    }

    private func say(_ reason: String) {
        guard !request.isQuiet else { return }
        Console.say("this run proves nothing for later commits: \(reason)")
    }

    /// Says why the tests run although an earlier run has a proof.
    private func say(_ mismatch: ProofMismatch, of run: CompleteRun, _ inputs: RunInputs) {
        guard !request.isQuiet, let proof = run.proof else { return }
        let reason = mismatch.reason(of: run.run, proof) {
            GitRepositoryFiles(root: inputs.root, environment: request.environment)
                .firstChanged(since: proof.commit, but: inputs.leavesOut)
        }
        Console.say("the tests run: \(reason)")
    }

    private func search(_ inputs: Digest, among runs: [CompleteRun]) throws -> ProofSearch {
        try RunHistory.proof(
            among: runs,
            commit: prepared.place.commit,
            part: part,
            inputs: inputs,
            references: references
        )
    }

    private func outcome(provenBy found: CompleteRun) -> RunOutcome? {
        guard let proof = found.proof, let plan = plan(of: found) else { return nil }
        let earlier = ProvenBy(run: found.run, proof: proof)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let facts = facts(of: plan, now: now)
        var evidence = RunEvidence(
            facts: facts,
            plan: plan,
            tests: plan.shareKeys.map {
                TestEvidence(key: $0, verdict: .passed, note: "", attempts: [])
            },
            leases: [],
            references: [:],
            cancelled: false,
            startedAt: now
        )
        evidence.provenBy = earlier
        let judged = RunJudge.unchanged(facts, plan: plan, earlier)
        // Only a merge needs the evidence: nothing of it can be judged again.
        return RunOutcome(
            judged: judged,
            ending: .judged,
            evidence: facts.shareName == nil ? nil : evidence
        )
    }

    /// The name of this machine's part of the run, like ``RunFacts/shareName``; empty for a whole
    /// run.
    private var part: String {
        let place = MachineShare.place(
            request.shard,
            selects: !prepared.selection.isEmpty,
            request.environment
        )
        return place?.description ?? prepared.selection.name ?? ""
    }

    private func facts(of plan: Plan, now: Int64) -> RunFacts {
        var random = SystemRandomNumberGenerator()
        let isPart = plan.share != nil || plan.filtered
        var facts = prepared.facts(of: plan, mode: .verify)
        facts.id = RunID.new(now: now, using: &random).text
        facts.key = (isPart ? prepared.ci?.sharedKey : prepared.ci?.runKey) ?? ""
        facts.started = ISO8601.text(now)
        facts.finished = facts.started
        return facts
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
        // A part's own pin and store may lack the references of other cells.
        let pin = try place.pin()
        let store = try place.folders(of: pin)
        return try cells.flatMap { cell in
            let suites = try store.suiteRecords(pin, cell: cell)
            return try store.references(pin, cell: cell).filter {
                !owner.isOther(suites[$0.id.firstFolder])
            }
        }
    }

    private func plan(of run: CompleteRun) -> Plan? {
        let jobs = Planner.jobs(of: prepared.source.pipeline, selection: prepared.selection)
        let all = Set(prepared.source.pipeline.jobs.map(\.name))
        guard all == Set(run.tests.keys) else { return nil }
        let plan = try? Planner.plan(
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
        return plan.map { request.work(of: $0, in: prepared).plan }
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

/// A coordinator's machines and its last run, as proofs need them.
struct FleetFacts: Sendable {
    /// The programs of the live workers, as `NAME=VALUE`; not empty.
    let programs: [String]
    /// The newest complete run of the pipeline, if there is one.
    let runs: [CompleteRun]

    /// Asks the coordinator, or returns `nil` if no worker is live or the coordinator does not
    /// answer: then nothing is proven.
    init?(of pipeline: String, at client: CoordinatorClient) async {
        guard let workers = try? await client.workers(limit: FarmLimits.listMax),
            let listed = try? await client.runs(limit: FarmLimits.listMax)
        else { return nil }
        let offers = workers.filter { $0.state == .live }.compactMap(\.offer).flatMap { offer in
            offer.values.flatMap { name, values in values.map { "\(name)=\($0)" } }
        }
        guard !offers.isEmpty else { return nil }
        programs = Set(offers).sorted()
        let newest = listed.filter {
            $0.pipeline == pipeline && $0.mode == .verify && [.passed, .failed].contains($0.state)
        }
        .max { $0.started < $1.started }
        guard let newest, let judged = try? await client.result(newest.run) else {
            runs = []
            return
        }
        runs = [CompleteRun(of: judged.summary)].compactMap(\.self)
    }
}
