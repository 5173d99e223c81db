import FarmCore
import FarmGit
import FarmTesting
import Foundation
import Testing

@Suite("Repositories with extensions")
struct GitExtensionsTests {
    private func repository(_ words: [String] = [], settings: [[String]]) throws -> TemporaryFolder
    {
        let folder = try TemporaryFolder("extension")
        let commands =
            [["init", "-q", "-b", "main"] + words + ["."]] + settings.map { ["config"] + $0 }
        for command in commands {
            let ending = try TestProcess.run(["git", "-C", folder.path] + command)
            try #require(ending.status == 0, "\(ending.errors)")
        }
        return folder
    }

    @Test(
        "those that change nothing in how a repository is read are read",
        arguments: ["noop", "partialclone", "relativeworktrees", "worktreeconfig"]
    )
    func read(name: String) throws {
        let folder = try repository(settings: [
            ["extensions.\(name)", "true"], ["core.repositoryformatversion", "1"],
        ])
        let repository = try GitRepository(containing: folder.path)
        #expect(repository.workTree != nil)
        #expect(repository.isPartial == (name == "partialclone"))
    }

    @Test("any other is refused by its name, and its repository is not said to be none")
    func refused() throws {
        let folder = try repository(["--object-format=sha256"], settings: [])
        let error = GitError.unsupported(path: folder.path, extension: "objectformat")
        #expect(throws: error) { try GitRepository(containing: folder.path) }
        #expect(throws: error) { try GitRepository(at: folder.path) }
        #expect(error.message.contains("the extension objectformat, which libgit2"))
        let none = try TemporaryFolder("none")
        #expect(throws: GitError.notARepository(path: none.path)) {
            try GitRepository(at: none.path)
        }
    }

    @Test("a clone is partial where a remote promises what it left out")
    func partial() throws {
        let promised = try repository(settings: [["remote.origin.promisor", "true"]])
        #expect(try GitRepository(containing: promised.path).isPartial)
        let whole = try repository(settings: [["remote.origin.url", "x"]])
        #expect(!(try GitRepository(containing: whole.path).isPartial))
    }

    @Test("a sparse index is refused with the command that ends it")
    func sparseIndex() throws {
        let folder = try repository(settings: [])
        try folder.write("in/file", "1")
        try folder.write("out/file", "2")
        for command in [
            ["add", "-A"],
            ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "files"],
            ["sparse-checkout", "set", "--sparse-index", "in"],
        ] {
            let ending = try TestProcess.run(["git", "-C", folder.path] + command)
            try #require(ending.status == 0, "\(ending.errors)")
        }
        let repository = try GitRepository(containing: folder.path)
        let error = try #require(throws: GitError.self) { try GitIndex(of: repository) }
        #expect(error.remedy.contains("--no-sparse-index"))
        _ = try TestProcess.run(
            ["git", "-C", folder.path, "sparse-checkout", "reapply", "--no-sparse-index"]
        )
        let index = try GitIndex(of: repository)
        #expect(index.isSkippedBySparseCheckout("out/file"))
        #expect(!index.isSkippedBySparseCheckout("in/file"))
    }
}
