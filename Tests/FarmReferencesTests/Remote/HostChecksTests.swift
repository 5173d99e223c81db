// Tests of a host that checks received objects (`receive.fsckObjects`), over every way to reach it.
import FarmCore
import FarmGit
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("A host that checks what it is sent", .serialized)
struct HostChecksTests {
    /// Returns a repository with a commit that hosts with checks refuse.
    private func commit(in folder: TemporaryFolder) throws -> (path: String, commit: ObjectID) {
        let path = folder.file("clone")
        func git(_ words: String...) throws -> String {
            let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
            let ending = try run("git", ["-C", path] + identity + words)
            try #require(ending.status == 0, "git \(words): \(ending.errors)")
            return ending.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        try #require(try run("git", ["init", "--quiet", "--bare", path]).status == 0)
        let entries = try folder.write(
            "entries",
            "100644 blob \(ObjectID(ofBlob: Data()).hex)\t.git\n"
        )
        _ = try git("hash-object", "-w", "/dev/null")
        let list = "git -C '\(path)' mktree < '\(entries)'"
        let tree = try run("sh", ["-c", list]).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let hex = try git("commit-tree", tree, "-m", "x")
        return (path, try #require(ObjectID(hex)))
    }

    @Test(
        "is quoted, and not called a network that is down",
        arguments: [StoreLocation.Kind.path, .git, .ssh, .https]
    )
    func refused(_ kind: StoreLocation.Kind) throws {
        let host = try StoreHost(kind)
        try host.make("store", settings: ["receive.fsckObjects": "true"])
        let (path, commit) = try commit(in: host.folder)
        let location = try host.location("store")
        try GitRepository(opening: path)
            .configure([("remote.\(GitProgram.remote).url", location.url)])
        let git = GitProgram(access: try host.access(), location: location, folder: path)
        let spec = "\(commit):refs/heads/x"
        let error = #expect(throws: RemoteError.self) { _ = try git.push([spec]) }
        #expect(error?.code == "remote-refused-objects", "\(error.map { "\($0)" } ?? "")")
        #expect(error?.exit == .invalidInput)
        #expect(error?.message.contains("hasDotgit") == true, "\(error?.message ?? "")")
    }
}
