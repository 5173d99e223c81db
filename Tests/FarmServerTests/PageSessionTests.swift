import FarmCore
import FarmServer
import FarmTesting
import Foundation
import Testing

@Suite("Logins on the pages")
struct PageSessionTests {
    private static let now: Int64 = 1_000_000
    private let sealer: SessionSealer
    private var random = SeededGenerator(seed: 11)
    private let record = TokenRecord(
        name: "a.b_c-d",
        scopes: [.review],
        sha256: Digest(of: Data("x".utf8)),
        created: 0,
        expires: Self.now + 5_000
    )

    init() { sealer = LeaseSealer(using: &random).sessions }

    @Test("a cookie is opened by its own coordinator alone, and not after any change")
    mutating func seal() throws {
        let session = PageSession(of: record, now: Self.now, using: &random)
        let text = sealer.sealed(session)
        #expect(sealer.opened(text) == session)
        #expect(LeaseSealer(using: &random).sessions.opened(text) == nil)
        var bytes = Array(text.utf8)
        for place in bytes.indices {
            bytes[place] ^= 1
            #expect(sealer.opened(String(decoding: bytes, as: UTF8.self)) == nil)
            bytes[place] ^= 1
        }
        for odd in ["", "~", "~~~~~", String(repeating: "~", count: 2_000), text + "~"] {
            #expect(sealer.opened(odd) == nil)
        }
    }

    @Test("a session ends with its token, and is not that of a later token of the same name")
    mutating func ends() throws {
        let session = PageSession(of: record, now: Self.now, using: &random)
        #expect(session.record(among: [record], now: Self.now)?.name == record.name)
        #expect(session.record(among: [], now: Self.now) == nil)
        #expect(session.record(among: [record], now: Self.now + 5_000) == nil)
        var later = record
        later.sha256 = Digest(of: Data("y".utf8))
        #expect(session.record(among: [later], now: Self.now) == nil)
        var endless = record
        endless.expires = nil
        let long = PageSession(of: endless, now: Self.now, using: &random)
        #expect(long.ends == Self.now + FarmLimits.sessionMilliseconds)
    }

    @Test("of too many log-outs none is forgotten")
    mutating func loggedOut() throws {
        let folder = try TemporaryFolder("sessions")
        let file = TokenFile(path: folder.file("tokens.json")) { Self.now }
        let token = try file.create(name: "a", scopes: [.read], expires: nil, using: &random)
        let record = try file.record(of: token)
        let stays = PageSession(of: record, now: Self.now, using: &random)
        var sessions: [PageSession] = []
        for _ in 0...(2 * FarmLimits.loggedOutMax) {
            let session = PageSession(of: record, now: Self.now - 1, using: &random)
            #expect(try sessions.count > FarmLimits.loggedOutMax || file.record(of: session) != nil)
            try file.logOut(session)
            sessions.append(session)
        }
        for session in sessions { #expect(try file.record(of: session) == nil) }
        #expect(try file.record(of: stays) != nil)
    }

    @Test("a link is over after its hours, and its place in the file is free again")
    mutating func invitation() throws {
        let folder = try TemporaryFolder("invitations")
        let path = folder.file("tokens.json")
        let file = TokenFile(path: path) { Self.now }
        let made = try file.invite("Aiko", scopes: [.review], hours: 1, using: &random)
        #expect(try file.invited(by: made.code)?.person == "Aiko")
        #expect(try file.invited(by: made.code + "0") == nil)
        let later = TokenFile(path: path) { Self.now + 3_600_000 }
        #expect(try later.accept(made.code) == nil)
        _ = try later.create(name: "b", scopes: [.read], expires: nil, using: &random)
        #expect(try later.records().map(\.name) == ["b"])
    }
}

@Suite("The word of a proxy")
struct TrustedProxyRuleTests {
    private let proxy = TrustedProxy(address: "10.0.0.2", header: "X-User", scope: .read)

    @Test(
        "counts from its own address alone",
        arguments: [
            ("10.0.0.2", true), ("::ffff:10.0.0.2", true), ("10.0.0.20", false), ("", false),
            ("::1", false),
        ]
    )
    func peers(_ peer: String, _ isTrusted: Bool) {
        #expect(proxy.isPeer(peer) == isTrusted)
        #expect(((try? proxy.grant(peer: peer, values: ["Aiko"])) != nil) == isTrusted)
        // Without a name in the header, any peer may ask.
        #expect(throws: Never.self) { try proxy.grant(peer: peer, values: []) }
    }
}
