import FarmCore
import FarmFiles
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@testable import FarmReferences

/// A store with pictures of one cell, and an empty work tree to check them out into.
private final class CheckoutFixture {
    let tree: WorkTreeFixture
    let cell = CellID("phone")
    let layout = ReferenceLayout.fbReferenceImages(folder: "T/ReferenceImages_64")
    let checkout: ReferenceCheckout
    var pin = ReferencePin()

    init(_ pictures: [String: String] = ["S/a": "a1", "S/b": "b1", "R/c": "c1"]) throws {
        tree = try WorkTreeFixture()
        checkout = ReferenceCheckout(workTree: tree.root)
        try record(pictures)
    }

    /// Replaces the pictures of the cell.
    func record(_ pictures: [String: String]) throws {
        var recorded: [SnapshotID: RecordedPicture] = [:]
        for (path, text) in pictures {
            recorded[try id("phone", path)] = tree.stores.picture(png(text))
        }
        let recording = CellRecording(
            cell: cell,
            replacesCell: true,
            pictures: recorded,
            suites: ["S": SuiteRecord(job: JobName("ui"), renderer: ["os": "1"], tests: [:])]
        )
        pin = try tree.stores.record([recording], over: pin).pin
    }

    func plan(force: Bool = false) throws -> CheckoutPlan {
        try checkout.plan(
            pin: pin,
            cells: [cell],
            layout: layout,
            references: try tree.store.references(pin, cell: cell),
            force: force
        )
    }

    @discardableResult
    func update(force: Bool = false) throws -> CheckoutPlan {
        let plan = try plan(force: force)
        try checkout.apply(plan, read: tree.store.read)
        return plan
    }

    func status() throws -> CheckoutStatus { try checkout.status(pin: pin, cells: []) }

    func commitPlan(deletions: Bool = false, force: Bool = false) throws -> CheckoutCommit {
        try checkout.commitPlan(
            try status(),
            pin: pin,
            store: tree.store,
            deletions: deletions,
            job: JobName("ui"),
            renderer: ["os": "mine"],
            force: force
        )
    }

    func path(_ name: String) -> String { "T/ReferenceImages_64/\(name).png" }
    func edit(_ name: String, _ text: String) throws { try tree.picture(path(name), text) }
    func bytes(_ name: String) throws -> Data { try tree.bytes(path(name)) }
}

