// Tests of the file that teams copy, in a package with both test libraries, run by the driver
// `swiftpm`. The package is built once; its folder's name follows from its contents.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

/// The package that contains the kit.
private actor KitPackage {
    static let shared = KitPackage()
    private var building: Task<Discovery, any Error>?

    func discovery() async throws -> Discovery {
        let building = building ?? Task { try await Self.build() }
        self.building = building
        return try await building.value
    }

    private static func build() async throws -> Discovery {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
        let kit = try String(contentsOfFile: root + "/Kit/SnapfarmTestKit.swift", encoding: .utf8)
        return try await discoverPackage([
            "Package.swift": manifest, "Tests/XKit/SnapfarmTestKit.swift": kit,
            "Tests/SKit/SnapfarmTestKit.swift": kit, "Tests/XKit/X.swift": xctest,
            "Tests/SKit/S.swift": swiftTesting,
        ])
    }

    private static let manifest = """
        // swift-tools-version:6.0
        import PackageDescription
        let package = Package(
            name: "Fixture", targets: [.testTarget(name: "XKit"), .testTarget(name: "SKit")])
        """
    private static let png = """
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3])
        """
    private static let xctest =
        png + """

            import Foundation
            import XCTest
            final class Cart: XCTestCase {
                func testEmpty() throws {
                    try snapfarmRecord(png, named: "top")
                    try snapfarmRecord(png, named: "dark / bottom")
                }
                func testFull() throws { try snapfarmRecord(png, named: "top") }
                func testTwice() throws {
                    try snapfarmRecord(png, named: "same")
                    try snapfarmRecord(png, named: "same")
                }
                func testText() throws { try snapfarmRecord(Data("text".utf8), named: "no") }
            }
            """
    private static let swiftTesting =
        png + """

            import Foundation
            import Testing
            @Suite struct Card {
                @Test func empty() throws { try snapfarmRecord(png, named: "top") }
                @Test(arguments: [1, 2]) func item(_ i: Int) throws {
                    try snapfarmRecord(png, named: "item \\(i)")
                }
                struct Nested {
                    @Test func `in words / (x)`() throws { try snapfarmRecord(png, named: "top") }
                }
                @Test func twice() throws {
                    try snapfarmRecord(png, named: "same")
                    try snapfarmRecord(png, named: "same")
                }
            }
            @Test func free() async throws { try snapfarmRecord(png, named: "top") }
            """
}

@Suite("the file that teams copy", .serialized)
struct SnapfarmTestKitTests {
    private func run(_ kind: JobKind) async throws -> (Heard, [TestID], TemporaryFolder) {
        let discovery = try await KitPackage.shared.discovery()
        let folder = try TemporaryFolder()
        let heard = Heard()
        try await SwiftPMDriver(environment: testEnvironment).run(
            shard(
                .swiftpm(SwiftPMSettings(package: "Fixture")),
                kind: kind,
                tests: discovery.tests.map(\.text),
                timeouts: JobTimeouts(testSeconds: 120, shardSeconds: 600),
                prepared: discovery.prepared
            ),
            folders: leaseFolders(in: folder)
        ) { heard.take($0) }
        return (heard, discovery.tests, folder)
    }

    @Test("every picture says whose it is, under both test libraries")
    func owners() async throws {
        let (heard, tests, _) = try await run(.snapshot)
        let expected: [String: Set<String>] = [
            "XKit.Cart/testEmpty": ["testEmpty.top", "testEmpty.dark---bottom"],
            "XKit.Cart/testFull": ["testFull.top"],
            "SKit.Card/empty()": ["empty.top"],
            "SKit.Card/item(_:)": ["item.item-1", "item.item-2"],
            "SKit.Card/Nested/`in words / (x)`()": [],
            "SKit.free()": ["free.top"],
        ]
        for (test, names) in expected {
            let result = try #require(heard.result(test), "\(test) of \(tests)")
            #expect(result.ending == .passed, "\(test): \(result.ending)")
            if names.isEmpty {
                #expect(result.captures.count == 1, "\(test)")
            } else {
                #expect(Set(result.captures.map(\.name)) == names, "\(test)")
            }
        }
        let suites = heard.result("XKit.Cart/testFull")?.captures.map(\.suite)
        #expect(suites == ["XKit.Cart"])
        #expect(heard.result("SKit.Card/empty()")?.captures.first?.identifier == "top")
    }

    @Test("one name twice, and what is no PNG, fail the test that asked")
    func refused() async throws {
        let (heard, _, _) = try await run(.snapshot)
        for (test, words) in [
            ("XKit.Cart/testTwice", "already"), ("SKit.Card/twice()", "already"),
            ("XKit.Cart/testText", "is no PNG"),
        ] {
            guard case .failed(let text) = heard.result(test)?.ending else {
                Issue.record("\(test) did not fail")
                continue
            }
            #expect(text.contains(words), "\(text)")
        }
    }

    @Test("where no farm runs the tests, nothing is written and nothing fails")
    func silent() async throws {
        let discovery = try await KitPackage.shared.discovery()
        let program = try #require(discovery.prepared["xctest"])
        let folder = try TemporaryFolder()
        var environment = testEnvironment
        environment["SNAPFARM_CAPTURE_DIR"] = nil
        let ended = try TestProcess.run(
            [program, "XKit.Cart/testTwice"],
            environment: environment,
            in: folder.path
        )
        #expect(ended.status == 0, "\(ended.output)\(ended.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
