// Plans that a coordinator must refuse whole: each would crash it, now or at every later start.
import FarmAPI
import FarmCore
import Foundation

extension BadCall {
    /// The defect of each plan, and how to produce it.
    private static let plans: [(String, @Sendable (inout Plan) -> Void)] = [
        ("a job twice", { $0.jobs.append($0.jobs[0]) }),
        ("a test twice", { $0.jobs[0].tests += $0.jobs[0].tests }),
        ("a cell twice", { $0.jobs[0].job.cells += $0.jobs[0].job.cells }),
        ("repeats without end", { $0.rules = RunRules(repeats: .max) }),
        ("negative time limits", { $0.jobs[0].job.timeouts.testSeconds = -1e300 }),
        ("a scale without end", { $0.jobs[0].job.cells[0].device?.scale = 1e300 }),
        (
            "a share of other tests",
            { plan in
                plan.share = ShardPlace(index: 0, total: 1).map {
                    PlanShare(place: $0, history: nil, tests: [[[99]]])
                }
            }
        ),
        ("a driver that nobody has", { $0.jobs[0].job.driver.name = "none" }),
        ("another driver's settings", { $0.jobs[0].job.driver.name = "swiftpm" }),
        (
            "results of the machine",
            { $0.jobs[0].job.driver.values["results"] = "/etc/passwd" }
        ),
        (
            "an axis twice",
            {
                $0.jobs[0].job.cells[0].variant = Array(
                    repeating: .init(axis: "a", value: "b"),
                    count: 2
                )
            }
        ),
    ]

    /// Returns one call for each bad plan.
    static var submissions: [BadCall] {
        plans.map { _, spoil in
            var plan = Self.plan
            spoil(&plan)
            let request = SubmitRequest(key: "k", facts: .unknown(RunID("r")), plan: plan)
            let body = try? JSONEncoder().encode(request)
            return BadCall(
                path: Routes.prefix + Routes.runs,
                scope: "submit",
                body: body.map { String(decoding: $0, as: UTF8.self) },
                status: 400,
                code: "plan-invalid"
            )
        }
    }

    /// A plan of one test on one cell.
    static var plan: Plan {
        let device = Device(name: "A", width: 8, height: 8, scale: 1)
        let job = Job(
            name: JobName("unit"),
            kind: .unit,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            cells: [Cell(id: CellID("A"), device: device, variant: [])]
        )
        return Plan(
            pipeline: "app",
            mode: .verify,
            filtered: false,
            pin: ReferencePin(),
            jobs: [PlannedJob(job: job, tests: [TestID("t")], prepared: [:])],
            workTree: ""
        )
    }
}
