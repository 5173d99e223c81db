import FarmCore
import FarmGit
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

/// A main repository on a host, with a pin on the branch `work` and files that are not needed here.
private final class PinnedProject {
    let host: StoreHost
    let folder: TemporaryFolder
    /// A pin: suites with their objects.
    static let first = pin(["a/S": "one", "a/T": "two"])

    init(_ kind: StoreLocation.Kind, speaksVersion2: Bool = true) throws {
        host = try StoreHost(kind, speaksVersion2: speaksVersion2)
        folder = try TemporaryFolder("main")
        try host.make("main")
        try git("init", "-q", "-b", "work", ".")
        try folder.write("tree/old.txt", "old")
        try commit("before")
        try folder.write("tree/large.txt", String(repeating: "words ", count: 20_000))
        try folder.write("tree/snapfarm.refs", Self.first.text)
        try commit("the app")
    }

    static func pin(_ objects: [String: String]) -> ReferencePin {
        var pin = ReferencePin()
        for (path, text) in objects {
            let parts = path.split(separator: "/").map(String.init)
            guard let place = SubtreePath(cell: CellID(parts[0]), folder: parts[1]) else {
                continue
            }
            pin[place] = object(text)
        }
        return pin
    }

    @discardableResult
    func git(_ words: String...) throws -> String {
        let path = folder.file("tree")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let names = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        let result = try run("git", ["-C", path] + names + words)
        try #require(result.status == 0, "git \(words): \(result.errors)")
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Commits every change and pushes it through the host's disk.
    func commit(_ message: String) throws {
        try git("add", "-A")
        try git("commit", "-qm", message)
        try git("push", "-q", host.path("main"), "HEAD:work")
    }

    /// Makes the commit that another clone pushes meanwhile.
    func move(pin: ReferencePin? = nil, _ file: String = "other.txt") throws {
        try git("fetch", "-q", host.path("main"), "work")
        try git("reset", "-q", "--hard", "FETCH_HEAD")
        if let pin { try folder.write("tree/snapfarm.refs", pin.text) }
        try folder.write("tree/\(file)", "\(UInt64.random(in: 0 ... .max))")
        try commit("meanwhile")
    }

    func branch(_ name: String = "work", _ scratch: String = "scratch") throws -> PinBranch {
        try PinBranch(
            name,
            of: try host.location("main"),
            pinPath: "snapfarm.refs",
            access: try host.access(),
            scratch: folder.file("\(scratch).git")
        )
    }

    var head: String { get throws { try there("rev-parse", "work") } }

    func there(_ words: String...) throws -> String {
        let result = try run("git", ["-C", host.path("main")] + words)
        try #require(result.status == 0, "git \(words): \(result.errors)")
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

private let note = PinCommitNote(
    author: "Dana <dana@example.org>",
    message: "Approve 1 changed\n",
    seconds: 1_700_000_000
)

@Suite("a pin that is committed to a branch")
struct PinBranchTests {
    static let kinds: [StoreLocation.Kind] = [.path, .file, .git, .ssh, .https]
    private static let next = PinnedProject.pin(["a/S": "new", "a/T": "two"])

    private struct Unasked: Error {}
    private static func nobody(_ pin: PinForm?) throws -> ReferencePin { throw Unasked() }

    @Test("the commit changes the pin, and nothing else of the branch", arguments: kinds)
    func commit(kind: StoreLocation.Kind) throws {
        let project = try PinnedProject(kind)
        let before = try project.head
        let branch = try project.branch()
        let head = try branch.read()
        #expect(head.commit.hex == before)
        #expect(head.pin == .text(PinnedProject.first))
        let made = try branch.commit(Self.next, over: head, note: note, joining: Self.nobody)
        #expect(made.parent?.hex == before)
        #expect(try project.head == made.commit.hex)
        #expect(try project.there("diff", "--name-only", before, "work") == "snapfarm.refs")
        #expect(try project.there("show", "work:snapfarm.refs") + "\n" == Self.next.text)
        #expect(
            try project.there("log", "-1", "--format=%an <%ae> %at %s %P", "work")
                == "Dana <dana@example.org> 1700000000 Approve 1 changed \(before)"
        )
        #expect(try project.host.faults("main") == [])
        // The large file was not fetched.
        let large = try project.git("rev-parse", "work:large.txt")
        let scratch = project.folder.file("scratch.git")
        let found = try run(
            "git",
            ["-C", scratch, "cat-file", "-e", large],
            environment: ["GIT_NO_LAZY_FETCH": "1"]
        )
        #expect(found.status != 0)

        let again = try project.branch("work", "again")
        let unchanged = try again.commit(
            Self.next,
            over: again.read(),
            note: note,
            joining: Self.nobody
        )
        #expect(unchanged.commit == made.commit && unchanged.parent == nil)
    }

    @Test("a branch that moved keeps what came, and a pin that moved is joined", arguments: kinds)
    func moved(kind: StoreLocation.Kind) throws {
        let project = try PinnedProject(kind)
        let branch = try project.branch()
        let head = try branch.read()
        try project.move()
        let first = try branch.commit(Self.next, over: head, note: note, joining: Self.nobody)
        #expect(try project.there("rev-parse", "work^") == first.parent?.hex)
        #expect(try project.there("show", "work:other.txt") != "")

        let old = try branch.read()
        let theirs = PinnedProject.pin(["a/S": "new", "a/T": "theirs"])
        let mine = PinnedProject.pin(["a/S": "mine", "a/T": "two"])
        let joined = PinnedProject.pin(["a/S": "mine", "a/T": "theirs"])
        try project.move(pin: theirs)
        let second = try branch.commit(mine, over: old, note: note) { moved in
            #expect(moved == .text(theirs))
            return joined
        }
        #expect(second.pin == joined)
        #expect(try project.there("show", "work:snapfarm.refs") + "\n" == joined.text)
        #expect(try project.host.faults("main") == [])
    }

    @Test("where joining is refused nothing is committed")
    func conflict() throws {
        let project = try PinnedProject(.git)
        let branch = try project.branch()
        let head = try branch.read()
        try project.move(pin: PinnedProject.pin(["a/S": "theirs"]))
        let before = try project.head
        #expect(throws: Unasked.self) {
            try branch.commit(Self.next, over: head, note: note, joining: Self.nobody)
        }
        #expect(try project.head == before)
    }

    @Test("a hook that refuses is quoted, and nothing is committed", arguments: kinds)
    func refused(kind: StoreLocation.Kind) throws {
        let project = try PinnedProject(kind)
        let hook = project.host.path("main") + "/hooks/pre-receive"
        try "#!/bin/sh\necho 'pins are frozen' >&2\nexit 1\n"
            .write(toFile: hook, atomically: true, encoding: .utf8)
        chmod(hook, 0o755)
        let before = try project.head
        let branch = try project.branch()
        let head = try branch.read()
        let error = #expect(throws: PinBranchError.self) {
            try branch.commit(Self.next, over: head, note: note, joining: Self.nobody)
        }
        #expect(error?.code == "branch-refused")
        #expect(error?.message.contains("pins are frozen") == true, "\(error?.message ?? "")")
        #expect(try project.head == before)
        try FileManager.default.removeItem(atPath: hook)
        let made = try branch.commit(Self.next, over: head, note: note, joining: Self.nobody)
        #expect(try project.head == made.commit.hex)
    }

