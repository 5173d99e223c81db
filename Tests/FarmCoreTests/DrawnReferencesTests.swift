import FarmCore
import Foundation
import Testing

@Suite("What drew the references, and what a worker draws with")
struct DrawnReferencesTests {
    private static let old = ["browser": "Chromium 148 shell", "fonts": "9 faces"]
    private static let new = ["browser": "Chromium 149 shell", "fonts": "9 faces"]

    private func offer(_ renderer: [String: String], lab: Bool = true) throws -> WorkerOffer {
        var offer = WorkerOffer()
        if lab { try offer.add("lab") }
        try offer.add(renderer: renderer, of: "command")
        return offer
    }

    private func plan(_ renderers: [[String: String]]) throws -> Plan {
        var plan = PlanMistakesTests.plan()
        plan.jobs[0].job.needs = Needs([try Need(name: "lab", parsing: "true")])
        let cell = plan.jobs[0].job.cells[0].id
        plan.drawn = [
            DrawnReferences(job: plan.jobs[0].job.name, cells: [cell], renderers: renderers)
        ]
        return plan
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let own: [String: String]
        let references: [[String: String]]
        let others: [[String: String]]
        let may: Bool

        init(
            _ own: [String: String],
            _ references: [[String: String]],
            _ others: [[String: String]],
            _ may: Bool
        ) {
            self.own = own
            self.references = references
            self.others = others
            self.may = may
        }

        var testDescription: String { "\(own) of \(references) beside \(others)" }
    }

    /// A worker's renderer, the renderers of the references, those of other workers, and whether the
    /// worker may take the cell.
    static let rows = [
        Row(old, [old], [new], true), Row(new, [old], [], true), Row(new, [old], [new], true),
        Row(new, [old], [old], false), Row(new, [old, new], [old], true),
        Row(new, [], [old], true), Row([:], [old], [old], true), Row(new, [old], [[:]], true),
        Row(["browser": "Chromium 148 shell"], [old], [old], false),
    ]

    @Test("a worker may take a cell unless only another draws as its references", arguments: rows)
    func rule(_ row: Row) throws {
        let (own, references, others, may) = (row.own, row.references, row.others, row.may)
        let needs = try #require(PlanNeeds(try plan(references)))
        let kind = needs.kind(job: 0, cell: 0)
        let held = needs.held(by: try ([own] + others).map { try offer($0) })
        #expect(needs.kinds(for: try offer(own), beside: held).contains(kind) == may)
        // A worker that cannot run the cell does not hold it.
        let unable = needs.held(by: try others.map { try offer($0, lab: false) })
        #expect(needs.kinds(for: try offer(own), beside: unable).contains(kind))
        // The job's other cell has the same needs, and is drawn by anyone.
        let other = needs.kind(job: 0, cell: 1)
        #expect(needs.kinds(for: try offer(own), beside: held).contains(other))
    }

    @Test("a difference names the facts that differ from the nearest renderer")
    func words() throws {
        let far = ["browser": "Chromium 1", "fonts": "1 face"]
        let needs = try #require(PlanNeeds(try plan([far, Self.old])))
        let workers = [
            LiveOffer(WorkerID("b"), others: 2, offer: try offer(Self.new)),
            LiveOffer(WorkerID("a"), offer: try offer(Self.old)),
        ]
        func said(_ workers: [LiveOffer]) -> [String] {
            needs.drawingProblems(0, "shots on A", of: workers, among: workers).map(\.message)
        }
        let difference = "(browser Chromium 149 shell is not Chromium 148 shell)"
        #expect(
            said(workers) == [
                "worker b and 2 more like it get none of shots on A: they draw otherwise than the "
                    + "references \(difference); worker a draws as they do."
            ]
        )
        let anew = [
            "no live worker draws as the references of shots on A do: worker b and 2 more like it "
                + "draw them anew \(difference)."
        ]
        #expect(said([workers[0]]) == anew)
        var suspended = workers[1]
        suspended.isAble = false
        #expect(said([workers[0], suspended]) == anew)
    }

    @Test("a plan knows what drew its references only where the farm compares")
    func read() throws {
        var plan = PlanMistakesTests.plan()
        func record(_ renderer: [String: String], job: String = "snap") -> SuiteRecord {
            SuiteRecord(job: JobName(job), renderer: renderer, tests: [:])
        }
        let loud = ["browser": String(repeating: "x", count: 500)]
        let light: [String: SuiteRecord] = [
            "A": record(Self.old), "B": record(Self.old), "C": record(Self.new, job: "unit"),
            "D": record([:]),
        ]
        func drawn(_ plan: Plan) -> [DrawnReferences]? {
            plan.drawnReferences { $0.text.hasSuffix("light") ? light : ["A": record(loud)] }
        }
        #expect(drawn(plan) == nil, "unit jobs have no references")
        for index in plan.jobs.indices { plan.jobs[index].job.kind = .snapshot }
        plan.jobs[0].job.judge = .framework
        let cells = plan.jobs[1].job.cells.map(\.id)
        let known = DrawnReferences(
            job: JobName("snap"),
            cells: [cells[0]],
            renderers: [Self.old]
        )
        #expect(drawn(plan) == [known])
        plan.drawn = drawn(plan)
        #expect(PlanMistakes(plan) == nil)
        plan.mode = .record
        #expect(drawn(plan) == nil)
    }

    @Test("what drew the references is no part of a plan's digest, and travels with the plan")
    func digest() throws {
        let plan = try plan([Self.old])
        var bare = plan
        bare.drawn = nil
        #expect(plan.digest == bare.digest)
        let again = try JSONDecoder().decode(Plan.self, from: try JSONEncoder().encode(plan))
        #expect(again == plan)
    }

    @Test("a worker offers a renderer whole or not at all, and its owner's words stand")
    func offering() throws {
        var offer = try offer([:])
        let flood = String(repeating: "x", count: FleetNames.bytesMax + 1)
        #expect(throws: OfferMistake.self) {
            try offer.add(renderer: ["browser": "148", "fonts": flood], of: "webdriver")
        }
        #expect(offer.renderer(of: "webdriver").isEmpty && offer.words == "lab")
        try offer.add("renderer.webdriver.fonts", "mine")
        try offer.add(renderer: Self.old, of: "webdriver")
        #expect(
            offer.renderer(of: "webdriver")
                == ["browser": "Chromium 148 shell", "fonts": "mine"]
        )
        #expect(offer.renderer(of: "web").isEmpty)
        #expect(offer.words == "lab", "the digests are for programs")
    }
}
