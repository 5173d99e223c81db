import FarmCore
import FarmGit
import FarmTesting
import Foundation
import Testing

/// A repository with a work tree, made and judged by the system's own git.
private final class WorkTree {
    let folder: TemporaryFolder
    var path: String { folder.file("main") }

    init() throws {
        folder = try TemporaryFolder("work")
        try git(["init", "--quiet", "--initial-branch=main", path], in: folder.path)
        try git(["config", "user.name", "Ann"])
        try git(["config", "user.email", "ann@example.org"])
    }

    @discardableResult
    func git(_ words: [String], in place: String? = nil) throws -> String {
        let environment = ProcessInfo.processInfo.environment
            .merging(["LC_ALL": "C", "GIT_CONFIG_GLOBAL": "/dev/null"]) { _, new in new }
        let ending = try TestProcess.run(
            ["git", "-C", place ?? path] + words,
            environment: environment
        )
        return ending.output
    }

    func commit(_ file: String, _ text: String) throws -> ObjectID {
        try folder.write("main/\(file)", text)
        try git(["add", "--all"])
        try git(["commit", "--quiet", "-m", "\(file)\n\nbody"])
        return try #require(ObjectID(try git(["rev-parse", "HEAD"]).dropLast()))
    }
}

@Suite("a repository")
struct GitRepositoryTests {
    @Test("the id of bytes is the one git gives")
    func ids() throws {
        let tree = try WorkTree()
        let commit = try tree.commit("one", "1\n")
        let bytes = Data(try tree.git(["cat-file", "commit", commit.hex]).utf8)
        #expect(ObjectID(of: .commit, bytes) == commit)
        #expect(ObjectID(of: .blob, Data("1\n".utf8)) == ObjectID(ofBlob: Data("1\n".utf8)))
        let empty = try tree.git(["hash-object", "-t", "tree", "/dev/null"]).dropLast()
        #expect(ObjectID(of: .tree, Data()).hex == empty)
    }

    @Test("a commit is found by branch, tag and id, and read with its history")
    func history() throws {
        let tree = try WorkTree()
        let first = try tree.commit("one", "1\n")
        let second = try tree.commit("folder/two", "2\n")
        try tree.git(["tag", "-a", "-m", "t", "v1"])
        let repository = try GitRepository(containing: tree.path + "/folder")
        for name in ["main", "v1", "HEAD", second.hex] {
            #expect(try repository.commit(named: name) == second)
        }
        let commit = try repository.commit(second)
        #expect(commit.parents == [first])
        #expect(commit.summary == "folder/two")
        #expect(commit.message == "folder/two\n\nbody\n")
        #expect(try repository.mergeBase(first, second) == first)
        #expect(repository.contains(first, in: second))
        #expect(!repository.contains(second, in: first))
        let tag = try #require(try repository.target(of: "refs/tags/v1"))
        #expect(try repository.peeledCommit(tag)?.id == second)
        #expect(try repository.peeledCommit(commit.tree) == nil)
        let before = try repository.commit(first).tree
        let changes = try repository.changes(from: before, to: commit.tree, below: "")
        #expect(changes.map(\.path) == ["folder/two"])
        #expect(try repository.changes(from: nil, to: commit.tree, below: "folder").count == 1)
        #expect(try repository.entry(at: "folder/two", of: commit.tree)?.kind == .file)
        #expect(try repository.entry(at: "folder", of: commit.tree)?.kind == .folder)
        #expect(try repository.entry(at: "folder/three", of: commit.tree) == nil)
        #expect(repository.person == "Ann <ann@example.org>")
        #expect(repository.branch == "main")
        #expect(repository.workTree == tree.path)
    }

    @Test("what an unfinished merge leaves is read side by side, and staged")
    func conflict() throws {
        let tree = try WorkTree()
        _ = try tree.commit("pin", "base\n")
        try tree.git(["checkout", "--quiet", "-b", "other"])
        _ = try tree.commit("pin", "theirs\n")
        try tree.git(["checkout", "--quiet", "main"])
        _ = try tree.commit("pin", "ours\n")
        try tree.git(["merge", "--quiet", "other"])
        let repository = try GitRepository(at: tree.path)
        let index = try GitIndex(of: repository)
        let stages = try #require(try index.conflict(at: "pin"))
        let texts = try [stages.base, stages.ours, stages.theirs].map { entry in
            let object = try #require(entry).object
            return String(
                decoding: try repository.blob(object, bytesMax: 100, what: "pin"),
                as: UTF8.self
            )
        }
        #expect(texts == ["base\n", "ours\n", "theirs\n"])
        #expect(try index.conflict(at: "other") == nil)
        try tree.folder.write("main/pin", "merged\n")
        try index.add(file: "pin")
        try index.add(submodule: "sub", at: ObjectID(ofBlob: Data()))
        try index.write()
        #expect(try tree.git(["ls-files", "--unmerged"]) == "")
        #expect(try tree.git(["ls-files", "--stage", "sub"]).hasPrefix("160000 e69de29"))
        #expect(try GitIndex(of: repository).entry(at: "sub")?.kind == .submodule)
        try index.remove("sub")
        try index.remove("never there")
        try index.write()
        #expect(try tree.git(["ls-files", "sub"]) == "")
    }

    @Test("settings are found by their form, written as git reads them, and removed")
    func settings() throws {
        let tree = try WorkTree()
        let path = tree.path + "/.gitmodules"
        let file = try GitConfigFile(at: path)
        try file.set("submodule.a b.path", to: "refs")
        try file.set("submodule.a b.url", to: "../store")
        let found = try file.settings(matching: "^submodule\\..*\\.path$")
        #expect(found.map(\.name) == ["submodule.a b.path"])
        #expect(found.map(\.value) == ["refs"])
        #expect(try tree.git(["config", "-f", path, "submodule.a b.url"]) == "../store\n")
        try file.remove("submodule.a b.url")
        try file.remove("submodule.a b.url")
        #expect(file.value(of: "submodule.a b.url") == nil)
    }

    @Test("a place without a repository and an object that is not there are said")
    func refused() throws {
        let folder = try TemporaryFolder("none")
        #expect(throws: GitError.notARepository(path: folder.path)) {
            try GitRepository(opening: folder.path)
        }
        let lost = #expect(throws: GitError.self) { try GitRepository(containing: folder.path) }
        #expect(lost?.reason.contains("could not find repository") == true)
        let store = folder.file("store.git")
        try GitRepository.create(at: store)
        let repository = try GitRepository(opening: store)
        let absent = ObjectID(ofBlob: Data("never written".utf8))
        #expect(
            throws: GitError.objectMissing(absent, what: "the page", repository: store)
        ) {
            try repository.blob(absent, bytesMax: 10, what: "the page")
        }
        let written = try repository.write(blob: Data("four".utf8))
        #expect(try repository.header(of: written)?.kind == .blob)
        #expect(throws: GitError.malformed(what: "it", fact: "4 bytes, more than 3")) {
            try repository.blob(written, bytesMax: 3, what: "it")
        }
    }
}