    @Test("a server that gives nothing by its id sends the files of the commit")
    func withoutVersion2() throws {
        let project = try PinnedProject(.ssh, speaksVersion2: false)
        let branch = try project.branch()
        let head = try branch.read()
        #expect(head.pin == .text(PinnedProject.first))
        let made = try branch.commit(Self.next, over: head, note: note, joining: Self.nobody)
        #expect(try project.head == made.commit.hex)
    }

    @Test("four who commit at once lose nothing")
    func race() async throws {
        let project = try PinnedProject(.git)
        let suites = ["A", "B", "C", "D"]
        let branches = try suites.map { try project.branch("work", $0) }
        let heads = try branches.map { try $0.read() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in suites.indices {
                let (suite, branch, head) = (suites[index], branches[index], heads[index])
                group.addTask { _ = try Self.add(suite, to: branch, over: head) }
            }
            try await group.waitForAll()
        }
        let text = try project.there("show", "work:snapfarm.refs") + "\n"
        let pin = try ReferencePin(parsing: Data(text.utf8), file: "pin")
        #expect(pin.entries.count == 2 + suites.count)
        #expect(try project.there("rev-list", "--count", "work") == "6")
    }

    private static func add(
        _ suite: String,
        to branch: PinBranch,
        over head: PinBranch.Head
    ) throws -> PinCommit {
        func with(_ pin: ReferencePin) -> ReferencePin {
            var pin = pin
            if let place = SubtreePath(cell: CellID("a"), folder: suite) {
                pin[place] = object(suite)
            }
            return pin
        }
        return try branch.commit(with(PinnedProject.first), over: head, note: note) { moved in
            guard case .text(let theirs) = moved else { throw Unasked() }
            return with(theirs)
        }
    }

    @Test(
        "names that are none of a branch are refused before anybody is asked",
        arguments: [
            "", " ", "a b", "a..b", "a:b", "x^", "a~1", "*", "a/", ".lock", "a.lock", "é\u{7}",
        ]
    )
    func names(name: String) throws {
        let project = try PinnedProject(.path)
        let error = #expect(throws: PinBranchError.self) { try project.branch(name) }
        #expect(error?.code == "branch-name-invalid")
    }

