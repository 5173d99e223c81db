import FarmCore
import FarmGit
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("hosts and machines that can less")
struct RemoteFallbackTests {
    @Test("a server without filters sends changed suites whole, and the probe says so")
    func noFilter() throws {
        let host = try StoreHost(.file)
        try host.make("store", settings: ["uploadpack.allowFilter": "false"])
        let near = try RemoteClient(host)
        let abilities = try near.remote.initialise(nonce: "a").abilities
        #expect(abilities.wantByObject)
        #expect(abilities.fallbacks.count == 1)
        #expect(abilities.fallbacks.first?.contains("uploadpack.allowFilter") == true)
        let made = try near.record("a", ["S/one": "1", "S/two": "2"])
        _ = try near.remote.push(made.pin, journal: entry("new"))
        let far = try RemoteClient(host)
        #expect(try far.remote.fetch(made.pin).way == .wholeFolders)
        #expect(try far.fixture.faults() == [])
    }

    @Test("a server of version 0 that gives nothing by id sends the set by its name")
    func version0() throws {
        let host = try StoreHost(.ssh, speaksVersion2: false)
        try host.make("store")
        let near = try RemoteClient(host)
        #expect(try near.remote.initialise(nonce: "a").abilities.wantByObject == false)
        let made = try near.record("a", ["S/one": "1", "S/two": "2"])
        _ = try near.remote.push(made.pin, journal: entry("new"))
        let far = try RemoteClient(host)
        #expect(try far.remote.fetch(made.pin).way == .wholeSet)
        let next = try near.record("a", ["S/two": "2b"], over: made.pin)
        _ = try near.remote.push(next.pin, journal: entry("changed"))
        let changed = try far.remote.fetch(next.pin)
        #expect(changed.way == .wholeSet)
        #expect(try far.fixture.faults() == [])
    }

    @Test("a host that takes only branches and tags keeps sets as tags")
    func tags() throws {
        let host = try StoreHost(.path)
        try host.make("store")
        let hook = try host.folder.write(
            "repositories/store.git/hooks/update",
            "#!/bin/sh\ncase \"$1\" in refs/heads/*|refs/tags/*) exit 0 ;; esac\nexit 1\n"
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: hook)
        let near = try RemoteClient(host)
        let start = try near.remote.initialise(nonce: "a")
        #expect(start.isNew && !start.abilities.customReferences)
        let made = try near.record("a", ["S/one": "1"])
        _ = try near.remote.push(made.pin, journal: entry("new"))
        #expect(
            try host.git("store", "for-each-ref", "--format=%(refname)").split(separator: "\n")
                == [
                    "refs/heads/main", "refs/tags/snapfarm/\(made.set)",
                    "refs/tags/snapfarm/format",
                ]
        )
        let far = try RemoteClient(host)
        _ = try far.remote.fetch(made.pin)
        #expect(try far.remote.presence(of: made.pin).isPublished)
        #expect(try far.remote.initialise(nonce: "b").isNew == false)
        #expect(try host.faults("store") == [])
        #expect(try far.fixture.faults() == [])
    }

    @Test("a machine without git is named, and what to do about it")
    func withoutGit() throws {
        let host = try StoreHost(.path)
        try host.makeStore("store")
        var access = try host.access()
        access.gitProgram = "git-that-is-not-there"
        let bare = try RemoteClient(host.location("store"), access)
        let made = try bare.record("a", ["S/one": "1"])
        let other = try RemoteClient(host.location("store"), access)
        for call in [
            { _ = try bare.remote.initialise(nonce: "a") },
            { _ = try bare.remote.push(made.pin, journal: entry("new")) },
            { _ = try other.remote.fetch(made.pin) },
        ] {
            let error = #expect(throws: RemoteError.self) { try call() }
            #expect(error?.code == "git-missing")
            #expect(error?.remedy.contains("git 2.29 or newer") == true)
        }
    }

    @Test("a git that is too old is named with the version that is needed")
    func oldGit() throws {
        let host = try StoreHost(.path)
        let old = try host.folder.write("old-git", "#!/bin/sh\necho git version 2.28.1\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: old)
        var access = try host.access()
        access.gitProgram = old
        let client = try RemoteClient(host.location("store"), access)
        let error = #expect(throws: RemoteError.self) { try client.remote.initialise(nonce: "a") }
        #expect(error == .gitTooOld(version: "2.28"))
    }
}

