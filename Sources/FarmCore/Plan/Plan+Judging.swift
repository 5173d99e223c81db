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
    case open(String)

    package var code: String {
        switch self {
        case .otherPipeline: "judge-other-pipeline"
        case .noJob: "judge-no-job"
        case .otherJudge: "judge-other-judge"
        case .recorded: "judge-record-run"
        case .part: "judge-part"
        case .unchanged: "judge-unchanged-run"
        case .open: "judge-open-run"
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
        case .open(let run): "run \(run) has not ended, so its pictures are not complete."
        }
    }
    package var remedy: String {
        switch self {
        case .otherPipeline: "Name the run's own file with --pipeline FILE."
        case .noJob, .otherJudge: "Run the pipeline: `snapfarm run FILE`."
        case .part: "Merge all parts and judge the output of the merge: `--from FOLDER`."
        case .unchanged: "Judge the run that it names as its proof."
        case .recorded: "Name a run that verified: `snapfarm runs` lists them."
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
        guard self.pipeline == pipeline.name else {
            throw .otherPipeline(run: self.pipeline, now: pipeline.name)
        }
        var plan = self
        plan.pin = pin
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

extension Job {
    /// Takes the rules by which a judge decides about pictures and tests that exist already.
    fileprivate mutating func takeRules(of other: Job) {
        comparison = other.comparison
        new = other.new
        moved = other.moved
        flaky = other.flaky
        vanished = other.vanished
    }

    /// Whether the job would run its tests differently than `other`; the judge's rules are ignored.
    package func runsUnlike(_ other: Job) -> Bool {
        var same = other
        same.takeRules(of: self)
        same.cells = cells
        return same != self
    }
}
