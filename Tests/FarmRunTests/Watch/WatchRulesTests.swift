// Tests of the rules by which `watch` chooses what runs, and of the files that it looks at.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("What watch runs after a change")
struct WatchRulesTests {
    private static let cells = ["A", "B"].map { Cell(id: CellID($0), device: nil, variant: []) }
    private static let names = ["home", "cart"]

    /// Two pages on two cells, each with a picture, and the facts with which they ran.
    private struct Site {
        var plan = RunBench.plan(
            RunBench.job("pages", cells: WatchRulesTests.cells),
            tests: WatchRulesTests.names
        )
        var facts = WatchFacts()
        var last: [TestKey: LastRun] = [:]

        init() throws {
            facts.own = ["snapfarm.yaml", "snapfarm.refs"]
            var inputs = WatchFacts.Inputs(entriesFile: "scenes.yaml")
            inputs.entries = Dictionary(
                uniqueKeysWithValues: WatchRulesTests.names.map {
                    (TestID($0), Digest(of: Data($0.utf8)))
                }
            )
            facts.inputs[JobName("pages")] = inputs
            for cell in WatchRulesTests.cells { try refer(on: cell.id, "old") }
            for key in plan.shareKeys {
                let files = ["shop/\(key.test).html", "shop/all.css", "shop/\(key.test).svg"]
                run(key, RecordedInputs(files: files))
            }
        }

        /// Sets the references of a cell; `text` is the picture of the page home.
        mutating func refer(on cell: CellID, _ text: String, other: String? = nil) throws {
            func reference(_ name: String, _ text: String) throws -> Reference {
                Reference(
                    id: try SnapshotID(cell: cell, suite: name, name: "page"),
                    objectID: ObjectID(ofBlob: Data(text.utf8))
                )
            }
            var found = [try reference("home", text), try reference("cart", "cart")]
            if let other { found.append(try reference("nobody", other)) }
            let suites = WatchRulesTests.names.map { name in
                (
                    name,
                    SuiteRecord(
                        job: JobName("pages"),
                        renderer: [:],
                        tests: ["\(name)/page": TestID(name)]
                    )
                )
            }
            facts.references[cell] = MadeReferences(
                CellReferences(
                    references: found,
                    suites: Dictionary(uniqueKeysWithValues: suites)
                )
            )
        }

        mutating func run(_ key: TestKey, _ inputs: RecordedInputs?) {
            let job = plan.jobs[0].job.alone(on: key.cell)
            last[key] = LastRun(of: key, job, facts, read: inputs)
        }

        func key(_ test: String, _ cell: String) -> TestKey {
            TestKey(job: plan.jobs[0].job.name, cell: CellID(cell), test: TestID(test))
        }

        func due(_ changed: String...) -> [String] {
            WatchRules.due(in: plan, facts, after: last, changed: Set(changed))
                .map { "\($0.test) \($0.cell)" }.sorted()
        }
    }

    private static let home = ["home A", "home B"]
    private static let all = ["cart A", "cart B", "home A", "home B"]

    @Test(
        "a file is run by the pages that read it, or looked for it",
        arguments: [
            ("shop/home.html", home), ("shop/home.svg", home), ("shop/all.css", all),
            ("notes.txt", []), ("shop", []), ("scenes.yaml", []), ("snapfarm.yaml", []),
            ("snapfarm.refs", []),
        ] as [(String, [String])]
    )
    func files(file: String, due: [String]) throws {
        #expect(try Site().due(file) == due)
    }

    @Test("without a change nothing runs, and without a last run everything")
    func beginning() throws {
        var site = try Site()
        #expect(site.due() == [])
        site.last = [:]
        #expect(site.due() == Self.all)
    }

    private typealias Change = @Sendable (inout Site) throws -> Void
    private static let changes: [(String, [String], Change)] = [
        ("a setting of the job", all, { $0.plan.jobs[0].job.env = ["A": "b"] }),
        ("its rule of reuse", [], { $0.plan.jobs[0].job.reuse = .usual }),
        (
            "one cell", ["cart B", "home B"],
            { site in
                site.plan.jobs[0].job.cells[1].variant = [VariantValue(axis: "x", value: "y")]
            }
        ),
        ("a new page", ["new A", "new B"], { $0.plan.jobs[0].tests.append(TestID("new")) }),
        ("a page that went", [], { $0.plan.jobs[0].tests.removeLast() }),
        (
            "a page's entry", home,
            { site in
                let digest = Digest(of: Data("other".utf8))
                site.facts.inputs[JobName("pages")]?.entries?[TestID("home")] = digest
            }
        ),
        ("one reference", ["home A"], { try $0.refer(on: CellID("A"), "new") }),
        (
            "a reference of an unknown test", ["cart B", "home B"],
            { site in
                try site.refer(on: CellID("B"), "old", other: "new")
            }
        ),
    ]

