import FarmCore
import FarmDrivers
import FarmPipeline
import Foundation
import Testing

@Suite("Needs in a pipeline and its plan")
struct NeedsInPipelineTests {
    private static let text = """
        version: 1
        references: {store: ../s.git}
        devices:
          - {name: iPhone 16, needs: {xcode: ">=16", simulator: iPhone 16}}
          - iPhone 8
        jobs:
          shots:
            kind: snapshot
            driver: command
            discover: d
            run: r
            needs:
              os: macos
              xcode: <17
              lab: true
        """

    private func pipeline(_ text: String = text) throws -> Pipeline {
        try PipelineDecoder.decode(text, file: "p.yaml", drivers: DriverCatalog.kinds)
    }

    private func plan(_ pipeline: Pipeline, prepared: [String: String] = [:]) throws -> Plan {
        try Planner.plan(
            pipeline: pipeline,
            discovered: pipeline.jobs.map {
                DiscoveredJob(job: $0, tests: [TestID("t")], prepared: prepared)
            },
            selection: Selection(words: [], axes: []),
            mode: .verify,
            pin: ReferencePin(),
            workTree: "/w"
        )
    }

    @Test("a cell needs what its job and its device need, of one value where both speak of it")
    func cells() throws {
        let plan = try plan(pipeline())
        let words = plan.jobs[0].job.cells.map { plan.jobs[0].needs(of: $0).words }
        #expect(
            words == [
                "lab and os macos and simulator iPhone 16 and xcode <17 >=16",
                "lab and os macos and xcode <17",
            ]
        )
        let needs = try #require(PlanNeeds(plan))
        #expect(needs.kinds.count == 2 && needs.kind(job: 0, cell: 1) == 1)
        var offer = WorkerOffer()
        for word in ["os=macos", "xcode=15.4", "lab"] { try offer.add(word: word) }
        #expect(needs.kinds(fitting: offer) == [1])
    }

    @Test("a plan brings its needs along, and one without them is what it was")
    func plans() throws {
        let plan = try plan(pipeline())
        let bytes = try JSONEncoder().encode(plan)
        #expect(try JSONDecoder().decode(Plan.self, from: bytes) == plan)
        let text = """
            version: 1
            devices: [iPhone 16, {name: iPhone 8, os: "18.2"}]
            jobs: {units: {kind: unit, driver: swiftpm, package: P, matrix: all}}
            """
        let bare = try self.plan(pipeline(text))
        #expect(PlanNeeds(bare) == nil)
        // Nothing about needs is written, so plans and digests of older programs stay the same.
        #expect(!String(decoding: try JSONEncoder().encode(bare), as: UTF8.self).contains("needs"))
    }

    @Test("a bundle with programs needs the platform they were built for, and its plan stays one")
    func platform() throws {
        let bundle = Digest(of: Data("b".utf8))
        let prepared = BundleRules.prepared(
            ["p": "/w/x.xctest"],
            bundle: bundle,
            platform: "linux-x86_64",
            workTree: "/w"
        )
        #expect(BundleRules.needs(of: prepared).map(\.words) == ["os linux", "arch x86_64"])
        #expect(BundleRules.needs(of: ["platform": "linux-x86_64"]).isEmpty)
        let here = try plan(pipeline())
        let travelling = try plan(pipeline(), prepared: prepared)
        #expect(here.digest == travelling.digest)
        #expect(
            OfferMatch.reason(
                travelling.jobs[0].needs(of: travelling.jobs[0].job.cells[1]),
                among: [OfferingWorker(WorkerID("m"), WorkerOffer())]
            )?.contains("offers no arch and no lab and no os and no xcode") == true
        )
    }

    @Test(
        "a mistake in needs is named with its line and what would be right",
        arguments: [
            ("os: macos", "Os: macos", "p.yaml:13: job shots: \"Os\" is no name of something"),
            ("xcode: <17", "xcode: <", "p.yaml:14: job shots: the need xcode is \"<\"."),
            (
                "xcode: <17", "xcode: <17 >=18",
                "p.yaml:14: job shots: no value can be xcode <17 >=18"
            ),
            ("xcode: <17", "xcode: <16", "job shots on iPhone 16 needs xcode <16 >=16, which no"),
            ("lab: true", "lab: [1]", "p.yaml:15: job shots.needs.lab must be text."),
            ("lab: true", "lab: false", "p.yaml:15: job shots: the need lab is \"false\"."),
            (">=16\", simulator", ">=x\", simulator", "p.yaml:4: device iPhone 16: the need xcode"),
        ]
    )
    func mistakes(_ right: String, _ wrong: String, _ words: String) {
        let text = Self.text.replacing(right, with: wrong)
        let error = #expect(throws: DocumentErrors.self) { try pipeline(text) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
}
