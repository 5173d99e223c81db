// Tests of the short answers about a run: what they say, in what order, and how little it is.
import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

@Suite("Short answers")
struct BriefTests {
    private static let words = RunWords(run: "r-1", place: [("--data", "my data")])

    private static func json(_ document: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }

    private static func brief(
        _ summary: RunSummary,
        _ decisions: [Decision] = [],
        from cursor: String? = nil
    ) throws -> RunBrief {
        try RunBrief(summary, decided: DecisionBook(decisions), words: words, from: cursor)
    }

    private static func change(
        _ name: String,
        _ summary: RunSummary,
        _ decisions: [Decision] = [],
        from cursor: String? = nil
    ) throws -> ChangeBrief {
        try ChangeBrief(
            AskedChange(name, in: summary),
            of: summary,
            decided: DecisionBook(decisions),
            words: words,
            from: cursor
        )
    }

    /// A run with two causes of changed pictures.
    private static var caused: RunSummary {
        var run = ChangedRun.summary()
        let changed = run.snapshots.indices.filter { run.snapshots[$0].verdict == .changed }
        for (place, name) in zip(changed, ["one", "other"]) { run.snapshots[place].name = name }
        return CausedRun.summary(of: run, ["other": [0], "one": [0, 1]]).summary
    }

    @Test("about a text has its lines, and the change is found by the name that the answer shows")
    func text() throws {
        var run = ChangedRun.summary()
        let place = try #require(run.snapshots.firstIndex { $0.verdict == .changed })
        run.snapshots[place].hunks = "@@ -1,1 +1,1 @@\n-  a\n+  b\n"
        let id = run.snapshots[place].id
        let row = run.snapshots[place]
        let found = try Self.change("\(row.suite)/\(row.name)", run)
        #expect(found.kind == .change)
        let record = try #require(found.records.first { $0.id == id })
        #expect(record.hunks == row.hunks)
        #expect(found.lines.contains("  -  a") && found.lines.contains("  +  b"))
    }

    @Test("about a run and a change are stable, as JSON and on a terminal")
    func golden() throws {
        let brief = try Self.brief(Fixture.summary())
        try expectGolden(try Self.json(brief), "show-run.json")
        try expectGolden(brief.lines.joined(separator: "\n") + "\n", "show-run.txt")
        let caused = Self.caused
        let cause = try #require(caused.causes?.first)
        let change = try Self.change(
            cause.id,
            caused,
            ChangedRun.decisions(.rejected, reason: "too pale")
        )
        try expectGolden(try Self.json(change), "show-change.json")
        try expectGolden(change.lines.joined(separator: "\n") + "\n", "show-change.txt")
    }

    @Test("fit their schema", .enabled(if: ExternalTool.hasJSONSchema))
    func schema() throws {
        let folder = try TemporaryFolder("answers")
        let schema = ExternalTool.repositoryFile("docs/schema/answers.schema.json")
        let program = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            jsonschema.Draft202012Validator(schema).validate(json.load(open(sys.argv[2])))
            """
        let caused = Self.caused
        var documents = try [Fixture.summary(), Fixture.green(), caused, ChangedRun.summary()].map {
            try Self.json(Self.brief($0))
        }
        documents += try (caused.causes ?? []).map { try Self.json(Self.change($0.id, caused)) }
        documents += try Fixture.summary().tests.map {
            try Self.json(Self.change($0.test, Fixture.summary()))
        }
        for document in documents {
            let path = try folder.write("answer.json", document)
            let result = try ExternalTool.run(["python3", "-c", program, schema, path])
            #expect(result.status == 0, "\(document)\n\(result.output)")
        }
        let bad = try folder.write("bad.json", #"{"schemaVersion": 1, "run": {"id": "x"}}"#)
        #expect(try ExternalTool.run(["python3", "-c", program, schema, bad]).status != 0)
    }

    @Test("name problems, causes, changes that no cause explains, and tests, in this order")
    func order() throws {
        let kinds = try Self.brief(Self.caused).records.map(\.kind)
        #expect(kinds.first { $0 != .problem } == .cause, "\(kinds)")
        let order: [RunBrief.Kind] = [.problem, .cause, .change, .test, .note]
        for summary in [Self.caused, Fixture.summary()] {
            let places = try Self.brief(summary).records.map { order.firstIndex(of: $0.kind) ?? 9 }
            #expect(places == places.sorted(), "\(places)")
        }
        // A cause stands for the pictures that it explains wholly.
        let caused = Self.caused
        let explained = Set(caused.snapshots.filter(\.isExplained).map(\.id))
        let told = try Self.brief(caused).records.filter { $0.kind == .change }.map(\.id)
        let left = (caused.changes ?? []).filter { !explained.isSuperset(of: $0.snapshots) }
        #expect(!explained.isEmpty && told == left.map(\.id), "\(told)")
    }

    @Test("have at most ten records and 16 KB, and the cursor goes through all of them, each once")
    func pages() throws {
        var random = SeededGenerator.announced()
        for _ in 0..<50 {
            let summary = RunJudge.judge(try RandomRun.evidence(&random)).summary
            var ids: [String] = []
            var cursor: String?
            repeat {
                let brief = try Self.brief(summary, from: cursor)
                #expect(brief.records.count <= 10)
                #expect(try Self.json(brief).utf8.count < 16_384)
                ids += brief.records.map { "\($0.kind) \($0.id) \($0.words)" }
                cursor = brief.cursor
                #expect(cursor != nil || brief.total == ids.count)
                for record in brief.records where ![.problem, .note].contains(record.kind) {
                    let change = try Self.change(record.id, summary)
                    #expect(change.kind == record.kind && !change.records.isEmpty)
                    #expect(change.records.count <= 10)
                }
            } while cursor != nil
        }
    }

    @Test("refuse what is no id and no cursor, and take the beginning of an id")
    func refusals() throws {
        let caused = Self.caused
        let cause = try #require(caused.causes?.first)
        #expect(try Self.change(String(cause.id.prefix(6)), caused).id == cause.id)
        for name in ["", "zzzz", "abc", String(cause.id.prefix(3)), "../..", cause.id + "0"] {
            #expect(throws: BriefError.unknown(name, run: caused.run.id)) {
                try Self.change(name, caused)
            }
        }
        for cursor in ["-1", "x", "99999999999999999999", "1000"] {
            #expect(throws: BriefError.cursor(cursor)) { try Self.brief(caused, from: cursor) }
        }
    }

    @Test("say what is decided, by whom and why, and the next command of a shell")
    func decided() throws {
        let summary = ChangedRun.summary()
        let decisions = ChangedRun.decisions(.rejected, reason: "too pale")
        let brief = try Self.brief(summary, decisions)
        let words = brief.records.compactMap(\.decided)
        #expect(words.first == "rejected by <i>Aiko: too pale", "\(words)")
        #expect(brief.next.first?.command.hasPrefix("snapfarm show r-1 ") == true)
        #expect(brief.next.first?.command.hasSuffix(" --data 'my data'") == true)
    }
}
