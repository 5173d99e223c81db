import FarmCore
import FarmGit
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

/// A developer's machine: a clone of a remote, and pictures to record into it.
struct RemoteClient {
    let fixture: StoreFixture
    let remote: RemoteStore

    init(_ location: StoreLocation, _ access: RemoteAccess) throws {
        fixture = try StoreFixture()
        remote = try RemoteStore(of: location, cloneAt: fixture.store.path, access: access)
    }

    init(_ host: StoreHost, _ name: String = "store") throws {
        try self.init(try host.location(name), try host.access())
    }

    func record(
        _ cell: String,
        _ pictures: [String: String],
        complete: Bool = false,
        over base: ReferencePin = ReferencePin()
    ) throws -> RecordedSet {
        let recording = try fixture.recording(cell, complete: complete, pictures)
        return try fixture.record([recording], over: base)
    }
}

func entry(_ title: String) -> PushedJournalEntry {
    PushedJournalEntry(title: title, now: Date(timeIntervalSince1970: 1_700_000_000))
}

@Suite("a remote store")
struct RemoteStoreTests {
    static let kinds: [StoreLocation.Kind] = [.path, .file, .git, .ssh, .https]

    @Test(
        "what one machine pushes another one fetches, and then only what changed",
        arguments: kinds
    )
    func roundTrip(kind: StoreLocation.Kind) throws {
        let host = try StoreHost(kind)
        if kind != .path { try host.make("store") }
        let near = try RemoteClient(host)
        let start = try near.remote.initialise(nonce: "a1")
        #expect(start.isNew)
        #expect(start.abilities.fallbacks == [])
        #expect(try near.remote.initialise(nonce: "a2").isNew == false)
        let big = (0..<20_000).map { _ in String(UInt8.random(in: 0...255), radix: 16) }.joined()
        let first = try near.record(
            "a",
            ["S/one": "1", "S/two": "2", "T/deep/one": "3", "T/big": big]
        )
        let pushed = try near.remote.push(first.pin, journal: entry("3 new"))
        #expect(pushed.set == first.set)
        #expect(pushed.wasThere == false)
        #expect(
            try host.git("store", "for-each-ref", "--format=%(refname)").split(separator: "\n")
                == ["refs/heads/main", "refs/snapfarm/format", "refs/snapfarm/sets/\(first.set)"]
        )
        #expect(try host.git("store", "show", "main:a/T/deep/one.png") == "PNG 3")
        #expect(try near.remote.push(first.pin, journal: entry("3 new")).wasThere)

        let far = try RemoteClient(host)
        let all = try far.remote.fetch(first.pin)
        #expect(all.way == .missingObjects)
        #expect(try far.fixture.git("cat-file", "-p", "\(first.set):a/S/two.png") == "PNG 2")
        #expect(try far.remote.fetch(first.pin).way == .nothing)
        let second = try near.record("a", ["S/two": "2b"], over: first.pin)
        let sent = try near.remote.push(second.pin, journal: entry("1 changed")).bytesSent
        #expect((1..<10_000).contains(sent), "the big picture of before is not sent again: \(sent)")
        let changed = try far.remote.fetch(second.pin)
        #expect(changed.objects == 2, "the folder S and the picture S/two")
        #expect(try far.remote.presence(of: second.pin).isPublished)
        #expect(try host.faults("store") == [])
        #expect(try near.fixture.faults() == [])
        #expect(try far.fixture.faults() == [])
    }

    @Test("the first push brings the whole journal and its sets, a later one only the pin's")
    func firstPush() throws {
        let host = try StoreHost(.path)
        let near = try RemoteClient(host)
        _ = try near.remote.initialise(nonce: "a1")
        var sets: [RecordedSet] = []
        for (index, text) in ["1", "2", "3"].enumerated() {
            let set = try near.record("a", ["S/one": text], over: sets.last?.pin ?? ReferencePin())
            try near.fixture.store.appendJournal(
                set: set.set,
                pin: set.pin,
                title: "step \(text)",
                now: Date(timeIntervalSince1970: Double(1_000 + index))
            )
            sets.append(set)
        }
        let pushed = try near.remote.push(sets[2].pin, journal: entry("step 3"))
        #expect(pushed.earlierSets == 2)
        // A new mirror knows every set and its time.
        let mirror = try RemoteClient(host)
        _ = try mirror.remote.mirror()
        let log = try mirror.remote.clone.log().filter { $0.set != nil }
        #expect(log.map(\.seconds) == [1_002, 1_001, 1_000] && log.allSatisfy(\.visible))
        // If the remote has entries already, ours are not inserted among them.
        for text in ["4", "5"] {
            let set = try near.record("a", ["S/one": text], over: sets[2].pin)
            try near.fixture.store.appendJournal(
                set: set.set,
                pin: set.pin,
                title: "step \(text)",
                now: Date(timeIntervalSince1970: 2_000)
            )
            sets.append(set)
        }
        #expect(try near.remote.push(sets[4].pin, journal: entry("step 5")).earlierSets == 0)
        #expect(try host.faults("store") == [])
        #expect(try near.fixture.faults() == [])
        #expect(try mirror.fixture.faults() == [])
    }

    @Test("a push that a hook refuses says so, and nothing of it is visible", arguments: kinds)
    func refused(kind: StoreLocation.Kind) throws {
        let host = try StoreHost(kind)
        try host.makeStore("store")
        let client = try RemoteClient(host)
        let hook = try host.folder.write(
            "repositories/store.git/hooks/pre-receive",
            "#!/bin/sh\necho frozen for the release >&2\nexit 1\n"
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: hook)
        let made = try client.record("a", ["S/one": "1"])
        let error = #expect(throws: RemoteStoreError.self) { try client.remote.push(made.pin) }
        #expect(error?.code == "remote-refused")
        #expect(error?.message.contains("hook declined") == true)
        let sets = try host.git("store", "for-each-ref", "refs/snapfarm/sets")
        #expect(sets == "")
        #expect(try client.remote.presence(of: made.pin).missing.map(\.path) == ["a/S"])
        try FileManager.default.removeItem(atPath: hook)
        #expect(try client.remote.push(made.pin).wasThere == false)
        #expect(try host.faults("store") == [])
        #expect(try client.fixture.faults() == [])
    }

    @Test("two that push at once are both visible, and the journal tells of both", arguments: kinds)
    func concurrent(kind: StoreLocation.Kind) async throws {
        let host = try StoreHost(kind)
        try host.makeStore("store")
        let sets = try await withThrowingTaskGroup(of: [ObjectID].self) { group in
            for number in 0..<2 {
                group.addTask {
                    let client = try RemoteClient(host.location("store"), host.access())
                    var sets: [ObjectID] = []
                    for round in 0..<2 {
                        let made = try client.record("c\(number)", ["S/one": "\(round)"])
                        let entry = entry("\(number) \(round)")
                        let pushed = try client.remote.push(made.pin, journal: entry)
                        guard case .written = pushed.journal else { throw StoreFixture.Missing() }
                        sets.append(made.set)
                    }
                    return sets
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let visible = try host.git(
            "store",
            "for-each-ref",
            "--format=%(objectname)",
            "refs/snapfarm/sets"
        )
        #expect(Set(visible.split(separator: "\n").map(String.init)) == Set(sets.map(\.hex)))
        let titles = try host.git("store", "log", "--first-parent", "--format=%s", "main")
        #expect(
            titles.split(separator: "\n").map(String.init).sorted()
                == ["0 0", "0 1", "1 0", "1 1", "Empty reference store"]
        )
        #expect(try host.faults("store") == [])
    }
}
