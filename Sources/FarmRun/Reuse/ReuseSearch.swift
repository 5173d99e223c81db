// Finds what decides the verdicts of test cases that may be inherited: the inputs of each job, the
// machine, and the references. Inputs are read before the run and again after it: those that changed
// meanwhile prove nothing.
import FarmCore
import FarmDrivers
import FarmFiles
import FarmPipeline
import FarmReferences
import Foundation

/// Finds the inputs of a run's jobs, for the rules of reuse.
struct ReuseSearch: Sendable {
    let request: RunRequest
    let prepared: PreparedRun

    private var workTree: String { prepared.source.folder }

    /// Returns the inputs of all jobs with `reuse` and the references of all snapshot jobs, or `nil`
    /// if the references cannot be read.
    func facts(of plan: Plan) async -> ReuseFacts? {
        var references: [CellID: CellReferences] = [:]
        for job in plan.jobs.map(\.job) where job.kind == .snapshot {
            for cell in job.cells.map(\.id) where references[cell] == nil {
                guard let store = prepared.store else { continue }
                guard let found = try? store.references(of: cell, for: plan) else { return nil }
                references[cell] = found
            }
        }
        return ReuseFacts(inputs: await inputs(of: plan), references: references)
    }

    private func inputs(of plan: Plan) async -> [JobName: ReuseFacts.Inputs] {
        let root = CheckedOut(around: workTree, request.environment).root ?? workTree
        let own = RunInputs(
            root: root,
            own: request.written(in: prepared) + prepared.ownPaths,
            pipelineFile: prepared.source.file,
            ignored: prepared.source.pipeline.pathsIgnore,
            environment: request.environment
        )
        let programs = await own.programsHere()
        let drivers = DriverCatalog(environment: request.environment)
        var found: [JobName: ReuseFacts.Inputs] = [:]
        for planned in plan.jobs where planned.job.reuse != nil {
            let files = JobFiles(planned: planned, workTree: workTree, repository: own)
            switch await files.read() {
            case .success(let lines):
                let entries: [TestID: Digest]?
                do {
                    entries = try DriverCatalog.entries(of: planned.job, workTree: workTree)
                } catch {
                    say("all tests of job \(planned.job.name) run: \(error.inWords)")
                    continue
                }
                let machine = ["snapfarm=\(ProgramVersion.text)"] + programs.sorted()
                let text = (machine + lines.sorted { $0.key < $1.key }.map(\.value))
                found[planned.job.name] = ReuseFacts.Inputs(
                    digest: Digest(of: Data(text.joined(separator: "\n").utf8)),
                    names: lines.keys.sorted(),
                    renderer: await drivers.driver(for: planned.job.driver).renderer(),
                    entries: entries
                )
            case .failure(let reason):
                say("all tests of job \(planned.job.name) run: \(reason.words)")
            }
        }
        return found
    }

    /// Returns the contents of files by their paths; a file that changed since a time, in
    /// milliseconds since 1970, is left out.
    func contents(
        of lists: [[String]],
        unchangedSince since: Int64? = nil
    ) -> [String: String] {
        let content = FileContent(below: workTree, unchangedSince: since)
        let paths = Set(lists.joined())
        return Dictionary(
            paths.compactMap { path in content.text(at: path).map { (path, $0) } }
        ) { first, _ in first }
    }

    /// Returns the files that have changed since the commits of some runs and are no inputs, at most
    /// `FarmLimits.reuseNamesMax`, sorted; `nil` if a commit is not here.
    func suspects(since commits: Set<String>, but facts: ReuseFacts) -> [String]? {
        let checkedOut = CheckedOut(around: workTree, request.environment)
        guard let root = checkedOut.root, !commits.isEmpty else { return nil }
        let git = GitRepositoryFiles(root: root, environment: request.environment)
        var changed: Set<String> = []
        for commit in commits {
            guard let found = git.changed(since: commit) else { return nil }
            changed.formUnion(found)
        }
        let top = RunInputs.real(root)
        let folder = RunInputs.real(workTree).path(below: top) ?? ""
        let prefix = folder.isEmpty ? "" : folder + "/"
        let names = facts.inputs.values.flatMap(\.names) + facts.contents.keys
        let inputs = Set(names.map { prefix + $0 })
        let own = (request.written(in: prepared) + prepared.ownPaths)
            .compactMap { RunInputs.real($0).path(below: top) }
        let others = changed.filter { path in
            !inputs.contains(path) && !own.contains { path == $0 || path.hasPrefix($0 + "/") }
        }
        return Array(others.sorted().prefix(FarmLimits.reuseNamesMax))
    }