struct CheckoutTests {
    @Test("references lie where the framework looks, writable, and nothing is left to do")
    func puts() throws {
        let fixture = try CheckoutFixture()
        let plan = try fixture.update()
        #expect(plan.writes.count == 3 && plan.conflicts.isEmpty)
        #expect(try fixture.bytes("S/a") == png("a1"))
        let file = fixture.tree.root + "/" + fixture.path("S/a")
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o644)
        #expect(attributes[.referenceCount] as? Int == 1)
        let again = try fixture.plan()
        #expect(again.writes.isEmpty && again.removals.isEmpty && again.keptCount == 3)
        let status = try fixture.status()
        #expect(status.isClean && status.untouchedCount == 3 && !status.pinMoved)
        #expect(try fixture.tree.stores.faults() == [])
    }

    @Test("after the pin moved, what it changed is written and what it dropped is removed")
    func moves() throws {
        let fixture = try CheckoutFixture()
        try fixture.update()
        try fixture.record(["S/a": "a2", "S/b": "b1", "S/new": "n1"])
        #expect(try fixture.status().pinMoved)
        let plan = try fixture.update()
        #expect(plan.writes.map(\.reference.path) == [fixture.path("S/a"), fixture.path("S/new")])
        #expect(plan.removals == [fixture.path("R/c")])
        #expect(try fixture.bytes("S/a") == png("a2"))
        #expect(!fixture.tree.exists("T/ReferenceImages_64/R"))
        #expect(try fixture.status().isClean)
        #expect(try fixture.tree.stores.faults() == [])
    }

    @Test("what Git tracks stays, is still known, and goes when Git has let go of it")
    func tracked() throws {
        let fixture = try CheckoutFixture()
        try fixture.update()
        try fixture.record(["S/a": "a1", "S/b": "b1"])
        for force in [false, true] {
            let plan = try fixture.checkout.plan(
                pin: fixture.pin,
                cells: [fixture.cell],
                layout: fixture.layout,
                references: try fixture.tree.store.references(fixture.pin, cell: fixture.cell),
                force: force,
                isTracked: { $0 == fixture.path("R/c") }
            )
            #expect(plan.tracked == [fixture.path("R/c")] && plan.removals.isEmpty)
            #expect(plan.keptCount == 2)
            try fixture.checkout.apply(plan, read: fixture.tree.store.read)
            // The tracked file is no new picture that a commit would record again.
            #expect(try fixture.status().isClean)
        }
        #expect(try fixture.update().removals == [fixture.path("R/c")])
        #expect(!fixture.tree.exists(fixture.path("R/c")))
        #expect(try fixture.tree.stores.faults() == [])
    }

    @Test("a new pin leaves behind what is not its picture, and nothing that already is")
    func stale() throws {
        let fixture = try CheckoutFixture()
        func stale() throws -> StaleReferences {
            try fixture.checkout.stale(against: fixture.pin, in: fixture.tree.store)
        }
        #expect(try stale().isEmpty)
        try fixture.update()
        #expect(try stale().isEmpty && stale().lines.isEmpty)
        try fixture.record(["S/a": "a2", "S/b": "b2", "S/new": "n", "S/other": "o"])
        try fixture.edit("S/b", "b2")
        try fixture.edit("S/other", "o")
        let found = try stale()
        #expect(found.paths == [fixture.path("R/c"), fixture.path("S/a")])
        #expect(found.absentCount == 1)
        #expect(found.lines.first == "2 checked-out references are older than the pin:")
        #expect(found.lines.last?.hasSuffix("snapfarm refs checkout") == true)
        try fixture.update()
        #expect(try stale().isEmpty)
        #expect(try fixture.tree.stores.faults() == [])
    }

    @Test(
        "a selection of edits takes names and paths by patterns, keys narrow it",
        arguments: [
            (["*/S/a"], ["S/a"]), (["T/*/S/*"], ["S/a", "S/bad", "S/new"]),
            (["suite=R"], ["R/c"]), (["suite=S", "snapshot=*w"], ["S/new"]),
            (["snapshot=*/a", "snapshot=*/c"], ["R/c", "S/a"]), (["cell=tablet"], []), (["S"], []),
        ]
    )
    func selection(words: [String], taken: [String]) throws {
        let fixture = try CheckoutFixture()
        try fixture.update()
        for name in ["S/a", "S/new", "R/c"] { try fixture.edit(name, "mine") }
        try fixture.tree.write(fixture.path("S/bad"), Data("no picture".utf8))
        let status = try fixture.status().only(CheckoutSelection(words))
        let paths = (status.modified + status.added).map(\.path) + status.unusable.map(\.path)
        #expect(paths.sorted() == taken.map(fixture.path))
        #expect(throws: Selection.Mistake.self) { try CheckoutSelection(["device=phone"]) }
        #expect(try fixture.tree.stores.faults() == [])
    }

    @Test("local edits survive a checkout, and go when told to")
    func edits() throws {
        let fixture = try CheckoutFixture()
        try fixture.update()
        try fixture.edit("S/a", "mine")
        try fixture.edit("R/c", "mine too")
        try fixture.tree.remove(fixture.path("S/b"))
        try fixture.record(["S/a": "a2", "S/b": "b1"])
        let plan = try fixture.update()
        #expect(
            plan.conflicts == [
                CheckoutConflict(path: fixture.path("S/a"), reason: .edited),
                CheckoutConflict(path: fixture.path("R/c"), reason: .editedAndDropped),
            ]
        )
        #expect(try fixture.bytes("S/a") == png("mine"))
        #expect(try fixture.bytes("R/c") == png("mine too"))
        #expect(try fixture.bytes("S/b") == png("b1"))
        // Edited in the work tree and in the pin: neither side is taken silently.
        #expect(throws: CheckoutError.editedOnBothSides(paths: [fixture.path("S/a")])) {
            try fixture.commitPlan()
        }
        try fixture.update(force: true)
        #expect(try fixture.bytes("S/a") == png("a2"))
        #expect(try fixture.tree.stores.faults() == [])
    }

    @Test("a file that was never checked out is not overwritten; an equal one is adopted")
    func foreign() throws {
        let fixture = try CheckoutFixture()
        try fixture.edit("S/a", "somebody's")
        try fixture.edit("S/b", "b1")
        let plan = try fixture.update()
        #expect(plan.conflicts.map(\.path) == [fixture.path("S/a")])
        #expect(try fixture.bytes("S/a") == png("somebody's"))
        #expect(plan.keptCount == 1)
        #expect(try fixture.tree.stores.faults() == [])
    }

    @Test("links and pipes in the way are left alone, even when told to overwrite")
    func hostile() throws {
        let fixture = try CheckoutFixture()
        try fixture.update()
        let outside = try fixture.tree.stores.folder.write("outside.png", "precious")
        for name in ["S/a", "S/b"] { try fixture.tree.remove(fixture.path(name)) }
        symlink(outside, fixture.tree.root + "/" + fixture.path("S/a"))
        mkfifo(fixture.tree.root + "/" + fixture.path("S/b"), 0o600)
        #expect(try fixture.status().unusable.count == 2)
        let plan = try fixture.update(force: true)
        #expect(plan.conflicts.map(\.reason) == [.notAFile, .notAFile])
        #expect(try String(contentsOfFile: outside, encoding: .utf8) == "precious")
        try fixture.tree.remove("T/ReferenceImages_64")
        symlink(fixture.tree.stores.folder.path, fixture.tree.root + "/T/ReferenceImages_64")
        #expect(throws: GuardedFolderError.self) { try fixture.plan() }
        #expect(try fixture.tree.stores.faults() == [])
    }

    @Test("an edit that keeps size and time right after the checkout is noticed")
    func racyEdit() throws {
        let fixture = try CheckoutFixture()
        let manifest = try {
            try fixture.checkout.apply(try fixture.plan(), read: fixture.tree.store.read)
        }()
        let file = fixture.tree.root + "/" + fixture.path("S/a")
        // The same file, time and size; the manifest as if written in the same tick.
        var status = stat()
        stat(file, &status)
        try #require(FileHandle(forWritingAtPath: file)).write(contentsOf: png("a9"))
        utimensat(AT_FDCWD, file, [status.st_mtim, status.st_mtim], 0)
        let list = fixture.tree.root + "/" + CheckoutManifest.name
        utimensat(AT_FDCWD, list, [status.st_mtim, status.st_mtim], 0)
        #expect(manifest.files.count == 3)
        #expect(try fixture.status().modified.map(\.path) == [fixture.path("S/a")])
        #expect(try fixture.tree.stores.faults() == [])
    }

    @Test("locally recorded pictures become a set, and are untouched then")
    func commits() throws {
        let fixture = try CheckoutFixture()
        try fixture.update()
        try fixture.edit("S/a", "mine")
        try fixture.edit("S/new", "new")
        try fixture.tree.remove(fixture.path("S/b"))
        try fixture.tree.write(fixture.path("S/broken"), Data("no picture".utf8))
        let status = try fixture.status()
        #expect(status.modified.map(\.id.text) == ["phone/S/a"])
        #expect(status.added.map(\.id.text) == ["phone/S/new"])
        #expect(status.deleted.map(\.id.text) == ["phone/S/b"])
        #expect(status.unusable.map(\.path) == [fixture.path("S/broken")])
        let plan = try fixture.commitPlan()
        #expect(plan.edits.count == 2)
        let set = try fixture.checkout.record(plan, to: fixture.tree.store)
        try fixture.checkout.note(plan, as: set, in: fixture.tree.store)
        let outcome = try #require(set.outcomes[fixture.cell])
        #expect(outcome.added.map(\.text) == ["phone/S/new"])
        #expect(outcome.changed.map(\.text) == ["phone/S/a"] && outcome.removed.isEmpty)
        let record = try fixture.tree.store.suiteRecord(set.pin, cell: fixture.cell, folder: "S")
        #expect(record?.renderer == ["os": "mine"])
        fixture.pin = set.pin
        let after = try fixture.status()
        #expect(after.modified.isEmpty && after.added.isEmpty && !after.pinMoved)
        #expect(after.deleted.count == 1)

        let deletions = try fixture.commitPlan(deletions: true)
        let removal = try fixture.checkout.record(deletions, to: fixture.tree.store)
        try fixture.checkout.note(deletions, as: removal, in: fixture.tree.store)
        #expect(removal.outcomes[fixture.cell]?.removed.map(\.text) == ["phone/S/b"])
        #expect(removal.outcomes[fixture.cell]?.unchangedCount == 3)
        fixture.pin = removal.pin
        #expect(try fixture.status().deleted.isEmpty)
        #expect(try fixture.tree.stores.faults() == [])
    }

    @Test("a file that changes between plan and checkout is left alone")
    func changing() throws {
        let fixture = try CheckoutFixture()
        let plan = try fixture.plan()
        try fixture.edit("S/a", "meanwhile")
        #expect(throws: CheckoutError.changedMeanwhile(path: fixture.path("S/a"))) {
            try fixture.checkout.apply(plan, read: fixture.tree.store.read)
        }
        #expect(try fixture.bytes("S/a") == png("meanwhile"))
        #expect(try fixture.tree.stores.faults() == [])
    }

    @Test(
        "a list of checked-out files that cannot be read stops everything",
        arguments: ["", "{", "[]", #"{"version": 9}"#]
    )
    func brokenManifest(text: String) throws {
        let fixture = try CheckoutFixture()
        try fixture.update()
        try fixture.tree.write(CheckoutManifest.name, Data(text.utf8))
        #expect(throws: CheckoutError.self) { try fixture.plan() }
        #expect(throws: CheckoutError.self) { try fixture.status() }
        #expect(try fixture.tree.stores.faults() == [])
    }
}