@Suite("what a remote has")
struct RemotePresenceTests {
    @Test("a pin that was never pushed is found line by line, although this machine has all of it")
    func missing() throws {
        let host = try StoreHost(.file)
        try host.makeStore("store")
        let near = try RemoteClient(host)
        let first = try near.record("a", ["S/one": "1"])
        let second = try near.record("b", ["T/one": "1b"])
        _ = try near.remote.push(first.pin)
        _ = try near.remote.push(second.pin)
        // A pin that Git merged from two branches: all subtrees are there, the set is not.
        var merged = first.pin
        for (path, object) in second.pin.entries { merged[path] = object }
        let presence = try near.remote.presence(of: merged)
        #expect(presence.isComplete && !presence.isPublished)
        #expect(presence.set == merged.setID)
        #expect(try near.remote.push(merged).wasThere == false)
        #expect(try near.remote.presence(of: merged).isPublished)

        let third = try near.record("b", ["T/two": "2", "U/one": "3"], over: merged)
        let lacking = try near.remote.presence(of: third.pin)
        #expect(lacking.missing.map(\.path) == ["b/T", "b/U"])
        #expect(lacking.missing.map(\.line) == [3, 5])
        let far = try RemoteClient(host)
        let error = #expect(throws: RemoteStoreError.self) { try far.remote.fetch(third.pin) }
        #expect(error?.code == "pin-not-at-remote")
        #expect(error?.exit == .configuration)
        #expect(try far.remote.fetch(merged).objects == 4)
        #expect(
            try far.fixture.git("for-each-ref", "refs/snapfarm/sets").contains(merged.setID.hex)
        )
        #expect(try host.faults("store") == [])
        #expect(try far.fixture.faults() == [])
    }

    @Test("a part of a pin brings only its subtrees, and makes no set visible")
    func part() throws {
        let host = try StoreHost(.path)
        try host.makeStore("store")
        let near = try RemoteClient(host)
        let made = try near.record("a", ["S/one": "1", "T/one": "2"])
        _ = try near.remote.push(made.pin)
        let far = try RemoteClient(host)
        let path = try #require(SubtreePath(cell: CellID("a"), folder: "T"))
        #expect(try far.remote.fetch(made.pin, paths: [path]).objects == 2)
        #expect(try far.fixture.git("for-each-ref", "refs/snapfarm/sets") == "")
        #expect(try far.fixture.faults() == [])
    }

    @Test("the id of a set follows from its pin without any object")
    func setID() throws {
        let fixture = try StoreFixture()
        let made = try fixture.record([
            try fixture.recording("a", ["S/one": "1", "S.b/one": "2", "S-c/one": "3"]),
            try fixture.recording("a.b", ["S/one": "1"]),
            try fixture.recording("a-b", ["S/ä": "1"]),
        ])
        #expect(made.pin.setID == made.set)
        #expect(try fixture.faults() == [])
    }

    @Test("a repository that holds something else, or a later store, is left alone")
    func foreign() throws {
        let host = try StoreHost(.path)
        try host.make("app")
        try host.make("later")
        let app = try RemoteClient(host, "app")
        let made = try app.record("a", ["S/one": "1"])
        try app.fixture.git("push", "--quiet", host.path("app"), "\(made.set):refs/heads/main")
        let error = #expect(throws: RemoteStoreError.self) { try app.remote.initialise(nonce: "a") }
        #expect(error?.code == "remote-not-a-store")
        #expect(error?.message.contains("refs/heads/main") == true)
        let notStore = #expect(throws: RemoteStoreError.self) { try app.remote.push(made.pin) }
        #expect(notStore?.code == "remote-not-a-store")
        let blob = try run(
            "sh",
            ["-c", "printf 2 | git -C '\(host.path("later"))' hash-object -w --stdin"]
        )
        try host.git("later", "update-ref", "refs/snapfarm/format", String(blob.output.prefix(40)))
        let later = try RemoteClient(host, "later")
        let format = #expect(throws: RemoteStoreError.self) {
            try later.remote.initialise(nonce: "a")
        }
        #expect(format == .unknownFormat(remote: host.path("later"), format: "2"))
        #expect(try host.faults("app") == [])
    }

    @Test("a proposal is a branch that another proposal replaces, and that goes")
    func proposals() throws {
        let host = try StoreHost(.file)
        try host.makeStore("store")
        let client = try RemoteClient(host)
        let sets = try ["1", "2"].map { try client.record("a", ["S/one": $0]).set }
        for set in sets { try client.remote.propose(set, pullRequest: 12) }
        #expect(try host.git("store", "rev-parse", "proposals/12") == "\(sets[1])\n")
        for _ in 0..<2 { try client.remote.withdrawProposal(pullRequest: 12) }
        #expect(try host.git("store", "for-each-ref", "refs/heads/proposals") == "")
        #expect(try host.faults("store") == [])
    }

    @Test("of a shard of 1,000 in which 10 changed, only those and their folders cross the network")
    func bytes() throws {
        let host = try StoreHost(.git)
        try host.makeStore("store")
        let near = try RemoteClient(host)
        var pictures: [SnapshotID: RecordedPicture] = [:]
        for number in 0..<1_000 {
            let name = try id("a", "S\(number / 100)/p\(number % 100)")
            pictures[name] = near.fixture.picture("\(number)")
        }
        func record(over base: ReferencePin) throws -> RecordedSet {
            let recording = CellRecording(
                cell: CellID("a"),
                replacesCell: false,
                pictures: pictures,
                suites: [:]
            )
            return try near.fixture.record([recording], over: base)
        }
        let first = try record(over: ReferencePin())
        _ = try near.remote.push(first.pin)
        let proxy = try CuttingProxy(to: host.port ?? 0)
        let location = try host.location("store", through: proxy)
        let far = try RemoteClient(location, try host.access(through: proxy))
        _ = try far.remote.fetch(first.pin)
        let before = try proxy.bytesFromServer()
        // About the size of a picture of a screen, and as hard to compress.
        let pictureBytes = 15_000
        for suite in 0..<10 {
            var generator = SeededGenerator(seed: UInt64(suite))
            let bytes = (0..<pictureBytes).map { _ in UInt8.random(in: 0...255, using: &generator) }
            pictures[try id("a", "S\(suite)/p5")] = near.fixture.picture(Data(bytes))
        }
        let second = try record(over: first.pin)
        let sent = try near.remote.push(second.pin).bytesSent
        let result = try far.remote.fetch(second.pin)
        #expect(result.objects == 20)
        let received = try proxy.bytesFromServer() - before
        let changed = 10 * pictureBytes
        let folders = try second.pin.entries.reduce(0) { total, entry in
            let size = try near.fixture.git("cat-file", "-s", entry.object.hex)
            return total + (Int(size.dropLast()) ?? 0)
        }
        print("1 % of a shard: \(received) bytes for \(changed) in pictures, \(folders) in folders")
        #expect(received <= (changed + folders) * 105 / 100)
        #expect((changed...received * 102 / 100).contains(sent), "\(sent)")
        #expect(try far.fixture.faults() == [])
    }
}
