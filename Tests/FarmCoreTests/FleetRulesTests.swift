import FarmCore
import Foundation
import Testing

@Suite("Fleet rules")
struct FleetRulesTests {
    private static func record(
        _ token: String,
        _ scopes: [AccessScope],
        expires: Int64? = nil
    ) -> TokenRecord {
        TokenRecord(
            name: "name-of-\(token)",
            scopes: scopes,
            sha256: Digest(of: Data(token.utf8)),
            created: 0,
            expires: expires
        )
    }

    private let records = [
        record("reader", [.read]), record("worker", [.work]), record("old", [.read], expires: 100),
        record("boss", [.admin]),
    ]

    @Test(
        "a call is refused for one reason, which is said",
        arguments: [
            (nil, "token-missing"), ("", "token-missing"), ("Basic cmVhZGVy", "token-missing"),
            ("Bearer ", "token-missing"), ("reader", "token-missing"),
            ("Bearer readers", "token-unknown"), ("Bearer reade", "token-unknown"),
            ("Bearer old", "token-expired"), ("Bearer worker", "token-scope"),
        ] as [(String?, String)]
    )
    func refusals(header: String?, code: String) {
        do {
            let grant = try AccessRules.grant(header, among: records, needing: [.read], now: 100)
            Issue.record("\(grant)")
        } catch {
            #expect(error.code == code)
            #expect(!error.message.contains("reader "))
        }
    }

    @Test(
        "a call is granted to its scope and to admin, up to the moment of expiry",
        arguments: [
            ("Bearer reader", 100), ("bearer  reader", 100), ("Bearer boss", 100),
            ("Bearer old", 99),
        ]
    )
    func grants(header: String, now: Int64) throws {
        let grant = try AccessRules.grant(
            header,
            among: records,
            needing: [.read, .review],
            now: now
        )
        #expect(grant.allows([.read]))
    }

    @Test(
        "an address has a host and a port, and nothing else",
        arguments: [
            ("127.0.0.1:80", "127.0.0.1", 80, true), ("localhost:0", "localhost", 0, true),
            ("[::1]:7420", "::1", 7420, true), ("0.0.0.0:1", "0.0.0.0", 1, false),
            (":7420", "0.0.0.0", 7420, false),
            ("farm.example.org:443", "farm.example.org", 443, false),
            ("127.evil.example:1", "127.evil.example", 1, false),
        ]
    )
    func addresses(text: String, host: String, port: Int, loopback: Bool) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.host == host && address.port == port)
        #expect(address.isLoopback == loopback)
    }

    @Test(
        "what is no address is refused",
        arguments: [
            "", "host", "host:", "host:x", "host:65536", "::1:80", "a b:1", "host:-1", "h/x:1",
        ]
    )
    func noAddresses(text: String) { #expect(ListenAddress(text) == nil) }

    @Test(
        "an address of the web has a host, and a port from 1 to 65535 where it has one",
        arguments: [
            ("http://10.0.0.1:65535/a", true), ("https://farm.example.org", true),
            ("HTTP://[::1]:7420", true), ("http://host:/", true), ("http://a:99999@host/", true),
            ("http://host/x:99999", true), ("http://host?at=:99999", true),
            ("http://10.0.0.1:65536", false), ("http://10.0.0.1:0", false),
            ("https://[::1]:99999/a", false), ("http://10.0.0.1:99999999999999999999", false),
            ("http://user@10.0.0.1:70000", false), ("http://10.0.0.1:-1", false),
            ("ftp://host", false), ("http://", false), ("host:80", false), ("", false),
            ("javascript:alert(1)", false),
        ]
    )
    func webAddresses(text: String, isOne: Bool) { #expect((WebAddress(text) != nil) == isOne) }

    // MARK: bundles

    @Test("paths of a work tree become paths of the unpacked bundle")
    func moved() throws {
        let digest = Digest(of: Data("zip".utf8))
        let prepared = BundleRules.prepared(
            ["xctest": "/w/P/.build/P.xctest", "package": "/w", "tool": "/usr/bin/tool"],
            bundle: digest,
            workTree: "/w"
        )
        #expect(BundleRules.bundle(of: prepared) == digest)
        var shard = Shard(
            run: RunID("r"),
            mode: .verify,
            job: Job(
                name: JobName("j"),
                kind: .snapshot,
                driver: DriverSettings("swiftpm", ["package": "."])
            ),
            cell: Cell(id: .host, device: nil, variant: []),
            tests: [],
            prepared: prepared,
            workTree: "/elsewhere"
        )
        shard = BundleRules.unpacked(shard, at: "/cache/b")
        #expect(shard.workTree == "/cache/b")
        #expect(
            shard.prepared == [
                "xctest": "/cache/b/P/.build/P.xctest", "package": "/cache/b",
                "tool": "/usr/bin/tool",
            ]
        )
    }

    @Test(
        "a link leads to somewhere in its bundle, or is refused",
        arguments: [
            ("a/b/link", "c", true), ("link", "Versions/A/Kit", true), ("a/b/link", "../c", true),
            ("a/b/link", "../..", true), ("a/link", "../../c", false), ("link", "..", false),
            ("link", "/etc", false), ("a/link", "b/../../c", false), ("a/link", "", false),
            ("a/link", "./c", false), ("a/link", "c\nd", false),
        ]
    )
    func links(_ link: String, _ target: String, _ isInside: Bool) {
        #expect(BundleRules.isInside(target, from: link) == isInside)
    }

    @Test(
        "a framework's folders beside the sources are made in the bundle, at the path of the build"
    )
    func besideSources() throws {
        let references = FrameworkReferences(
            layout: .besideSources,
            sources: ".swift",
            folder: "__Snapshots__",
            path: try PicturePattern("{name}.png"),
            remedy: ""
        )
        var job = Job(name: JobName("j"), kind: .snapshot, driver: DriverSettings("xcodebuild"))
        let selection = BundleSelection(globs: [], isBuilt: true)
        #expect(BundleRules.completed(selection, for: job) == selection)
        job.framework = FrameworkProfile(name: "pf", references: references)
        let completed = BundleRules.completed(selection, for: job)
        #expect(completed.isWritable && completed.sources == references)
        #expect(BundleRules.isSource("T/CartTests.swift", of: references))
        #expect(BundleRules.isSource("T/__Snapshots__/CartTests/a.txt", of: references))
        for path in ["T/__Snapshots__/CartTests/a.png", "Pods/Kit/Kit.swift", ".swiftpm/a.swift"] {
            #expect(!BundleRules.isSource(path, of: references))
        }
        let prepared = BundleRules.prepared(
            ["xctestrun": "/w/A.xctestrun"],
            bundle: Digest(of: Data()),
            workTree: "/w",
            needsPlace: true
        )
        #expect(BundleRules.place(of: prepared) == "/w")
        #expect(BundleRules.paths(of: prepared) == ["A.xctestrun"])
    }
}