    @Test("a change of the plan or of the references reaches those that it is about")
    func plans() throws {
        for (name, due, change) in Self.changes {
            var site = try Site()
            try change(&site)
            #expect(site.due() == due, "\(name)")
        }
    }

    @Test("a page that failed, or reads what is no file, runs at each change of any file")
    func unknown() throws {
        var site = try Site()
        site.run(site.key("home", "A"), nil)
        site.run(site.key("cart", "B"), RecordedInputs(files: ["a"], unknown: "a WebSocket"))
        #expect(site.due() == [])
        #expect(site.due("notes.txt") == ["cart B", "home A"])
        #expect(site.due("snapfarm.refs", "scenes.yaml") == [])
    }

    @Test("of a job whose driver records nothing, its inputs count, or else every file")
    func patterns() throws {
        var site = try Site()
        site.facts.inputs = [:]
        for key in site.plan.shareKeys { site.run(key, nil) }
        #expect(site.due("notes.txt") == Self.all)
        let globs = ["src/**", "*.sh"].map { Glob($0, mode: .path) }
        site.facts.inputs[JobName("pages")] = WatchFacts.Inputs(patterns: globs)
        #expect(site.due("notes.txt") == [])
        #expect(site.due("notes.txt", "src/a/b.swift") == Self.all)
    }

    @Test("the smallest plan has the tests and the cells of what is due")
    func narrowed() throws {
        let site = try Site()
        let one = site.plan.narrowed(to: [site.key("home", "B")])
        #expect(one.shareKeys == [site.key("home", "B")] && one.filtered)
        let whole = site.plan.narrowed(to: Set(site.plan.shareKeys))
        #expect(whole == site.plan)
        #expect(site.plan.narrowed(to: []).jobs.isEmpty)
    }
}

@Suite("The files that watch looks at")
struct WatchedTreeTests {
    private func tree(_ folder: TemporaryFolder, filesMax: Int = 10) throws -> WatchedTree {
        try WatchedTree(folder.path, filesMax: filesMax) { $0 == "dist" }
    }

    @Test("what is written, replaced, made and removed has changed, also below a new folder")
    func changes() throws {
        let folder = try TemporaryFolder("tree")
        for name in ["a", "b/c", "dist/d", ".git/e"] { try folder.write(name, "one") }
        var tree = try tree(folder)
        #expect(tree.count == 2)
        #expect(try tree.changes() == [])
        try folder.write("a", "longer")
        try folder.write("new/f", "f")
        try folder.write("dist/d", "longer")
        try folder.write(".git/e", "longer")
        #expect(try tree.changes() == ["a", "new/f"])
        // Many editors save like this: a new file with the old one's size and time takes its place.
        try folder.write("a~", "shorte")
        let touch = ["touch", "-r", folder.file("a"), folder.file("a~")]
        #expect(try TestProcess.run(touch).status == 0)
        _ = try tree.changes()
        #expect(rename(folder.file("a~"), folder.file("a")) == 0)
        #expect(try tree.changes() == ["a", "a~"])
        try FileManager.default.removeItem(atPath: folder.file("b"))
        #expect(try tree.changes() == ["b/c"])
        #expect(try tree.changes() == [])
    }

    @Test("a file that a test reads is looked at wherever it is, also before it is there")
    func named() throws {
        let folder = try TemporaryFolder("tree")
        let other = try TemporaryFolder("other")
        try folder.write("dist/d", "one")
        let path = try other.write("e", "one")
        var tree = try tree(folder)
        tree.add(["dist/d", "dist/later", path], since: Date(timeIntervalSinceNow: 60))
        #expect(try tree.changes() == [])
        try folder.write("dist/d", "longer")
        try folder.write("dist/later", "one")
        try other.write("e", "longer")
        #expect(try tree.changes() == ["dist/d", "dist/later", path])
        // A file that changed while the test read it.
        try folder.write("dist/during", "one")
        tree.add(["dist/during"], since: Date(timeIntervalSinceNow: -60))
        #expect(try tree.changes() == ["dist/during"])
    }

    @Test("links are followed to files, and never to folders")
    func links() throws {
        let folder = try TemporaryFolder("tree")
        try folder.write("a/b", "one")
        let files = FileManager.default
        try files.createSymbolicLink(atPath: folder.file("round"), withDestinationPath: "a")
        try files.createSymbolicLink(atPath: folder.file("a/up"), withDestinationPath: "..")
        try files.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: "a/b")
        var tree = try tree(folder)
        try folder.write("a/b", "longer")
        #expect(try tree.changes().isSuperset(of: ["a/b", "link"]))
    }

    @Test("too many files are refused, with the way out")
    func tooMany() throws {
        let folder = try TemporaryFolder("tree")
        for number in 0...4 { try folder.write("\(number)", "one") }
        _ = try tree(folder, filesMax: 5)
        #expect(throws: WatchError.tooManyFiles(folder.path, max: 4)) {
            try tree(folder, filesMax: 4)
        }
    }
}
