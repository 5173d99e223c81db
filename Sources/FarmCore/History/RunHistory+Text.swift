// The file of a history: JSON, one line for each test case, keys in the order of their bytes,
// numbers whole. Equal histories are equal bytes on any machine, so the digest shows whether two
// machines cut their shards from the same history. Format version 1:
//
//   {"schemaVersion":1,"runs":12,
//    "complete":{"run":"…","branch":"…","set":"…","tests":{JOB:[TEST,…]},
//      "proof":{"commit":"…","count":8,"inputs":{PART:"sha256:…"},"references":"sha256:…"}} or null;
//      proof is left out if the run proves nothing,
//    "earlier":[…] like complete: the last runs of other branches; left out if there are none,
//    "starts":{JOB:{CELL:{"seen":12,"us":[…]}}},
//    "launches":{…} like starts; left out if there are none,
//    "alternates":{PICTURE:{BLOB:{"idle":3,"uses":2}}}; left out if there are none,
//    "quarantine":{ENTRY:{"count":7,"seen":12}}, the clean runs by the key of the entry; left out if
//      there are none,
//    "recorded":[{"number":12,"id":"…",…}], a `RecordedRun` each; left out if there are none,
//    "reuse":{"digest":"sha256:…","record":{…}}, a `ReuseRecord` and the digest of its JSON; left out
//      if no job has `reuse`, and ignored if it is damaged,
//    "tests":{JOB:{CELL:{TEST:{"flaky":1,"results":[{"run":12}],"seen":12,"us":[…]}}}}};
//      results are `RecordedResult`s, left out if there are none.
import Foundation

/// The reason why a file is not used as a history.
package enum HistoryError: ExplainedError, Hashable {
    case tooLarge
    case version(Int)
    case foreign(String)

    package var code: String { "history-unusable" }
    package var message: String {
        switch self {
        case .tooLarge: "the history is over \(FarmLimits.historyBytesMax >> 20) MB."
        case .version(let version):
            "the history has version \(version), this snapfarm reads "
                + "\(RunHistory.currentVersion)."
        case .foreign(let fact): "the file is not a history of runs: \(fact)."
        }
    }
    package var remedy: String {
        "The run goes on without it; a run that keeps a history writes a new one there."
    }
    package var exit: ExitCode { .invalidInput }
}

extension RunHistory {
    package static let currentVersion = 1

    /// The content of the history's file.
    package var text: String {
        var text = "{\n\"schemaVersion\":\(Self.currentVersion),\n\"runs\":\(runs),\n"
        text += "\"complete\":" + (completes.first.map(Self.text) ?? "null") + ",\n"
        if completes.count > 1 {
            let earlier = completes.dropFirst().map(Self.text).joined(separator: ",\n")
            text += "\"earlier\":[" + earlier + "],\n"
        }
        Self.append(starts, as: "starts", to: &text)
        if !launches.isEmpty { Self.append(launches, as: "launches", to: &text) }
        if !alternates.pictures.isEmpty { Self.append(alternates, to: &text) }
        if !cleanRuns.isEmpty {
            text += "\"quarantine\":{"
            Self.append(cleanRuns.map { ($0.key, $0.value) }, to: &text, separator: ",\n") {
                text,
                known in
                text += "{\"count\":\(known.count),\"seen\":\(known.seen)}"
            }
            text += "},\n"
        }
        if !recorded.isEmpty {
            let runs = recorded.map(Self.json).joined(separator: ",\n")
            text += "\"recorded\":[" + runs + "],\n"
        }
        if let reuse { text += "\"reuse\":" + Self.json(SealedReuse(reuse)) + ",\n" }
        text += "\"tests\":{"
        let jobs = Dictionary(grouping: tests, by: \.key.job.text)
        Self.append(jobs, to: &text) { text, job in
            let cells = Dictionary(grouping: job, by: \.key.cell.text)
            Self.append(cells.map { ($0.key, $0.value) }, to: &text, separator: ",\n") {
                text,
                tests in
                text += "{\n"
                Self.append(
                    tests.map { ($0.key.test.text, $0.value) },
                    to: &text,
                    separator: ",\n"
                ) { text, known in
                    text += known.flaky > 0 ? "{\"flaky\":\(known.flaky)," : "{"
                    if !known.results.isEmpty {
                        let results = known.results.map(Self.json).joined(separator: ",")
                        text += "\"results\":[" + results + "],"
                    }
                    text += "\"seen\":\(known.seen),\"us\":\(known.samples.jsonText)}"
                }
                text += "}"
            }
        }
        return text + "\n}\n}\n"
    }

