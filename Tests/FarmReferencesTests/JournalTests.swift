import FarmCore
import FarmGit
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("the journal")
struct JournalTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test("people see the newest pictures, what changed, and when")
    func entry() throws {
        let fixture = try StoreFixture()
        let empty = try fixture.git("rev-parse", "main").dropLast()
        let made = try fixture.record([
            try fixture.recording("a", ["S/one": "1", "T/two": "2"]),
            try fixture.recording("b", ["S/one": "1"]),
        ])
        let commit = try fixture.store.appendJournal(
            set: made.set,
            pin: made.pin,
            title: "2 new —\nwallet",
            trailers: [JournalTrailer("Snapfarm-Main-Commit", "abc\nEvil: yes")],
            files: ["catalogue/1.md": Data("pictures".utf8)],
            now: now
        )
        #expect(try fixture.faults() == [])
        #expect(try fixture.git("rev-parse", "main") == "\(commit)\n")
        #expect(
            try fixture.git("log", "-1", "--format=%s|%P|%at|%an|%b", "main")
                == """
                2 new — wallet|\(empty) \(made.set)|1700000000|snapfarm|\
                Snapfarm-Set: \(made.set)
                Snapfarm-Main-Commit: abc Evil: yes


                """
        )
        let readme = try fixture.git("show", "main:README.md")
        #expect(readme.contains("| `a` | 2 |\n| `b` | 1 |\n| all | 3 |\n"))
        #expect(readme.contains("[catalogue](catalogue)"))
        #expect(try fixture.git("show", "main:catalogue/1.md") == "pictures")
        #expect(try fixture.git("show", "main:a/T/two.png") == "PNG 2")
    }

    @Test("an entry that shows what the newest shows is not written again")
    func again() throws {
        let fixture = try StoreFixture()
        let made = try fixture.record([try fixture.recording("a", ["S/one": "1"])])
        let ids = try (0..<2).map { minute in
            try fixture.store.appendJournal(
                set: made.set,
                pin: made.pin,
                title: "1 new",
                now: now.addingTimeInterval(Double(minute) * 60)
            )
        }
        #expect(ids[0] == ids[1])
        #expect(try fixture.git("rev-list", "--count", "--first-parent", "main") == "2\n")
    }

    @Test("entries follow each other, and one survives a journal that was deleted")
    func chain() throws {
        let fixture = try StoreFixture()
        var pin = ReferencePin()
        for number in 1...3 {
            let made = try fixture.record(
                [try fixture.recording("a", ["S/one": "\(number)"])],
                over: pin
            )
            if number == 3 { try fixture.git("update-ref", "-d", "refs/heads/main") }
            try fixture.store.appendJournal(
                set: made.set,
                pin: made.pin,
                title: "entry \(number)",
                now: now
            )
            pin = made.pin
            if number == 2 {
                let log = try fixture.git("log", "--first-parent", "--format=%s", "main")
                #expect(log == "entry 2\nentry 1\nEmpty reference store\n")
            }
        }
        #expect(try fixture.git("log", "--format=%s", "main") == "entry 3\nreference set\n")
    }

    @Test("files stay inside the entry and never hide a cell")
    func files() throws {
        let fixture = try StoreFixture()
        let made = try fixture.record([try fixture.recording("a", ["S/one": "1"])])
        for path in ["../x", "/x", "x//y", "x/../y", ""] {
            #expect(throws: GitError.self) {
                try fixture.store.appendJournal(
                    set: made.set,
                    pin: made.pin,
                    title: "t",
                    files: [path: Data()],
                    now: now
                )
            }
        }
        try fixture.store.appendJournal(
            set: made.set,
            pin: made.pin,
            title: "t",
            files: ["a/S/one.png": Data("evil".utf8)],
            now: now
        )
        #expect(try fixture.git("show", "main:a/S/one.png") == "PNG 1")
    }
}
