// The plan by which a run is judged again: its tests and cells, with the pin and the judge's rules
// of a pipeline file as it is now.

/// The reasons why a pipeline file cannot judge a run again.
package enum RejudgeError: ExplainedError, Hashable {
    case otherPipeline(run: String, now: String)
    case noJob(JobName)
    case otherJudge(JobName)
    case recorded
    case part(String)
    case unchanged(String)
    case inherited(String)
    case open(String)
    /// The data folder has no complete run of this branch and of a pipeline here.
    case noRun(data: String)

    package var code: String {
        switch self {
        case .otherPipeline: "judge-other-pipeline"
        case .noJob: "judge-no-job"
        case .otherJudge: "judge-other-judge"
        case .recorded: "judge-record-run"
        case .part: "judge-part"
        case .unchanged: "judge-unchanged-run"
        case .inherited: "judge-red-of-run"
        case .open: "judge-open-run"
        case .noRun: "unknown-run"
        }
    }
    package var message: String {
        switch self {
        case .otherPipeline(let run, let now):
            "the run is of pipeline \(run), and the pipeline file is that of \(now)."
        case .noJob(let job): "the pipeline file has no job \(job), whose pictures the run made."
        case .otherJudge(let job):
            "job \(job) has another `judge:` or `kind:` now, so its tests would leave other "
                + "pictures."
        case .recorded: "the run recorded references; it compared nothing."
        case .part(let run): "run \(run) is a part of a run, or it recorded references."
        case .unchanged(let run): "no test ran in run \(run), so it made no picture."
        case .noRun(let data):
            "no complete run of this branch in \(data) is of a pipeline that is here now."
        case .inherited(let run):
            "the run inherited verdicts of run \(run), so it has not made all pictures."
        case .open(let run): "run \(run) has not ended, so its pictures are not complete."
        }
    }
    package var remedy: String {
        switch self {
        case .otherPipeline: "Name the run's own file with --pipeline FILE."
        case .noJob, .otherJudge: "Run the pipeline: `snapfarm run FILE`."
        case .part: "Merge all parts and judge the output of the merge: `--from FOLDER`."
        case .unchanged: "Judge the run that it names as its proof."
        case .inherited(let run): "Judge run \(run), or run all tests and judge that run."
        case .recorded: "Name a run that verified: `snapfarm runs` lists them."
        case .noRun:
            "`snapfarm runs` lists the runs; a run of a pipeline that was renamed needs the file with "
                + "its old name: --pipeline FILE."
        case .open: "Finish it with --resume, or wait for its end."
        }
    }
    package var exit: ExitCode { .invalidInput }
}

extension Plan {
    /// Returns this plan with another pin, and with the comparison, the leniencies, the screens and
    /// the quarantine of a pipeline.
    ///
    /// Tests, cells and all that decides which pictures the tests make stay as they are.
    ///
    /// - Throws: ``RejudgeError``.
    package func judged(by pipeline: Pipeline, pin: ReferencePin) throws(RejudgeError) -> Plan {
        guard mode == .verify else { throw .recorded }
        if let inherited { throw .inherited(inherited.run) }
        guard self.pipeline == pipeline.name else {
            throw .otherPipeline(run: self.pipeline, now: pipeline.name)
        }
        var plan = self
        plan.pin = pin
        plan.drawn = nil
        plan.renames = pipeline.references?.renames ?? []
        plan.screens = pipeline.screens?.names
        var rules = rules ?? RunRules()
        rules.quarantine = pipeline.quarantine
        plan.rules = rules.unlessUsual
        for index in plan.jobs.indices {
            let name = plan.jobs[index].job.name
            guard let now = pipeline.jobs.first(where: { $0.name == name }) else {
                throw .noJob(name)
            }
            let job = plan.jobs[index].job
            guard now.judge == job.judge, now.kind == job.kind else { throw .otherJudge(name) }
            plan.jobs[index].job.takeRules(of: now)
        }
        return plan
    }
}

extension Plan {
    /// Returns what a pipeline file changes that the kept pictures of this plan's run do not
    /// decide, a sentence for each; `run` is the id of the run.
    package func undecided(by pipeline: Pipeline, run: String) -> [String] {
        let named = Dictionary(jobs.map { ($0.job.name, $0.job) }) { first, _ in first }
        return pipeline.jobs.flatMap { now in
            guard let job = named[now.name] else {
                return ["job \(now.name) is new; run \(run) has no test of it."]
            }
            return now.undecided(by: job, run: run)
        }
    }
}

extension Job {
    /// Returns the sentences of ``Plan/undecided(by:run:)`` about this job; `other` is the job of
    /// then.
    fileprivate func undecided(by other: Job, run: String) -> [String] {
        let known = Dictionary(other.cells.map { ($0.id, $0) }) { first, _ in first }
        let own = Set(cells.map(\.id))
        let facts: [(fact: String, cells: [CellID])] = [
            (
                "now has cells of which run \(run) has no picture",
                own.subtracting(known.keys).sorted()
            ),
            (
                "no longer has cells, whose pictures of run \(run) are judged all the same",
                known.keys.filter { !own.contains($0) }.sorted()
            ),
            (
                "has another device now on cells whose pictures are those of run \(run)",
                cells.filter { cell in known[cell.id].map { $0 != cell } ?? false }.map(\.id)
            ),
        ]
        let differs = "runs its tests differently now; its pictures are those of run \(run)."
        return (runsUnlike(other) ? ["job \(name) \(differs)"] : [])
            + facts.filter { !$0.cells.isEmpty }.map {
                let named = $0.cells.prefix(5).map(\.text).joined(separator: ", ")
                let rest = $0.cells.count > 5 ? " and \($0.cells.count - 5) more" : ""
                return "job \(name) \($0.fact): \(named)\(rest)."
            }
    }

    /// Takes the rules by which a judge decides about pictures and tests that exist already.
    fileprivate mutating func takeRules(of other: Job) {
        comparison = other.comparison
        new = other.new
        moved = other.moved
        flaky = other.flaky
        vanished = other.vanished
    }

    /// Whether the job would run its tests differently than `other`; the judge's rules are ignored.
    private func runsUnlike(_ other: Job) -> Bool {
        var same = other
        same.takeRules(of: self)
        same.cells = cells
        same.reuse = reuse
        same.inputs = inputs
        return same != self
    }
}
