// Tests with the real references of the shared corpus: the versions before and after each change,
// from the histories of public projects, at their original paths, imported into a store and checked
// out again.
import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

/// The corpus's references of the two frameworks, by `<repository>/<path>`.
private struct ReferenceCorpus {
    private struct Manifest: Decodable {
        struct File: Decodable {
            var path: String
            var sourceRepo: String
            var origPath: String?
        }
        var files: [File]
    }

    /// The corpus in a folder beside the repository.
    static let folder: String = {
        let test = (#filePath as NSString).deletingLastPathComponent
        return (test + "/../../../../../shared/corpus/compare" as NSString).standardizingPath
    }()
    static let isThere = FileManager.default.fileExists(atPath: folder + "/manifest.json")

    /// The versions of each picture, older first.
    let versions: [String: [String]]

    init() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let bytes = try Data(contentsOf: URL(fileURLWithPath: Self.folder + "/manifest.json"))
        var versions: [String: [String]] = [:]
        for file in try decoder.decode(Manifest.self, from: bytes).files {
            guard let path = file.origPath,
                path.contains("ReferenceImages") || path.contains("__Snapshots__")
            else { continue }
            versions["\(file.sourceRepo)/\(path)", default: []].append(
                Self.folder + "/" + file.path
            )
        }
        self.versions = versions
    }

    /// One cell for each folder of suites: these differ in devices, architectures or times.
    var rules: [CellChoice.Rule] {
        let folders = Set(
            versions.keys.map { path in
                path.split(separator: "/").dropLast(2).joined(separator: "/")
            }
        )
        // Deepest first: a folder's pattern also matches the folders in it.
        let sorted = folders.sorted { ($0.count, $0) > ($1.count, $1) }
        return sorted.enumerated().map { index, folder in
            CellChoice.Rule(
                paths: Glob(folder + "/*/*", mode: .path),
                cell: CellID("cell-\(index)")
            )
        }
    }
}

@Suite(
    "The corpus's references",
    .enabled(if: ReferenceCorpus.isThere, "the corpus is missing: \(ReferenceCorpus.folder)")
)
struct CorpusRoundTripTests {
    @Test("import and export give the same files byte for byte, now and through the history")
    func roundTrip() throws {
        let corpus = try ReferenceCorpus()
        #expect(corpus.versions.count == 135)
        let rules = corpus.rules
        let fixture = try WorkTreeFixture()
        try fixture.git("init", "--quiet", "-b", "main")
        for version in 0...1 {
            for (path, files) in corpus.versions {
                let file = files[min(version, files.count - 1)]
                try fixture.write(path, try Data(contentsOf: URL(fileURLWithPath: file)))
            }
            try fixture.commitAll("version \(version)")
        }
        let importer = fixture.folderImport(cell: nil, rules: rules)
        let plan = try importer.plan()
        #expect(plan.pictures.count == 135)
        #expect(plan.unmapped == [] && plan.refused == [])
        let set = try importer.record(plan, over: ReferencePin(), to: fixture.store)
        try expectExport(of: set.pin, plan.origins, fixture, "out")

        let history = HistoryImport(
            repository: fixture.root,
            settings: ImportSettings(
                choice: CellChoice(cells: [], rules: rules),
                job: JobName("snapshots")
            )
        )
        let steps = try history.plan()
        #expect(steps.steps.count == 2 && steps.skipped == [])
        var pins: [ReferencePin] = []
        let last = try history.record(steps, over: ReferencePin(), to: fixture.store) {
            pins.append($1.pin)
        }
        #expect(last?.set == set.set)
        try fixture.git("checkout", "--quiet", "HEAD~1")
        try expectExport(of: try #require(pins.first), steps.origins, fixture, "before")
        #expect(try fixture.stores.faults() == [])
    }

    private func expectExport(
        of pin: ReferencePin,
        _ origins: ReferenceOrigins,
        _ fixture: WorkTreeFixture,
        _ name: String
    ) throws {
        let out = fixture.stores.folder.file(name)
        let export = ReferenceExport(into: out)
        let plan = try export.plan(
            try fixture.references(pin),
            layout: .imported(origins),
            force: false
        )
        try export.apply(plan, read: fixture.store.read)
        let difference = try run("diff", ["-r", "--exclude=.git", fixture.root, out])
        #expect(difference.status == 0 && difference.output == "")
    }
}