    @Test("a branch that is not there and a host that is not there are told apart")
    func missing() throws {
        let project = try PinnedProject(.git)
        let absent = try project.branch("nothing")
        let error = #expect(throws: PinBranchError.self) { try absent.read() }
        #expect(error?.code == "branch-missing")
        let unknown = try PinBranch(
            "work",
            of: try project.host.location("other"),
            pinPath: "snapfarm.refs",
            access: try project.host.access(),
            scratch: project.folder.file("other.git")
        )
        let failure = #expect(throws: PinBranchError.self) { try unknown.read() }
        #expect(failure?.remedy.contains("--repository") == true, "\(failure?.message ?? "")")
    }

    @Test("a submodule's entry is moved, and stays a submodule")
    func submodule() throws {
        let project = try PinnedProject(.git)
        let set = PinnedProject.first.setID
        try project.git("rm", "-q", "--cached", "snapfarm.refs")
        try project.git("update-index", "--add", "--cacheinfo", "160000,\(set),snapfarm.refs")
        try project.git("commit", "-qm", "a submodule")
        try project.git("push", "-q", project.host.path("main"), "HEAD:work")
        let branch = try project.branch()
        let head = try branch.read()
        #expect(head.pin == .gitlink(set))
        _ = try branch.commit(Self.next, over: head, note: note, joining: Self.nobody)
        #expect(
            try project.there("ls-tree", "work", "snapfarm.refs")
                == "160000 commit \(Self.next.setID)\tsnapfarm.refs"
        )
    }

    @Test("that only the pin changed is true of the tested commit and of a merge of it, no other")
    func proof() throws {
        let project = try PinnedProject(.git)
        let tested = try #require(ObjectID(try project.head))
        let old = try #require(ObjectID(try project.git("rev-parse", "work^")))
        // CI tests a pull request as a merge of the target branch and its head.
        try project.git("checkout", "-qb", "target", "work^")
        try project.folder.write("tree/target.txt", "target")
        try project.git("add", "-A")
        try project.git("commit", "-qm", "the target moved")
        try project.git("merge", "-q", "--no-ff", "-m", "merge", "work")
        try project.git("push", "-q", project.host.path("main"), "HEAD:refs/pull/1/merge")
        let merge = try #require(ObjectID(try project.git("rev-parse", "HEAD")))
        let branch = try project.branch()
        let made = try branch.commit(
            Self.next,
            over: try branch.read(),
            note: note,
            joining: Self.nobody
        )
        #expect(try branch.isOnlyThePin(from: tested, to: made))
        #expect(try branch.isOnlyThePin(from: merge, to: made))
        #expect(try !branch.isOnlyThePin(from: old, to: made))
        #expect(try !branch.isOnlyThePin(from: object("nobody has it"), to: made))
        // A repeated call after the commit proves the same.
        let later = try project.branch("work", "later")
        let again = try later.commit(
            Self.next,
            over: try later.read(),
            note: note,
            joining: Self.nobody
        )
        #expect(again.parent == nil)
        #expect(try later.isOnlyThePin(from: tested, to: again))
        #expect(try !later.isOnlyThePin(from: old, to: again))
    }
}

@Suite("what Git says of a push")
struct PushRefusalTests {
    @Test(
        "a race is told from a refusal, whatever a hook prints",
        arguments: [
            (" ! [rejected]        a -> work (fetch first)\nerror: failed", PushRefusal.moved),
            (" ! [rejected]        a -> work (non-fast-forward)", .moved),
            (
                " ! [remote rejected] a -> work (cannot lock ref 'refs/heads/work': is at …)",
                .moved
            ),
            (" ! [remote rejected] a -> work (failed to update ref)", .moved),
            (
                "remote: frozen   \n ! [remote rejected] a -> work (pre-receive hook declined)",
                .refused(reason: "pre-receive hook declined; frozen")
            ),
            (
                "remote:  ! [rejected] x (fetch first)\n ! [remote rejected] a -> b (no)",
                .refused(reason: "no; ! [rejected] x (fetch first)")
            ),
            ("fatal: the remote end hung up unexpectedly", nil),
            ("", nil),
        ] as [(String, PushRefusal?)]
    )
    func words(text: String, expected: PushRefusal?) {
        #expect(PushRefusal(text) == expected)
    }
}

@Suite("who made a commit")
struct GitPersonTests {
    @Test(
        "a name from elsewhere cannot end a line or a name early",
        arguments: [
            ("Dana <d@e>", "Dana", "d@e"), ("Dana", "Dana", "snapfarm@localhost"),
            ("", "snapfarm", "snapfarm@localhost"), (" <> ", "snapfarm", "snapfarm@localhost"),
            ("a\nparent b <c>\n> 1 +0000", "aparent b", "c 1 +0000"),
            ("\u{202E}evil <e\u{0}vil>", "evil", "evil"),
        ]
    )
    func person(text: String, name: String, mail: String) {
        let person = GitPerson(text)
        #expect(person.name == name)
        #expect(person.mail == mail)
    }
}