    /// Returns a record as JSON with sorted keys.
    private static func json(_ record: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A record holds only texts and whole numbers: encoding cannot fail.
        return String(decoding: (try? encoder.encode(record)) ?? Data("{}".utf8), as: UTF8.self)
    }

    private static func append(
        _ starts: [CellKey: StartHistory],
        as name: String,
        to text: inout String
    ) {
        text += "\"\(name)\":{"
        let jobs = Dictionary(grouping: starts, by: \.key.job.text)
        append(jobs, to: &text) { text, cells in
            append(
                cells.map { ($0.key.cell.text, $0.value) },
                to: &text,
                separator: ",\n"
            ) { text, known in
                text += "{\"seen\":\(known.seen),\"us\":\(known.samples.jsonText)}"
            }
        }
        text += "\n},\n"
    }

    private static func append(_ alternates: AlternateUses, to text: inout String) {
        text += "\"alternates\":{\n"
        let pictures = alternates.pictures.map { ($0.key.text, $0.value) }
        append(pictures, to: &text, separator: ",\n") { text, uses in
            text += "{"
            append(uses.map { ($0.key.hex, $0.value) }, to: &text, separator: ",") { text, use in
                text += "{\"idle\":\(use.idle),\"uses\":\(use.uses)}"
            }
            text += "}"
        }
        text += "\n},\n"
    }

    /// The digest of the history's file; machines with equal digests cut equal shards.
    package var digest: Digest { Digest(of: Data(text.utf8)) }

    private static func text(_ run: CompleteRun) -> String {
        var text = "{\"run\":" + run.run.jsonText + ",\"branch\":" + run.branch.jsonText
        text += ",\"set\":" + run.set.jsonText + ",\"tests\":{"
        append(run.tests.map { ($0.key.text, $0.value) }, to: &text, separator: ",\n") {
            text,
            names in
            text += "[" + names.map(\.text.jsonText).joined(separator: ",\n") + "]"
        }
        text += "}"
        if let proof = run.proof {
            text += ",\n\"proof\":{\"commit\":" + proof.commit.jsonText
            text += ",\"count\":\(proof.count),\"inputs\":{"
            append(proof.inputs.map { ($0.key, $0.value) }, to: &text, separator: ",\n") {
                text,
                digest in
                text += digest.description.jsonText
            }
            text += "},\"references\":\"\(proof.references)\"}"
        }
        return text + "}"
    }

    private static func append<Value>(
        _ jobs: [String: Value],
        to text: inout String,
        _ body: (inout String, Value) -> Void
    ) {
        append(jobs.map { ($0.key, $0.value) }, to: &text, separator: ",") { text, value in
            text += "{\n"
            body(&text, value)
            text += "}"
        }
    }

    private static func append<Value>(
        _ members: [(String, Value)],
        to text: inout String,
        separator: String,
        _ body: (inout String, Value) -> Void
    ) {
        let order = members.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
        for (index, member) in order.enumerated() {
            if index > 0 { text += separator }
            text += member.0.jsonText + ":"
            body(&text, member.1)
        }
    }
}

// MARK: reading

extension RunHistory {
    private struct File: Decodable {
        struct Start: Decodable {
            var seen: Int
            var us: [Int]
        }
        struct Test: Decodable {
            var flaky: Int?
            var results: [RecordedResult]?
            var seen: Int
            var us: [Int]
        }
        struct Complete: Decodable {
            var run: String
            /// The run's branch, or `nil` in files of versions that did not keep the branch.
            var branch: String?
            /// The run's reference set, or `nil` in files of versions that did not keep the set.
            var set: String?
            var tests: [String: [String]]
            var proof: RunProof?
        }
        var schemaVersion: Int
        var runs: Int
        var complete: Complete?
        var earlier: [Complete]?
        var starts: [String: [String: Start]]
        var launches: [String: [String: Start]]?
        var alternates: [String: [String: AlternateUse]]?
        var quarantine: [String: CleanCount]?
        var recorded: [RecordedRun]?
        var reuse: SealedReuse?
        var tests: [String: [String: [String: Test]]]
    }

