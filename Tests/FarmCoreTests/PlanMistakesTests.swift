import FarmCore
import Foundation
import Testing

@Suite("What is wrong with a plan")
struct PlanMistakesTests {
    static func plan() -> Plan {
        let device = Device(name: "iPhone 8", os: "13.1", width: 375, height: 667, scale: 2)
        let cells = ["light", "dark"].map { value in
            Cell(
                id: CellID("iPhone-8_13.1_\(value)"),
                device: device,
                variant: [VariantValue(axis: "appearance", value: value)]
            )
        }
        let jobs = ["unit", "snap"].map { name in
            Job(
                name: JobName(name),
                kind: .unit,
                driver: DriverSettings("command", ["discover": "d", "run": "r"]),
                cells: cells
            )
        }
        return Plan(
            pipeline: "app",
            mode: .verify,
            filtered: false,
            pin: ReferencePin(),
            jobs: jobs.map {
                PlannedJob(job: $0, tests: [TestID("a"), TestID("b")], prepared: ["k": "v"])
            },
            rules: RunRules(repeats: 2),
            workTree: "/w"
        )
    }

    private static func drawn(_ cell: CellID, _ renderer: [String: String]) -> DrawnReferences {
        DrawnReferences(job: JobName("unit"), cells: [cell], renderers: [renderer])
    }

    /// A way of spoiling a plan, and a word of the mistake that names it.
    struct Spoiled: CustomTestStringConvertible, Sendable {
        let word: String
        let spoil: @Sendable (inout Plan) -> Void

        init(_ word: String, _ spoil: @escaping @Sendable (inout Plan) -> Void) {
            self.word = word
            self.spoil = spoil
        }

        var testDescription: String { word }
    }

