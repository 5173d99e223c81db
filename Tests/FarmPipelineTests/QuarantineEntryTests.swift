import FarmCore
import FarmDrivers
import FarmPipeline
import Foundation
import Testing

@Suite("Quarantine in a pipeline")
struct QuarantineEntryTests {
    @Test(
        "an entry says what it is about, until when and why",
        arguments: [
            ("{test: a, until: 2026-12-31, reason: r}", nil),
            ("{snapshot: a, cell: \"x*\", until: 2026-12-31, reason: r}", nil),
            ("{test: a, until: 2026-12-31, cleanRuns: 20, reason: r}", nil),
            ("{test: a, until: 2026-12-31, cleanRuns: 0, reason: r}", "quarantine.cleanRuns"),
            ("{test: a, until: 2026-12-31, cleanRuns: 1001, reason: r}", "quarantine.cleanRuns"),
            ("{test: a, cleanRuns: 20, reason: r}", "has no end"),
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

    @Test(
        "new lines stand after the last entry, as it is written, and nothing else changes",
        arguments: [
            ("version: 1\n", "version: 1\nquarantine:\n  NEW\n"),
            ("version: 1", "version: 1\nquarantine:\n  NEW\n"),
            ("quarantine:\n- {test: a}\njobs: 1\n", "quarantine:\n- {test: a}\nNEW\njobs: 1\n"),
            (
                "quarantine:\n  # why\n  - test: a\n    until: b # c\n\n# jobs\njobs: 1\n",
                "quarantine:\n  # why\n  - test: a\n    until: b # c\n  NEW\n\n# jobs\njobs: 1\n"
            ),
            (
                "quarantine:\n    -\n      test: a\n      until: b\n",
                "quarantine:\n    -\n      test: a\n      until: b\n    NEW\n"
            ),
            ("quarantine: [{test: a}]\n", nil), ("quarantine: []\n", nil), ("quarantine:\n", nil),
        ]
    )
    func patch(text: String, expected: String?) throws {
        let entry = QuarantineEntry(
            test: "a \"b\": #1",
            cell: "A",
            until: "2026-12-31",
            reason: "r",
            cleanRuns: 20
        )
        let line =
            "- {test: \"a \\\"b\\\": #1\", cell: \"A\", until: 2026-12-31, cleanRuns: 20, reason: \"r\"}"
        let patch = QuarantinePatch([entry], for: text)
        #expect(patch?.text == expected?.replacingOccurrences(of: "NEW", with: line))
    }

    @Test("the patch is one that `git apply` takes")
    func unified() throws {
        let text = "version: 1\nquarantine:\n- {test: a}\njobs:\n  u: 1\n"
        let entry = QuarantineEntry(test: "b", until: "2026-12-31", reason: "r")
        let patch = try #require(QuarantinePatch([entry], for: text))
        #expect(
            patch.unified("app.yaml") == """
                --- a/app.yaml
                +++ b/app.yaml
                @@ -1,5 +1,6 @@
                 version: 1
                 quarantine:
                 - {test: a}
                +- {test: "b", until: 2026-12-31, reason: "r"}
                 jobs:
                   u: 1

                """
        )
    }
}
