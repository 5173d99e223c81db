import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("The files that changed since a commit")
struct ChangedFilesTests {
    private func git(_ words: String..., in folder: TemporaryFolder) throws -> String {
        let git = GitCommand(
            folder: folder.path,
            environment: ProcessInfo.processInfo.environment
        )
        let own = ["-c", "user.name=t", "-c", "user.email=t@t"]
        let result = try git.run(own + words)
        #expect(result.status == 0, "git \(words)")
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("are those of the work tree, without what is left out, of a commit that the clone has")
    func first() throws {
        let folder = try TemporaryFolder("changed")
        _ = try git("init", "-q", in: folder)
        for name in ["a/b.txt", "c.txt", "d.txt"] { try folder.write(name, "one") }
        _ = try git("add", "-A", in: folder)
        _ = try git("commit", "-qm", "one", in: folder)
        let commit = try git("rev-parse", "HEAD", in: folder)
        let files = GitRepositoryFiles(
            root: folder.path,
            environment: ProcessInfo.processInfo.environment
        )
        #expect(files.firstChanged(since: commit) { _ in false } == .none)
        for name in ["a/b.txt", "d.txt"] { try folder.write(name, "two") }
        #expect(files.firstChanged(since: commit) { _ in false } == .file("a/b.txt"))
        #expect(files.firstChanged(since: commit) { $0 == "a" } == .file("d.txt"))
        let output = "--output=\(folder.file("written"))"
        for unknown in [String(repeating: "0", count: 40), "", "HEAD", output] {
            #expect(files.firstChanged(since: unknown) { _ in false } == .unknown, "\(unknown)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("written")))
    }
}