struct WorkTreeGitTests {
    @Test("Git ignores what was checked out, and the clone has no change to commit")
    func ignores() throws {
        let tree = try WorkTreeFixture()
        try tree.git("init", "--quiet")
        let paths = ["T/ReferenceImages_64/S [x]*/a.png", "__Snapshots__/T/b.1.png"]
        for path in paths { try tree.picture(path) }
        try tree.write(".snapfarm-checkout.json", Data())
        try tree.write("T/other.txt", Data())
        let git = try WorkTreeGit(containing: tree.root + "/T")
        let lines = WorkTreeGit.ignoreLines(for: paths)
        let exclude = tree.root + "/.git/info/exclude"
        let before = try String(contentsOfFile: exclude, encoding: .utf8)
        #expect(try git.ignore(lines))
        #expect(try git.ignore(lines) == false)
        #expect(try tree.git("status", "--porcelain", "-uall") == "?? T/other.txt\n")
        #expect(try git.ignore(["/more/*.png"]))
        let after = try String(contentsOfFile: exclude, encoding: .utf8)
        #expect(after.hasPrefix(before))
        #expect(after.split(separator: "\n").filter { $0.hasSuffix("(begin)") }.count == 1)
        #expect(after.contains("/more/*.png\n") && after.contains("/__Snapshots__/T/*.png\n"))
    }