    static let spoiled = [
        Spoiled("\"unit\" is there twice") { $0.jobs.append($0.jobs[0]) },
        Spoiled("no file name") { $0.jobs[0].job.name = JobName("../..") },
        Spoiled("no file name") { $0.jobs[0].job.cells[0].id = CellID("..") },
        Spoiled("no file name") { $0.jobs[0].job.cells[0].id = CellID("") },
        Spoiled("_light\" is there twice") {
            $0.jobs[0].job.cells[1].id = $0.jobs[0].job.cells[0].id
        },
        Spoiled("an axis twice") {
            $0.jobs[0].job.cells[0].variant += $0.jobs[0].job.cells[0].variant
        },
        Spoiled("has the test \"a\" twice") { $0.jobs[0].tests.append(TestID("a")) },
        Spoiled("a test without a name") { $0.jobs[0].tests.append(TestID("")) },
        Spoiled("or with one too long") {
            $0.jobs[0].tests.append(TestID(String(repeating: "t", count: 5_000)))
        },
        Spoiled("timeouts.testSeconds") { $0.jobs[0].job.timeouts.testSeconds = -1 },
        Spoiled("timeouts.testSeconds") { $0.jobs[0].job.timeouts.testSeconds = .nan },
        Spoiled("timeouts.shardSeconds") { $0.jobs[0].job.timeouts.shardSeconds = 1e300 },
        Spoiled("retries is -1") { $0.jobs[0].job.retries = -1 },
        Spoiled("retries is 9") { $0.jobs[0].job.retries = .max },
        Spoiled("repeatNew is 0") { $0.jobs[0].job.repeatNew = 0 },
        Spoiled("repeatNew is 4, not from 1 to 3") { $0.jobs[0].job.repeatNew = 4 },
        Spoiled("repeats is 9") { $0.rules?.repeats = .max },
        Spoiled("repeats is 0") { $0.rules?.repeats = 0 },
        Spoiled("scale of its device") { $0.jobs[0].job.cells[0].device?.scale = 1e300 },
        Spoiled("scale of its device") { $0.jobs[0].job.cells[0].device?.scale = .nan },
        Spoiled("width and height") { $0.jobs[0].job.cells[0].device?.width = .max },
        Spoiled("width and height") { $0.jobs[0].job.cells[0].device?.height = .min },
        Spoiled("drawn names a cell that the plan does not have") {
            $0.drawn = [drawn(CellID("other"), ["browser": "148"])]
        },
        Spoiled("drawn has a renderer that no worker can offer") {
            $0.drawn = [drawn($0.jobs[0].job.cells[0].id, ["browser": "1\n2"])]
        },
        Spoiled("drawn has a renderer that no worker can offer") {
            $0.drawn = [drawn($0.jobs[0].job.cells[0].id, [:])]
        },
        Spoiled("drawn has more cells than the plan") {
            $0.drawn = Array(repeating: drawn(CellID("c"), [:]), count: 9)
        },
        Spoiled("share.tests are not") { plan in
            plan.share = ShardPlace(index: 0, total: 1).map {
                PlanShare(place: $0, history: nil, tests: [])
            }
        },
        Spoiled("share.tests are not") { plan in
            plan.share = ShardPlace(index: 0, total: 1).map {
                PlanShare(place: $0, history: nil, tests: [[[0, 1], [9]], [[0], [-1]]])
            }
        },
        Spoiled("share is no INDEX/TOTAL") { plan in
            var place = ShardPlace(index: 0, total: 1)
            place?.total = 0
            plan.share = place.map {
                PlanShare(place: $0, history: nil, tests: [[[0], []], [[], [1]]])
            }
        },
        Spoiled("part is not the outline") {
            $0.part = PlanPart(name: "p", jobs: [], tests: [:])
        },
        Spoiled("the pipeline has no name") { $0.pipeline = "a\u{1B}[2Jb" },
        Spoiled("startGuess is no time") {
            $0.jobs[0].job.startGuess = StartGuess(warmSeconds: .nan, coldSeconds: 1)
        },
        Spoiled("startGuess is no time") {
            $0.jobs[0].job.startGuess = StartGuess(warmSeconds: 0, coldSeconds: 1e300)
        },
        Spoiled("pictureRemedy is no text") {
            $0.jobs[0].job.pictureRemedy = String(repeating: "a", count: 5_000)
        },
        Spoiled("pictureRemedy is no text") { $0.jobs[0].job.pictureRemedy = "a\u{0}b" },
        Spoiled("env holds what is no variable") { $0.jobs[0].job.env = ["A=B": "c"] },
        Spoiled("env holds what is no variable") { $0.jobs[0].job.env = ["A": "\u{0}"] },
        Spoiled("framework is no profile that a lease can follow") {
            let place = PicturePlace(folders: ["{lease}/../.."], paths: [:])
            $0.jobs[0].job.framework = FrameworkProfile(name: "x", pictures: [place])
        },
        Spoiled("framework is no profile that a lease can follow") {
            let orders = FrameworkMode(environment: ["A=B": "c"])
            $0.jobs[0].job.framework = FrameworkProfile(name: "x", verify: orders)
        },
        Spoiled("driver holds no text") { $0.jobs[0].job.driver.name = "a\u{0}b" },
        Spoiled("driver holds no text") {
            $0.jobs[0].job.driver.values["captures"] = ["pattern": ["a\u{0}b"]]
        },
        Spoiled("a pattern is too long") {
            let long = String(repeating: "x", count: FarmLimits.patternBytesMax + 1)
            $0.rules?.quarantine = [QuarantineEntry(test: long, until: "2026-12-31", reason: "r")]
        },
        Spoiled("quarantine has patterns that are too many and too long") { plan in
            let long = String(repeating: "a*", count: FarmLimits.patternBytesMax / 2)
            plan.jobs[0].tests.append(TestID(String(repeating: "a", count: 4_096)))
            plan.rules?.quarantine = (0..<1_000).map { _ in
                QuarantineEntry(test: long, until: "2026-12-31", reason: "r")
            }
        },
        Spoiled("reencode has patterns that are too many and too long") {
            $0.reencode = (0..<1_000).map { "\($0)" + String(repeating: "*a", count: 250) }
        },
        Spoiled("comparison has patterns that are too many and too long") {
            $0.jobs[0].job.comparison.overrides = (0..<1_000).map {
                ComparisonRules.Override(
                    subject: .suites,
                    pattern: "\($0)" + String(repeating: "*a", count: 250),
                    policy: nil
                )
            }
        },
        Spoiled("comparison has a number") {
            $0.jobs[0].job.comparison.policy = .visible(VisibleLimits(noise: .min))
        },
        Spoiled("comparison has a number") {
            $0.jobs[0].job.comparison.policy = .paparazzi(maxPercentDifference: -.infinity)
        },
        Spoiled("no box") {
            let box = PixelBox(x: .max, y: 0, width: .max, height: 1)
            $0.jobs[0].job.comparison.ignored.boxes = [box]
        },
        Spoiled("until is no day") {
            $0.rules?.quarantine = [QuarantineEntry(test: "*", until: "never", reason: "r")]
        },
        Spoiled("both a test and a snapshot, or neither") {
            $0.rules?.quarantine = [QuarantineEntry(until: "2026-12-31", reason: "r")]
        },
        Spoiled("matrix: cell") { $0.matrix = [$0.jobs[0].job.cells[0], $0.jobs[0].job.cells[0]] },
    ]

