import FarmCore
import FarmGit
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("a connection that is cut half-way")
struct LostConnectionTests {
    static let behindNetwork: [StoreLocation.Kind] = [.git, .ssh, .https]
    static let local: [StoreLocation.Kind] = [.path, .file]
    /// The number of bytes after which the connection is cut: in the middle of the picture below.
    private static let cutBytes = 150_000
    /// The same cut in a pipeline; unlike head(1), dd passes bytes on as soon as it has read them.
    private static let cut = "dd bs=4096 iflag=count_bytes count=\(cutBytes) 2>/dev/null"

    /// 400,000 bytes that cannot be compressed.
    private static let bytes: Data = {
        var generator = SeededGenerator(seed: 7)
        var bytes = Data(capacity: 400_000)
        for _ in 0..<50_000 {
            withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }()

    private func bigPicture(_ client: RemoteClient) throws -> RecordedSet {
        let picture = client.fixture.picture(Self.bytes)
        let recording = CellRecording(
            cell: CellID("a"),
            replacesCell: false,
            pictures: [try id("a", "S/big"): picture],
            suites: [:]
        )
        return try client.fixture.record([recording])
    }

    @Test("costs a push nothing but another try", arguments: behindNetwork)
    func push(kind: StoreLocation.Kind) throws {
        let host = try StoreHost(kind)
        try host.makeStore("store")
        let proxy = try CuttingProxy(to: host.port ?? 0, cutting: 2, after: Self.cutBytes)
        var access = try host.access(through: proxy)
        access.attemptsMax = 1
        let location = try host.location("store", through: proxy)
        let impatient = try RemoteClient(location, access)
        let made = try bigPicture(impatient)
        let error = #expect(throws: RemoteError.self) { try impatient.remote.push(made.pin) }
        #expect(error?.code == "remote-unreachable", "\(error.map { "\($0)" } ?? "")")
        #expect(error?.exit == .busy)
        #expect(try host.git("store", "for-each-ref", "refs/snapfarm/sets") == "")
        #expect(try host.faults("store") == [])

        access.attemptsMax = 3
        let patient = try RemoteClient(location, access)
        #expect(try bigPicture(patient) == made)
        #expect(try patient.remote.push(made.pin).wasThere == false)
        #expect(try host.git("store", "cat-file", "-t", "\(made.set):a/S/big.png") == "blob\n")
        #expect(try host.faults("store") == [])
        #expect(try patient.fixture.faults() == [])
    }

    @Test("costs a fetch nothing but another try", arguments: behindNetwork)
    func fetch(kind: StoreLocation.Kind) throws {
        let host = try StoreHost(kind)
        try host.makeStore("store")
        let near = try RemoteClient(host)
        let made = try bigPicture(near)
        _ = try near.remote.push(made.pin)
        let proxy = try CuttingProxy(to: host.port ?? 0, cutting: 2, after: Self.cutBytes)
        var access = try host.access(through: proxy)
        access.attemptsMax = 1
        let location = try host.location("store", through: proxy)
        let impatient = try RemoteClient(location, access)
        let error = #expect(throws: RemoteError.self) { try impatient.remote.fetch(made.pin) }
        #expect(error?.code == "remote-unreachable", "\(error.map { "\($0)" } ?? "")")
        #expect(try impatient.fixture.git("for-each-ref", "refs/snapfarm/sets") == "")
        #expect(try impatient.fixture.faults() == [])

        access.attemptsMax = 3
        let patient = try RemoteStore(
            of: location,
            cloneAt: impatient.fixture.store.path,
            access: access
        )
        let result = try patient.fetch(made.pin)
        #expect(result.way == .missingObjects)
        #expect(try impatient.fixture.faults() == [])
    }

    @Test("leaves a folder as it was when the program on the other side dies", arguments: local)
    func folder(kind: StoreLocation.Kind) throws {
        let host = try StoreHost(kind)
        try host.makeStore("store")
        let client = try RemoteClient(host)
        let made = try bigPicture(client)
        let receive = try script("git receive-pack \"$@\"", before: "\(Self.cut) |", in: host)
        try client.fixture.git("config", "remote.snapfarm.receivepack", receive)
        #expect(throws: RemoteError.self) { try client.remote.push(made.pin) }
        #expect(try host.git("store", "for-each-ref", "refs/snapfarm/sets") == "")
        try client.fixture.git("config", "--unset", "remote.snapfarm.receivepack")
        _ = try client.remote.push(made.pin)
        #expect(try host.faults("store") == [])

        let far = try RemoteClient(host)
        let upload = try script("git upload-pack \"$@\"", after: "| \(Self.cut)", in: host)
        try far.fixture.git("config", "remote.snapfarm.uploadpack", upload)
        let error = #expect(throws: RemoteError.self) { try far.remote.fetch(made.pin) }
        #expect(error?.code == "remote-unreachable")
        try far.fixture.git("config", "--unset", "remote.snapfarm.uploadpack")
        #expect(try far.remote.fetch(made.pin).objects == 1, "the folder came before")
        #expect(try far.fixture.faults() == [])
    }

    private func script(
        _ call: String,
        before: String = "",
        after: String = "",
        in host: StoreHost
    ) throws -> String {
        let path = try host.folder.write("\(UUID()).sh", "#!/bin/sh\n\(before) \(call) \(after)\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    @Test("a server that accepts and says nothing is given up after the patience one asked for")
    func silence() throws {
        let port = try TestPort.reserved()
        let silent = try ServerProgram(
            "python3",
            [
                "-c",
                "import socket, time; s = socket.create_server(('127.0.0.1', \(port))); "
                    + "time.sleep(600)",
            ]
        )
        defer { withExtendedLifetime(silent) {} }
        try TestPort.awaitListener(on: port)
        let host = try StoreHost(.path)
        var access = try host.access()
        access.attemptsMax = 1
        access.stallSeconds = 1
        for text in ["git://127.0.0.1:\(port)/store.git", "ssh://127.0.0.1:\(port)/store.git"] {
            let location = try StoreLocation(parsing: text, relativeTo: "/")
            let client = try RemoteClient(location, access)
            var pin = ReferencePin()
            let path = try #require(SubtreePath(cell: CellID("a"), folder: "S"))
            pin[path] = ObjectID(ofBlob: Data())
            let error = #expect(throws: RemoteError.self) { try client.remote.fetch(pin) }
            #expect(error?.code == "remote-stalled")
            let listing = #expect(throws: RemoteError.self) { try client.remote.presence(of: pin) }
            #expect(listing?.code == "remote-stalled")
        }
    }
}
