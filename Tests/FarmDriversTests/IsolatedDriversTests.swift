// Tests of the drivers with isolated tests: the same results as with free ones, and nothing between
// the tests of a lease.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

private let absence = Comment(rawValue: TestBubblewrap.absence)

private func isolation(_ network: Isolation.Network = .host) throws -> Isolation {
    try Isolation(Isolation.Wish(network: network), environment: testEnvironment)
}

@Suite("drivers with isolated tests", .serialized, .enabled(if: TestBubblewrap.isUsable, absence))
struct IsolatedDriversTests {
    private func run(
        _ settings: CommandSettings,
        kind: JobKind = .unit,
        tests: [String],
        in folder: TemporaryFolder
    ) async throws -> Heard {
        let heard = Heard()
        try await CommandDriver(environment: testEnvironment, isolation: isolation()).run(
            shard(
                .command(settings),
                kind: kind,
                tests: tests,
                timeouts: JobTimeouts(testSeconds: 60),
                workTree: folder.file("tree")
            ),
            folders: leaseFolders(in: folder)
        ) { heard.take($0) }
        return heard
    }

    @Test("a test of a command has its own folder of the lease, and none of another test's")
    func singles() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "tree/run.sh",
            """
            ls -d "${SNAPFARM_LEASE_DIR%/*}"/* | wc -l
            mkdir -p "$SNAPFARM_CAPTURE_DIR/S" && echo png >"$SNAPFARM_CAPTURE_DIR/S/$1.png"
            [ $1 != bad ]
            """
        )
        let settings = CommandSettings(discover: "", run: "sh run.sh {tests}")
        let heard = try await run(
            settings,
            kind: .snapshot,
            tests: ["good", "bad", "other"],
            in: folder
        )
        #expect(
            heard.endings.mapValues(\.word)
                == ["good": "passed", "bad": "failed", "other": "passed"]
        )
        #expect(heard.results.allSatisfy { $0.captures.count == 1 }, "\(heard.results)")
        #expect(heard.results.allSatisfy { $0.output.hasPrefix("1\n") }, "\(heard.results)")
    }

    @Test("a batch gives its results, and a crash costs one test")
    func batch() async throws {
        let folder = try TemporaryFolder()
        let victim = try folder.write("victim", "whole")
        try folder.write(
            "tree/run.sh",
            """
            cp "$1" "$SNAPFARM_LEASE_DIR/list"
            ln -sf \(victim) "$1"
            echo "<testsuite>" >"$SNAPFARM_LEASE_DIR/r.xml"
            while read -r test; do
              [ "$test" != bang ] || kill -SEGV $$
              echo "<testcase name='$test'/>" >>"$SNAPFARM_LEASE_DIR/r.xml"
            done <"$SNAPFARM_LEASE_DIR/list"
            echo "</testsuite>" >>"$SNAPFARM_LEASE_DIR/r.xml"
            """
        )
        let settings = CommandSettings(
            discover: "",
            run: "sh run.sh {tests-file}",
            results: "r.xml"
        )
        let heard = try await run(settings, tests: ["a", "bang", "b"], in: folder)
        #expect(
            heard.endings.mapValues(\.word)
                == ["a": "passed", "bang": "test-crashed", "b": "passed"]
        )
        // The second process's list was written where the first had planted a link.
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "whole")
    }

    @Test("a Swift package's tests of both frameworks run")
    func swiftpm() async throws {
        let discovery = try await discoverPackage([
            "Package.swift": """
            // swift-tools-version:6.0
            import PackageDescription
            let package = Package(name: "Fixture", targets: [.testTarget(name: "Lab")])
            """,
            "Tests/Lab/X.swift": """
            import Foundation
            import Testing
            import XCTest
            final class Old: XCTestCase {
                func testHome() {
                    let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
                    XCTAssertTrue(home.hasSuffix("/home"))
                    XCTAssertFalse(FileManager.default.fileExists(atPath: "/root"))
                }
                func testCrash() { abort() }
            }
            @Test func new() { #expect(!FileManager.default.fileExists(atPath: "/etc/shadow")) }
            """,
        ])
        let folder = try TemporaryFolder()
        let package = try #require(discovery.prepared["package"])
        let heard = Heard()
        try await SwiftPMDriver(environment: testEnvironment, isolation: isolation()).run(
            shard(
                .swiftpm(SwiftPMSettings(package: "Fixture")),
                tests: discovery.tests.map(\.text),
                prepared: discovery.prepared,
                workTree: package
            ),
            folders: leaseFolders(in: folder)
        ) { heard.take($0) }
        #expect(
            heard.endings.mapValues(\.word) == [
                "Lab.Old/testHome": "passed", "Lab.Old/testCrash": "test-crashed",
                "Lab.new()": "passed",
            ],
            "\(heard.results)"
        )
    }

    @Test(
        "a browser draws the same pictures, and opens no file outside of its work tree",
        .enabled(if: Chromium.isInstalled, Chromium.absence)
    )
    func pages() async throws {
        let free = try TemporaryFolder()
        let secret = try free.write("secret.html", "<body style='background: red'>")
        let page = "<body style='font: 20px serif'>free <b>or</b> not"
        let framed = "<iframe src='file://\(secret)'></iframe>"
        func pictures(_ isolation: Isolation?) async throws -> [Data] {
            let stage = try Stage(
                pages: ["a.html": page, "site/b.html": page, "framed.html": framed],
                scenes: """
                      - {suite: s, name: file, file: a.html}
                      - {suite: s, name: served, url: /b.html}
                      - {suite: s, name: framed, file: framed.html}

                    """,
                settings: WebDriverSettings(
                    scenes: "scenes.yaml",
                    serve: WebServerSettings(
                        command: "python3 -m http.server {port} --bind 127.0.0.1 --directory site"
                    )
                ),
                isolation: isolation
            )
            let results = try await stage.run(["s/file", "s/served", "s/framed"])
            let again = try await stage.run(["s/file"])
            await stage.driver.shutDown()
            return try (results + again).map { try $0.picture }
        }
        let freely = try await pictures(nil)
        let isolated = try await pictures(isolation())
        #expect(isolated[0] == freely[0] && isolated[1] == freely[1] && isolated[3] == freely[0])
        // The frame shows the file's red only to a free browser.
        #expect(isolated[2] != freely[2])
    }

    @Test(
        "without a network no browser is started, and the problem says why",
        .enabled(if: Chromium.isInstalled, Chromium.absence)
    )
    func noNetwork() async throws {
        let stage = try Stage(
            pages: ["a.html": ""],
            scenes: "  - {suite: s, name: a, file: a.html}\n",
            isolation: isolation(.loopback)
        )
        let error = await #expect(throws: WebDriverError.self) { try await stage.run(["s/a"]) }
        #expect(error?.message.contains("--isolate-network none") == true)
    }
}
