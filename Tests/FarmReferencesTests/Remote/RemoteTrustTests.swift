import FarmCore
import FarmGit
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("trust between a machine and a remote store", .serialized)
struct RemoteTrustTests {
    /// Returns the error of a call; a token in its text fails the test.
    private func failure(of call: () throws -> Void) throws -> RemoteError {
        let error = try #require(#expect(throws: RemoteError.self) { try call() })
        #expect(!"\(error)".contains(StoreHost.token))
        return error
    }

    private func pin() throws -> ReferencePin {
        var pin = ReferencePin()
        let path = try #require(SubtreePath(cell: CellID("a"), folder: "S"))
        pin[path] = ObjectID(ofBlob: Data())
        return pin
    }

    @Test("a host whose key nobody has checked is not spoken to")
    func hostKey() throws {
        let host = try StoreHost(.ssh)
        try host.make("store")
        var access = try host.access()
        access.knownHostsFile = try host.folder.write("known_nothing", "")
        let client = try RemoteClient(host.location("store"), access)
        for call in [
            { _ = try client.remote.initialise(nonce: "a") },
            { _ = try client.remote.fetch(try pin()) },
        ] { #expect(try failure(of: call).code == "remote-host-unknown") }
        // A key other than the known one is refused as well.
        let other = host.folder.file("other_key")
        try #require(
            try run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", other]).status == 0
        )
        let key = try String(contentsOfFile: other + ".pub", encoding: .utf8)
        access.knownHostsFile = try host.folder.write(
            "known_other",
            "[127.0.0.1]:\(host.port ?? 0) \(key)"
        )
        let changed = try RemoteClient(host.location("store"), access)
        let error = try failure { _ = try changed.remote.presence(of: try pin()) }
        #expect(error.code == "remote-host-unknown")
    }

    @Test("a key that the host does not know is refused without a question")
    func userKey() throws {
        let host = try StoreHost(.ssh)
        try host.make("store")
        let key = host.folder.file("stranger")
        try #require(
            try run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]).status == 0
        )
        var access = try host.access()
        access.identityFile = key
        let client = try RemoteClient(host.location("store"), access)
        let error = try failure { _ = try client.remote.presence(of: try pin()) }
        #expect(error.code == "remote-credentials")
        #expect(error.remedy.contains("ssh-add"))
    }

    @Test("a certificate of an unknown authority, and a wrong or missing token, are refused")
    func web() throws {
        let host = try StoreHost(.https)
        try host.make("store")
        let good = try host.access()
        var access = good
        let stranger = try StoreHost(.https)
        access.certificatesFile = stranger.folder.file("authority.pem")
        let calls: [(RemoteStore) throws -> Void] = [
            { _ = try $0.presence(of: try pin()) }, { _ = try $0.fetch(try pin()) },
        ]
        for call in calls {
            let client = try RemoteClient(host.location("store"), access)
            #expect(try failure { try call(client.remote) }.code == "remote-certificate")
        }
        access = good
        for token in [nil, "\(StoreHost.token)x"] {
            access.token = token
            let client = try RemoteClient(host.location("store"), access)
            for call in calls {
                let error = try failure { try call(client.remote) }
                #expect(error.code == "remote-credentials")
                #expect(error.remedy.contains("SNAPFARM_STORE_TOKEN"))
            }
        }
    }

    @Test("Git's credential helpers are asked where no token is given, and a token stays off disk")
    func helpers() throws {
        let host = try StoreHost(.https)
        try host.make("store")
        let helper = "!f() { echo username=x-access-token; echo password='\(StoreHost.token)'; }; f"
        try host.folder.write(".gitconfig", "[credential]\n\thelper = \"\(helper)\"\n")
        var environment = ProcessInfo.processInfo.environment
        environment["HOME"] = host.folder.path
        environment["GIT_CONFIG_GLOBAL"] = nil
        environment["SNAPFARM_STORE_TOKEN"] = nil
        var access = RemoteAccess(environment: environment)
        access.certificatesFile = try host.access().certificatesFile
        let client = try RemoteClient(host.location("store"), access)
        #expect(try client.remote.initialise(nonce: "a").isNew)
        let made = try client.record("a", ["S/one": "1"])
        _ = try client.remote.push(made.pin)

        let secret = "https://x-access-token:\(StoreHost.token.replacing("/", with: "%2F"))@"
        let address = try host.location("store").url.replacing("https://", with: secret)
        let inURL = try StoreLocation(parsing: address, relativeTo: "/")
        access = RemoteAccess(environment: environment.merging(["HOME": "/nowhere"]) { $1 })
        access.certificatesFile = try host.access().certificatesFile
        let other = try RemoteClient(inURL, access)
        #expect(try other.remote.fetch(made.pin).objects > 0)
        for client in [client, other] {
            let config = try client.fixture.git("config", "--list", "--local")
            #expect(!config.contains(StoreHost.token) && !config.contains("%2F"))
        }
    }
}
