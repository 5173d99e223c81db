// Tests of ignored regions that are added to a pipeline file.
import FarmCore
import FarmDrivers
import FarmPipeline
import Foundation
import Testing

@Suite("Ignored regions added to a pipeline file")
struct IgnorePatchTests {
    private static let head = """
        version: 1 # Ä
        references: {store: s.git}
        devices:
          - {name: A, width: 8, height: 8, scale: 1}
        jobs:

        """
    private static let block = """
          shots:
            # Why.
            kind: snapshot
            driver: command
            discover: x
            run: y {tests}

        """
    private static let rule = "\"Suite/one\": {ignore: [\"1,2-3,4\"]}"

    private static func flow(_ name: String, _ comparison: String) -> String {
        "  \(name): {kind: snapshot, driver: command, discover: x, run: \"y {tests}\", "
            + "comparison: \(comparison)} # c\n"
    }

    private func decode(_ text: String) throws -> Pipeline {
        try PipelineDecoder.decode(text, file: "p.yaml", drivers: DriverCatalog.kinds)
    }

    private func patch(
        _ text: String,
        of picture: String = "Suite/one",
        job: String = "shots",
        _ boxes: [String] = ["1,2-3,4"]
    ) throws -> IgnorePatch {
        try IgnorePatch(
            ignoring: boxes.compactMap { PixelBox(inclusive: $0) },
            of: picture,
            job: JobName(job),
            in: text,
            path: "p.yaml",
            decode: decode
        )
    }

