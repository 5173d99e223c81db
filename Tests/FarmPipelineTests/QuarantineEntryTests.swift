import FarmCore
import FarmDrivers
import FarmPipeline
import Testing

@Suite("Quarantine in a pipeline")
struct QuarantineEntryTests {
    @Test(
        "an entry says what it is about, until when and why",
        arguments: [
            ("{test: a, until: 2026-12-31, reason: r}", nil),
            ("{snapshot: a, cell: \"x*\", until: 2026-12-31, reason: r}", nil),
            ("{until: 2026-12-31, reason: r}", "neither a test nor a snapshot"),
            ("{test: a, snapshot: b, until: 2026-12-31, reason: r}", "names both"),
            ("{test: a, until: 2026-12-31}", "has no reason"),
            ("{test: a, reason: r}", "has no end"),
            ("{test: a, until: 2026-02-30, reason: r}", "which is no day"),
            ("{test: a, until: soon, reason: r}", "which is no day"),
            ("{tests: a, until: 2026-12-31, reason: r}", "Did you mean \"test\"?"),
        ] as [(String, String?)]
    )
    func decoding(text: String, mistake: String?) throws {
        let file = """
            version: 1
            jobs: {u: {kind: unit, driver: swiftpm, package: P}}
            quarantine:
              - \(text)
            """
        do throws(DocumentErrors) {
            let pipeline = try PipelineDecoder.decode(
                file,
                file: "p.yaml",
                drivers: DriverCatalog.kinds
            )
            #expect(mistake == nil && pipeline.quarantine.count == 1)
        } catch {
            let words = error.problems.map { "\($0.message) \($0.remedy)" }.joined(separator: "\n")
            #expect(mistake.map { words.contains($0) } == true, "\(words)")
            #expect(error.problems.allSatisfy { $0.line == 4 })
        }
    }
}