    func say(_ line: String) { if !request.isQuiet { Console.say(line) } }

    // MARK: the end of the run

    /// Returns the evidence of a run that may be inherited later, with the facts that were the same
    /// before the run and after it; `nil` if nothing of the run may be.
    func found(_ outcome: RunOutcome) async -> (evidence: RunEvidence, facts: ReuseFacts)? {
        guard var facts = prepared.reuse.known, let evidence = outcome.evidence else { return nil }
        if request.resumes {
            facts.inputs = [:]
        } else {
            let after = await inputs(of: evidence.plan)
            facts.inputs = facts.inputs.filter { after[$0.key] == $0.value }
            facts.contents = contents(
                of: evidence.tests.compactMap { $0.report?.inputs?.files },
                unchangedSince: evidence.startedAt
            )
            sayUnknowns(of: evidence)
        }
        return (evidence, facts)
    }

    /// Says which tests read something that cannot be compared, so that they run in every run.
    private func sayUnknowns(of evidence: RunEvidence) {
        let found = evidence.tests.compactMap { test in
            test.report?.inputs?.unknown.map { (words: $0, test: test.key.test) }
        }
        let groups = Dictionary(grouping: found, by: \.words).sorted {
            ($1.value.count, $0.key) < ($0.value.count, $1.key)
        }
        guard !groups.isEmpty else { return }
        let words = groups.prefix(3).map { words, tests in
            "\(tests.count) \(tests.count == 1 ? "reads" : "read") \(words) (\(tests[0].test))"
        }
        let rest = groups.count > 3 ? " and others" : ""
        say(
            "\(Amount.count(found.count, "test")) will run each time: "
                + words.joined(separator: ", ") + rest + "."
        )
    }
}

extension PlannedWork {
    /// Returns the work without the test cases whose inputs are unchanged since they passed.
    ///
    /// Says why, if a job has `reuse` and all tests run.
    func reusing(_ search: ReuseSearch) async -> PlannedWork {
        let request = search.request
        guard plan.jobs.contains(where: { $0.job.reuse != nil }), plan.mode == .verify,
            plan.inherited == nil, !request.isElsewhere
        else { return self }
        func all(_ reason: String) -> PlannedWork {
            search.say("all tests run: \(reason)")
            return self
        }
        guard plan.mayReuse else {
            return all("a part of a run, or one with --repeat, reuses nothing.")
        }
        guard let history = request.history else {
            return all("without --history FILE, it is not known what has changed.")
        }
        guard var facts = await search.facts(of: plan) else {
            return all("the references cannot be read.")
        }
        search.prepared.reuse.set(facts)
        guard request.allowsReuse else { return self }
        guard let record = history.read({ _ in })?.reuse, record.fullRun != nil else {
            return all("the history has no run of all tests, or is damaged.")
        }
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        // A run that is finished must have the plan with which it began.
        guard request.resumes || record.isYoung(now: now) else {
            return all("the last run of all tests is more than a day old, or in the future.")
        }
        for job in record.off where plan.jobs.contains(where: { $0.job.name == job }) {
            search.say("all tests of job \(job) run: one differed although no input had changed.")
        }
        facts.contents = search.contents(of: record.tests.compactMap(\.files))
        var plan = self.plan.reusing(record, facts)
        guard let inherited = plan.inherited else { return self }
        let runs = Set(inherited.unchanged?.sample.map(\.run) ?? [])
        plan.inherited?.unchanged?.suspects = search.suspects(
            since: Set(runs.map { record.commits[$0] ?? "" }),
            but: facts
        )
        return PlannedWork(plan, costs: costs?.without(inherited))
    }
}