    @Test("a last line without its end is said to be one in the patch")
    func unended() throws {
        let file = String((Self.head + Self.flow("shots", "{policy: exact}")).dropLast())
        let lines = try patch(file).patch.split(separator: "\n")
        #expect(
            lines.suffix(4).map { $0.prefix(8) } == [
                "-  shots", "\\ No new", "+  shots", "\\ No new",
            ]
        )
    }

    @Test(
        "each form of the file gets the region in its own style, and all other bytes stay",
        arguments: [
            (
                block,
                block.replacing(
                    "    # Why.",
                    with: "    comparison:\n      snapshots:\n        \(rule)\n    # Why."
                )
            ),
            (
                block + "    comparison:\n      # Strict.\n\n      policy: exact # yes\n",
                block + "    comparison:\n      snapshots:\n        \(rule)\n      # Strict.\n\n"
                    + "      policy: exact # yes\n"
            ),
            (
                block + "    comparison:\n      snapshots:\n        # Others.\n        \"O/*\":\n"
                    + "          share: 0.1\n",
                block + "    comparison:\n      snapshots:\n        \(rule)\n        # Others.\n"
                    + "        \"O/*\":\n          share: 0.1\n"
            ),
            (
                block + "    comparison:\n      snapshots:\n        Suite/one:\n"
                    + "          cluster: 9\n",
                block + "    comparison:\n      snapshots:\n        Suite/one:\n"
                    + "          ignore: [\"1,2-3,4\"]\n          cluster: 9\n"
            ),
            (
                block + "    comparison: {snapshots: {Suite/one: {\n      ignore: '0,0-1,1'}}} # c",
                block + "    comparison: {snapshots: {Suite/one: {\n"
                    + "      ignore: ['0,0-1,1', \"1,2-3,4\"]}}} # c"
            ),
            (
                block + "    comparison:\n      snapshots:\n        Suite/one:\n"
                    + "          ignore: 0,0-1,1 # clock\n",
                block + "    comparison:\n      snapshots:\n        Suite/one:\n"
                    + "          ignore: [\"0,0-1,1\", \"1,2-3,4\"] # clock\n"
            ),
            (
                block + "    comparison:\n      snapshots:\n        Suite/one:\n          ignore:\n"
                    + "            # The clock.\n            - \"0,0-1,1\"\n",
                block + "    comparison:\n      snapshots:\n        Suite/one:\n          ignore:\n"
                    + "            # The clock.\n            - \"0,0-1,1\"\n"
                    + "            - \"1,2-3,4\"\n"
            ),
            (
                block + "    comparison:\n      snapshots:\n        Suite/one:\n          ignore:\n"
                    + "          - \"0,0-1,1\"",
                block + "    comparison:\n      snapshots:\n        Suite/one:\n          ignore:\n"
                    + "          - \"0,0-1,1\"\n          - \"1,2-3,4\""
            ),
            (flow("shots", "{}"), flow("shots", "{snapshots: {\(rule)}}")),
            (
                flow("shots", "{policy: exact}"),
                flow("shots", "{snapshots: {\(rule)}, policy: exact}")
            ),
            (
                flow("shots", "{cells: {A: {share: 0.1}}, snapshots: {\"Ü/*\": {share: 0.2}}}"),
                flow(
                    "shots",
                    "{cells: {A: {share: 0.1}}, snapshots: {\(rule), \"Ü/*\": {share: 0.2}}}"
                )
            ),
            (
                flow("shots", "{snapshots: {\"Suite/one\": {ignore: [\"0,0-1,1\"]}}}"),
                flow("shots", "{snapshots: {\"Suite/one\": {ignore: [\"0,0-1,1\", \"1,2-3,4\"]}}}")
            ),
            (flow("shots", "{snapshots: {\(rule)}}"), flow("shots", "{snapshots: {\(rule)}}")),
        ]
    )
    func forms(before: String, after: String) throws {
        for newline in ["\n", "\r\n"] {
            let text = (Self.head + before).replacing("\n", with: newline)
            let found = try patch(text)
            #expect(found.text == (Self.head + after).replacing("\n", with: newline))
        }
    }

    @Test("several regions are one patch, which says what it does not change with three lines")
    func unified() throws {
        let text = Self.head + Self.flow("a", "{}") + Self.block
        let found = try patch(text, ["1,2-3,4", "0,0-0,0"])
        #expect(
            found.patch == """
                --- a/p.yaml
                +++ b/p.yaml
                @@ -5,6 +5,9 @@
                 jobs:
                \(" " + Self.flow("a", "{}").dropLast())
                   shots:
                +    comparison:
                +      snapshots:
                +        "Suite/one": {ignore: ["1,2-3,4", "0,0-0,0"]}
                     # Why.
                     kind: snapshot
                     driver: command

                """
        )
    }

    @Test("the rule is about that picture alone, whatever its name holds")
    func names() throws {
        let name = "a*b?\\ \"c\": #日"
        let found = try patch(Self.head + Self.block, of: "Suite/\(name)")
        let rules = try #require(try decode(found.text).jobs.first?.comparison)
        func count(_ name: String) throws -> Int {
            let id = try SnapshotID(cell: .host, suite: "Suite", name: name)
            return rules.choice(for: id).ignored.count
        }
        #expect(try count(name) == 1)
        #expect(try count("axxb? \"c\": #日") == 0)
    }

    @Test("a form that the region does not fit is refused with the lines to write")
    func refused() throws {
        let shared =
            Self.head + Self.flow("other", "&shared {policy: exact}")
            + Self.flow("shots", "*shared")
        for (text, job) in [(shared, "shots"), (Self.head + Self.block, "none")] {
            let error = #expect(throws: IgnorePatchError.self) { try patch(text, job: job) }
            let lines = "{comparison: {snapshots: {\(Self.rule)}}}}"
            #expect(error?.remedy == "Write it yourself: jobs: {\(job): \(lines)")
        }
        let most = (0..<FarmLimits.ignoredBoxesMax).map { "0,\($0)-1,\($0)" }
        let full = try patch(Self.head + Self.flow("shots", "{}"), most).text
        #expect(throws: IgnorePatchError.tooMany(path: "p.yaml", job: JobName("shots"))) {
            try patch(full)
        }
    }
}