    @Test("the hook is installed, runs, renewed and removed; another one is never overwritten")
    func hook() throws {
        let tree = try WorkTreeFixture()
        try tree.git("init", "--quiet", "-b", "main")
        try tree.write("bin/snapfarm", Data("#!/bin/sh\necho \"$@\" >> called\nexit 1\n".utf8))
        chmod(tree.root + "/bin/snapfarm", 0o755)
        try tree.commitAll("first")
        let git = try WorkTreeGit(containing: tree.root)
        #expect(try git.installHook())
        #expect(try git.installHook() == false)
        let path = "\(tree.root)/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        let switched = try run(
            "git",
            ["-C", tree.root, "checkout", "-b", "other"],
            environment: ["PATH": path]
        )
        #expect(switched.status == 0)
        #expect(try tree.bytes("called") == Data("refs checkout\n".utf8))
        #expect(try git.removeHook())
        #expect(try git.removeHook() == false)

        try tree.write(".git/hooks/post-checkout", Data("#!/bin/sh\necho mine\n".utf8))
        #expect(throws: CheckoutError.foreignHook(path: git.hookPath)) { try git.installHook() }
        #expect(throws: CheckoutError.foreignHook(path: git.hookPath)) { try git.removeHook() }
        #expect(try tree.bytes(".git/hooks/post-checkout") == Data("#!/bin/sh\necho mine\n".utf8))
    }

    @Test("where husky keeps the hooks, the file is named that lasts, and nothing is written")
    func husky() throws {
        let tree = try WorkTreeFixture()
        try tree.git("init", "--quiet")
        try tree.git("config", "core.hooksPath", ".husky/_")
        let git = try WorkTreeGit(containing: tree.root)
        let error = CheckoutError.foreignHook(path: git.hookPath)
        #expect(error.remedy.contains(" \(tree.root)/.husky/post-checkout "))
        #expect(throws: error) { try git.installHook() }
        #expect(!tree.exists(".husky"))
    }

    @Test("core.hooksPath is where the hook goes")
    func hooksPath() throws {
        let tree = try WorkTreeFixture()
        try tree.git("init", "--quiet")
        try tree.git("config", "core.hooksPath", "tools/hooks")
        let git = try WorkTreeGit(containing: tree.root)
        #expect(git.hookPath == tree.root + "/tools/hooks/post-checkout")
        try git.installHook()
        #expect(tree.exists("tools/hooks/post-checkout"))
    }
}