    @Test("each is named with its field", arguments: spoiled)
    func named(_ spoiled: Spoiled) throws {
        var plan = Self.plan()
        spoiled.spoil(&plan)
        let mistakes = try #require(PlanMistakes(plan), "\(spoiled.word)")
        #expect(mistakes.message.contains(spoiled.word), "\(mistakes.message)")
        #expect(mistakes.count == 1 || mistakes.named.contains { $0.contains(spoiled.word) })
        #expect(mistakes.exit == .invalidInput)
    }

    @Test("what the drivers say of their settings is named with the job, and comes last")
    func ofDrivers() throws {
        var plan = Self.plan()
        plan.jobs[1].job.retries = -1
        plan.jobs[1].job.driver = DriverSettings("other")
        let mistakes = try #require(
            PlanMistakes(plan) { $0.name == "other" ? ["it has no heart", "it sleeps"] : [] }
        )
        #expect(
            mistakes.named == [
                "job \"snap\": retries is -1, not from 0 to 2", "job \"snap\": it has no heart",
                "job \"snap\": it sleeps",
            ]
        )
    }

    @Test("a plan as it is made has none, whole, as a share and as a part")
    func none() {
        #expect(PlanMistakes(Self.plan()) == nil)
        var share = Self.plan()
        share.share = ShardPlace(index: 1, total: 3).map {
            PlanShare(place: $0, history: nil, tests: [[[0, 1], []], [[], [1]]])
        }
        #expect(PlanMistakes(share) == nil)
        var part = Self.plan()
        let jobs = part.jobs.map(\.job)
        part.jobs.removeLast()
        part.part = PlanPart(name: "job=unit", jobs: jobs, tests: ["unit": part.jobs[0].tests])
        #expect(PlanMistakes(part) == nil)
    }

    @Test("a thousand patterns and reasons as people write them are none")
    func patterns() {
        var plan = Self.plan()
        plan.jobs[0].tests.append(TestID(String(repeating: "t", count: 400)))
        plan.rules?.quarantine = (0..<1_000).map { number in
            QuarantineEntry(
                test: "Suite\(number)/" + String(repeating: "caseWithAName", count: 10) + "*",
                cell: "iPhone-*",
                until: "2026-12-31",
                reason: String(repeating: "flickers since #512. ", count: 40)
            )
        }
        #expect(PlanMistakes(plan) == nil)
    }

    @Test("all are counted, and a message of bounded length names the first")
    func bounded() throws {
        var plan = Self.plan()
        plan.jobs[0].tests = (0..<5_000).map { _ in TestID(String(repeating: "x", count: 3_000)) }
        let mistakes = try #require(PlanMistakes(plan))
        #expect(mistakes.count == 4_999)
        #expect(mistakes.named.count == FarmLimits.planMistakesMax)
        #expect(mistakes.message.contains("and 4979 more"))
        #expect(mistakes.message.utf8.count < 10_000)
    }
}
