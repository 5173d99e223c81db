// Tests that a borrowed work tree is restored exactly, whatever happened meanwhile.
import FarmCore
import FarmDrivers
import FarmTesting
import Foundation
import Testing

@Suite("a borrowed work tree")
struct BorrowedTreeTests {
    /// Returns every entry below a folder with its type, content and modification time.
    private func contents(_ root: String) throws -> [String: String] {
        var result: [String: String] = [:]
        let files = FileManager.default
        for case let path as String in try #require(files.enumerator(atPath: root)) {
            let full = "\(root)/\(path)"
            let attributes = try files.attributesOfItem(atPath: full)
            let kind = attributes[.type] as? FileAttributeType ?? .typeUnknown
            let changed = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            switch kind {
            case .typeDirectory: result[path] = "folder"
            case .typeSymbolicLink:
                result[path] = try files.destinationOfSymbolicLink(atPath: full)
            default:
                let bytes = files.contents(atPath: full) ?? Data()
                result[path] = "\(Digest(of: bytes).hex) \(changed)"
            }
        }
        return result
    }

    private func tree() throws -> TemporaryFolder {
        let folder = try TemporaryFolder("tree")
        try folder.write("Tests/AppTests/CartTests.swift", "// cart")
        try folder.write("Tests/AppTests/ListTests.swift", "// list")
        try folder.write("Tests/AppTests/__Snapshots__/CartTests/testA.1.png", "old")
        try folder.write("Tests/AppTests/__Snapshots__/CartTests/testText.1.txt", "words")
        try folder.write("Tests/Other/CartTests.swift", "// another cart")
        try folder.write("Deep/Down/__Snapshots__/Gone/x.png", "x")
        try folder.write(".build/checkouts/Dep/Tests/T.swift", "// theirs")
        try folder.write("docs/readme.md", "no sources")
        return folder
    }

    private func borrow(
        _ root: String,
        _ mirror: String,
        checkpoint: () throws -> Void = {}
    ) throws -> SourceTreeOverlay {
        try SourceTreeOverlay(
            root,
            folders: "__Snapshots__",
            besideSources: ".swift",
            into: mirror,
            checkpoint: checkpoint
        )
    }

    @Test("what a test writes beside its source lies in the lease, and the tree is as before")
    func wholeWay() throws {
        let (tree, lease) = (try tree(), try TemporaryFolder("lease"))
        let before = try contents(tree.path)
        let borrowed = try borrow(tree.path, lease.file("sources"))
        #expect(
            borrowed.folders(ofSource: "CartTests").sorted() == ["Tests/AppTests", "Tests/Other"]
        )
        #expect(borrowed.folders(ofSource: "T").isEmpty)
        // The framework creates its folder if there is none.
        try tree.write("Tests/AppTests/__Snapshots__/CartTests/testA.1.png", "new")
        try tree.write("Tests/Other/__Snapshots__/CartTests/testB.1.png", "first")
        try tree.write("Tests/AppTests/__Snapshots__/CartTests/testText.1.txt", "other words")
        let inside = "sources/Tests/AppTests/__Snapshots__/CartTests"
        #expect(
            try String(contentsOfFile: lease.file("\(inside)/testA.1.png"), encoding: .utf8)
                == "new"
        )
        #expect(
            try String(contentsOfFile: lease.file("\(inside)/testText.1.txt"), encoding: .utf8)
                == "other words"
        )
        #expect(
            FileManager.default.fileExists(
                atPath: lease.file("sources/Tests/Other/__Snapshots__/CartTests/testB.1.png")
            )
        )
        try borrowed.giveBack()
        #expect(try contents(tree.path) == before)
        // A second call has nothing to give back.
        try borrowed.giveBack()
        #expect(try contents(tree.path) == before)
    }

    @Test("texts that a framework compares by itself are there, the tree's own pictures are not")
    func texts() throws {
        let (tree, lease) = (try tree(), try TemporaryFolder("lease"))
        let borrowed = try borrow(tree.path, lease.file("sources"))
        let folder = tree.file("Tests/AppTests/__Snapshots__/CartTests")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["testText.1.txt"])
        try borrowed.giveBack()
    }

    @Test("nobody has a tree that another has")
    func busy() throws {
        let (tree, lease) = (try tree(), try TemporaryFolder("lease"))
        let first = try borrow(tree.path, lease.file("one"))
        #expect(throws: BorrowError.busy(root: tree.path)) {
            try borrow(tree.path, lease.file("two"))
        }
        // Putting back leftovers of dead borrowers does not disturb a living one.
        try SourceTreeOverlay.putBackLeft(in: tree.path)
        #expect(try borrowedLinks(tree.path) > 0)
        try first.giveBack()
        #expect(try borrowedLinks(tree.path) == 0)
    }

    private func borrowedLinks(_ root: String) throws -> Int {
        try contents(root).keys.filter { $0.hasSuffix("__Snapshots__") }
            .filter {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(root)/\($0)")
                return attributes[.type] as? FileAttributeType == .typeSymbolicLink
            }.count
    }

    private struct Killed: Error {}

    /// Counts down to a simulated kill.
    private final class Fuse {
        var left: Int
        init(_ left: Int) { self.left = left }

        func burn() throws {
            guard left > 0 else { throw Killed() }
            left -= 1
        }
    }

    @Test("whoever is killed at any place while it borrows, the next start puts all back")
    func killedWhileBorrowing() throws {
        var step = 0
        var isThrough = false
        while !isThrough {
            let (tree, lease) = (try tree(), try TemporaryFolder("lease"))
            let before = try contents(tree.path)
            let fuse = Fuse(step)
            do {
                // A thrown error ends the borrower like a kill: nothing is put back.
                _ = try borrow(tree.path, lease.file("sources"), checkpoint: fuse.burn)
                isThrough = true
            } catch is Killed {}
            try SourceTreeOverlay.putBackLeft(in: tree.path)
            #expect(try contents(tree.path) == before, "killed at step \(step)")
            step += 1
        }
        #expect(step >= 8)
    }

    @Test("whoever is killed at any place while it gives back, the next borrower goes on")
    func killedWhileGivingBack() throws {
        var step = 0
        var isThrough = false
        while !isThrough {
            let (tree, lease) = (try tree(), try TemporaryFolder("lease"))
            let before = try contents(tree.path)
            let fuse = Fuse(step)
            do {
                let borrowed = try borrow(tree.path, lease.file("sources"))
                try tree.write("Tests/AppTests/__Snapshots__/CartTests/testA.1.png", "new")
                try borrowed.giveBack(checkpoint: fuse.burn)
                isThrough = true
            } catch is Killed {}
            let next = try borrow(tree.path, lease.file("next"))
            try next.giveBack()
            #expect(try contents(tree.path) == before, "killed at step \(step)")
            step += 1
        }
        #expect(step >= 8)
    }

    @Test("the lease of the dead may be gone when its tree is put back")
    func leaseIsGone() throws {
        let tree = try tree()
        let before = try contents(tree.path)
        do {
            let lease = try TemporaryFolder("lease")
            _ = try borrow(tree.path, lease.file("sources"))
        }
        try SourceTreeOverlay.putBackLeft(in: tree.path)
        #expect(try contents(tree.path) == before)
    }

    @Test("what a test put in the place of a link is not thrown away, and nor is what waits")
    func occupied() throws {
        let (tree, lease) = (try tree(), try TemporaryFolder("lease"))
        let before = try contents(tree.path)
        let borrowed = try borrow(tree.path, lease.file("sources"))
        let place = tree.file("Tests/AppTests/__Snapshots__")
        try FileManager.default.removeItem(atPath: place)
        try tree.write("Tests/AppTests/__Snapshots__/mine.png", "mine")
        let error = #expect(throws: BorrowError.self) { try borrowed.giveBack() }
        #expect(error?.code == "tree-occupied")
        #expect(FileManager.default.fileExists(atPath: place + "/mine.png"))
        try FileManager.default.removeItem(atPath: place)
        try borrowed.giveBack()
        #expect(try contents(tree.path) == before)
    }

    @Test("a process that is killed in the middle loses the tree's lock with its life")
    func lockOfTheDead() throws {
        let (tree, lease) = (try tree(), try TemporaryFolder("lease"))
        let before = try contents(tree.path)
        // flock(1) holds the same lock as a borrower in another process.
        let other = try TestProcess(["flock", "-x", tree.path, "sleep", "60"])
        #expect(other.wait(seconds: 20) { isBusy(tree.path) })
        other.kill()
        #expect(other.wait(seconds: 20) { !isBusy(tree.path) })
        let borrowed = try borrow(tree.path, lease.file("sources"))
        try borrowed.giveBack()
        #expect(try contents(tree.path) == before)
    }

    private func isBusy(_ root: String) -> Bool {
        let descriptor = open(root, O_RDONLY)
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }
}