    /// Parses a history's file, which may come from anywhere.
    ///
    /// - Throws: `HistoryError` for anything but a history of this version within its limits.
    package init(parsing bytes: Data) throws(HistoryError) {
        struct Version: Decodable { var schemaVersion: Int }
        guard bytes.count <= FarmLimits.historyBytesMax else { throw .tooLarge }
        let decoder = JSONDecoder()
        guard let version = try? decoder.decode(Version.self, from: bytes).schemaVersion else {
            throw .foreign("it is not JSON with a schemaVersion")
        }
        guard version == Self.currentVersion else { throw .version(version) }
        guard let file = try? decoder.decode(File.self, from: bytes) else {
            throw .foreign("its fields are not those of a history")
        }
        guard (0...Self.runsMax).contains(file.runs) else {
            throw .foreign("it counts \(file.runs) runs")
        }
        self.init(runs: file.runs)
        starts = try Self.read(file.starts, runs: file.runs)
        launches = try Self.read(file.launches ?? [:], runs: file.runs)
        alternates = try Self.read(file.alternates ?? [:])
        for (job, cells) in file.tests {
            for (cell, named) in cells {
                for (test, known) in named {
                    try Self.check(known.us, seen: known.seen, runs: file.runs)
                    let flaky = known.flaky ?? 0
                    guard (0...file.runs).contains(flaky),
                        test.utf8.count <= FarmLimits.testIDBytesMax
                    else { throw .foreign("the entry of \(test.prefix(80)) is out of range") }
                    let key = TestKey(job: JobName(job), cell: CellID(cell), test: TestID(test))
                    tests[key] = TestHistory(samples: known.us, seen: known.seen, flaky: flaky)
                    tests[key]?.results = known.results ?? []
                }
            }
        }
        let runs = [file.complete].compactMap(\.self) + (file.earlier ?? [])
        completes = runs.prefix(FarmLimits.historyBranchesMax).map { run in
            let names = run.tests.map { (JobName($0.key), $0.value.map { TestID($0) }.sorted()) }
            return CompleteRun(
                run: run.run,
                branch: run.branch ?? "",
                set: run.set ?? "",
                tests: Dictionary(names) { first, _ in first },
                proof: run.proof
            )
        }
        reuse = file.reuse?.record
        recorded = file.recorded ?? []
        try checkRecords()
        cleanRuns = file.quarantine ?? [:]
        guard cleanRuns.count <= FarmLimits.quarantineMax,
            cleanRuns.allSatisfy({ key, known in
                key.utf8.count <= FarmLimits.labelBytesMax && (0...file.runs).contains(known.seen)
                    && (0...FarmLimits.cleanRunsMax).contains(known.count)
            })
        else { throw .foreign("it has clean runs that no quarantine has") }
        guard tests.count <= FarmLimits.historyTestsMax,
            starts.count + launches.count <= FarmLimits.historyTestsMax
        else { throw .foreign("it has more entries than any run") }
    }

    private func checkRecords() throws(HistoryError) {
        let results = tests.values.lazy.flatMap(\.results)
        guard recorded.count <= FarmLimits.historyRecordedMax,
            recorded.allSatisfy({ (0...runs).contains($0.number) }),
            results.count <= FarmLimits.historyResultsMax, results.allSatisfy(\.isSound)
        else { throw .foreign("its records are out of range") }
    }

    private static func read(
        _ jobs: [String: [String: File.Start]],
        runs: Int
    ) throws(HistoryError) -> [CellKey: StartHistory] {
        var starts: [CellKey: StartHistory] = [:]
        for (job, cells) in jobs {
            for (cell, known) in cells {
                try check(known.us, seen: known.seen, runs: runs)
                starts[CellKey(job: JobName(job), cell: CellID(cell))] =
                    StartHistory(samples: known.us, seen: known.seen)
            }
        }
        return starts
    }

    private static func read(
        _ pictures: [String: [String: AlternateUse]]
    ) throws(HistoryError) -> AlternateUses {
        var known: [SnapshotID: [ObjectID: AlternateUse]] = [:]
        for (name, uses) in pictures {
            guard pictures.count <= FarmLimits.historyAlternatesMax,
                uses.count <= FarmLimits.alternatesPerPictureMax,
                let id = SnapshotID(exactly: name)
            else { throw .foreign("it has more alternates than any run, or of no picture") }
            for (text, use) in uses {
                guard let object = ObjectID(text), (0...runsMax).contains(use.uses),
                    (0...runsMax).contains(use.idle)
                else { throw .foreign("an alternate is out of range") }
                known[id, default: [:]][object] = use
            }
        }
        return AlternateUses(known)
    }

    /// The most runs that a history counts, one a second for thirty years: sums stay far from
    /// overflow.
    private static let runsMax = 1_000_000_000

    private static func check(_ samples: [Int], seen: Int, runs: Int) throws(HistoryError) {
        let longest = Int(FarmLimits.historySecondsMax * 1_000_000)
        guard (1...FarmLimits.historySamplesMax).contains(samples.count),
            samples.allSatisfy({ (1...longest).contains($0) }), (0...runs).contains(seen)
        else { throw .foreign("an entry is out of range") }
    }
}

extension String {
    /// The text as a JSON string.
    fileprivate var jsonText: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

extension [Int] {
    fileprivate var jsonText: String { "[" + map(String.init).joined(separator: ",") + "]" }
}
