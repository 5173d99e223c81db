// Tests that the cleanup removes the leftovers of killed farm processes and nothing else.
import CFarmShims
import FarmCore
import FarmDrivers
import FarmTesting
import Foundation
import Testing

@Suite("what killed processes leave")
struct LeftoversTests {
    private static let namespace = farm_process_namespace()
    private static let own = "\(namespace)-\(getpid())-\(farm_process_start(getpid()))."

    /// Returns the mark of a process that has ended: its pid and start time.
    private func ended() throws -> String {
        let process = try TestProcess(["sleep", "60"])
        let mark = "\(Self.namespace)-\(process.pid)-\(farm_process_start(process.pid))."
        process.kill()
        return mark
    }

    private func sleeping(_ cookie: String) throws -> TestProcess {
        try TestProcess(
            ["sleep", "60"],
            environment: ["PATH": "/usr/bin:/bin", "SNAPFARM_COOKIE": cookie]
        )
    }

    @Test("a process whose owner is gone is ended; all others live on")
    func processes() throws {
        let dead = try ended()
        let orphan = try sleeping(dead + "1.")
        let grandchild = try sleeping(Self.own + "7." + dead + "1.")
        let impostor = "\(Self.namespace)-\(getpid())-1."
        let successor = try sleeping(impostor + "1.")
        let others = [
            "of a live owner": try sleeping(Self.own + "3."),
            "of another namespace": try sleeping("\(Self.namespace + 1)" + dead.drop { $0 != "-" }),
            "with a word that is no mark": try sleeping("12-word."),
            "without a cookie": try TestProcess(
                ["sleep", "60"],
                environment: ["PATH": "/usr/bin:/bin"]
            ),
        ]
        Leftovers.endProcesses()
        #expect(orphan.ending(within: 5).status == 128 + 9)
        #expect(grandchild.ending(within: 5).status == 128 + 9)
        #expect(successor.ending(within: 5).status == 128 + 9, "the owner's id is another's now")
        for (name, other) in others { #expect(other.isRunning, "\(name)") }
    }

    @Test("a folder goes with its owner; one without a mark, or behind a link, stays")
    func folders() throws {
        let place = try TemporaryFolder()
        let used = try OwnedFolder(in: place.path, "some-")
        var dropped: OwnedFolder? = try OwnedFolder(in: place.path, "some-")
        let left = try #require(dropped?.path)
        try place.write("some-unmarked/file", "")
        let elsewhere = try TemporaryFolder()
        var moved: OwnedFolder? = try OwnedFolder(in: elsewhere.path, "other-")
        let target = try #require(moved?.path)
        symlink(target, place.file("some-link"))
        // Releases both folders, as when their owners end.
        dropped = nil
        moved = nil
        Leftovers.removeFolders(in: place.path, "some-")
        let files = FileManager.default
        #expect(!files.fileExists(atPath: left))
        #expect(files.fileExists(atPath: used.path))
        #expect(files.fileExists(atPath: place.file("some-unmarked/file")))
        #expect(files.fileExists(atPath: target))
        used.remove()
        #expect(!files.fileExists(atPath: used.path))
    }

    @Test("a removal that is cut off leaves the mark, so that the next start goes on with it")
    func cutOff() throws {
        let files = FileManager.default
        for moment in 0...3 {
            let place = try TemporaryFolder()
            var dropped: OwnedFolder? = try OwnedFolder(in: place.path, "some-")
            let left = try #require(dropped?.path)
            let name = (left as NSString).lastPathComponent
            for number in 0..<3 { try place.write("\(name)/\(number)/file", "") }
            // Simulates a kill: nothing more is removed.
            var removed = 0
            OwnedFolder.remove(left) { path in
                guard removed < moment else { return }
                removed += 1
                try files.removeItem(atPath: path)
            }
            let rest = try files.contentsOfDirectory(atPath: left)
            #expect(rest.contains(FARM_OWNER_FILE) && rest.count == 4 - moment, "\(rest)")
            dropped = nil
            Leftovers.removeFolders(in: place.path, "some-")
            #expect(!files.fileExists(atPath: left))
        }
    }

    @Test("what cannot be removed keeps its mark")
    func stubborn() throws {
        let place = try TemporaryFolder()
        let folder = try OwnedFolder(in: place.path, "some-")
        try place.write("\((folder.path as NSString).lastPathComponent)/file", "")
        OwnedFolder.remove(folder.path) { path in
            if path.hasSuffix("/file") { throw CocoaError(.fileWriteNoPermission) }
            try FileManager.default.removeItem(atPath: path)
        }
        let rest = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(rest.sorted() == [FARM_OWNER_FILE, "file"])
        folder.remove()
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("a folder that is given up is free at once, also while a forked child has its file open")
    func givenUp() throws {
        let place = try TemporaryFolder()
        let owner = farm_own_folder(place.path)
        // Between fork(2) and exec(2) a child has the same open file.
        let child = dup(owner)
        defer { close(child) }
        #expect(farm_inherit_folder(place.path) == -1)
        farm_leave_folder(owner)
        let heir = farm_inherit_folder(place.path)
        #expect(heir >= 0)
        farm_leave_folder(heir)
    }

    @Test("a folder has a random name and is its user's alone")
    func permissions() throws {
        let folders = try [OwnedFolder("mode"), OwnedFolder("mode")]
        defer { for folder in folders { folder.remove() } }
        #expect(folders[0].path != folders[1].path)
        for folder in folders {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
    }
}
