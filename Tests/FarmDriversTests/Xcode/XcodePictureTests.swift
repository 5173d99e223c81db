import FarmCore
import FarmPipeline
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("Pictures of the driver xcodebuild")
struct XcodePictureTests {
    private static let tests = """
        [{"test": "CartTests/testEmpty", "does": [{"picture": {"with": "fb"}}]},
         {"test": "CartTests/testKit", "does": [{"picture": {"with": "kit", "owner": ""}}]},
         {"test": "CartTests/testAttached", "does": [{"attach": "words"},
            {"picture": {"with": "attachment", "name": "Receipt", "typed": false}}]}]
        """

    private func capture(_ heard: Heard, _ test: String) -> [String] {
        (heard.result("ShopTests/CartTests/\(test)()")?.captures ?? []).map {
            "\($0.suite)/\($0.name)"
        }
    }

    @Test("a record takes what frameworks write, and attachments of tests that write nothing")
    func record() async throws {
        let mac = try await XcodeMac(tests: Self.tests)
        let job = mac.job(kind: .snapshot)
        let found = try await mac.discover(job)
        let heard = try await mac.run(job, found, mode: .record)
        #expect(capture(heard, "testEmpty") == ["ShopTests.CartTests/testEmpty@3x"])
        #expect(capture(heard, "testKit") == ["CartTests/testKit"])
        #expect(capture(heard, "testAttached") == ["ShopTests.CartTests/testAttached_Receipt"])
        for result in heard.results {
            #expect(result.ending(in: job, mode: .record) == .passed)
        }
        await mac.driver.shutDown()
    }

    @Test("test products of another step keep what passing tests attach, and are not changed")
    func testProducts() async throws {
        let mac = try await XcodeMac(tests: Self.tests)
        try await mac.buildTestProducts()
        let tests = mac.folder.file("tree/Shop.xctestproducts/Tests/0")
        let before = try FileManager.default.contentsOfDirectory(atPath: tests)
        var job = mac.job(kind: .snapshot)
        job.driver = .xcodebuild(XcodeSettings(testProducts: "Shop.xctestproducts"))
        let found = try await mac.discover(job)
        let heard = try await mac.run(job, found, mode: .record)
        #expect(capture(heard, "testAttached") == ["ShopTests.CartTests/testAttached_Receipt"])
        #expect(heard.result("ShopTests/CartTests/testAttached()")?.ending == .passed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: tests) == before)
        // Only the other step has built; the driver has not.
        #expect(try await mac.counts()["xcodebuild build-for-testing"] == 1)
        await mac.driver.shutDown()
    }

    @Test("a verify of the framework's own leaves reference, failed and diff picture of a change")
    func change() async throws {
        let mac = try await XcodeMac(tests: Self.tests)
        let job = mac.job(kind: .snapshot, judge: .framework)
        let found = try await mac.discover(job)
        let other = try #require(Data(base64Encoded: Self.onePixel))
        let name = "ShopTests.CartTests/testEmpty@3x.png"
        let heard = try await mac.run(
            job,
            found,
            tests: ["ShopTests/CartTests/testEmpty()"],
            references: [name: other]
        )
        let result = try #require(heard.results.first)
        guard case .changed = result.ending(in: job, mode: .verify) else {
            Issue.record("\(result.ending)")
            return
        }
        let difference = try #require(result.differences.first)
        #expect(difference.reference != nil && difference.failed != nil && difference.diff != nil)
        await mac.driver.shutDown()
    }

    @Test("pictures that no name gives an owner are given to the test that makes them alone")
    func unowned() async throws {
        let mac = try await XcodeMac(
            tests: """
                ["A/testOne", {"test": "A/testTwo", "does": [{"picture":
                    {"with": "kit", "owner": "", "folder": "Odd", "name": "shape"}}]}]
                """
        )
        let job = mac.job(kind: .snapshot)
        let heard = try await mac.run(job, try await mac.discover(job), mode: .record)
        #expect(heard.result("ShopTests/A/testTwo()")?.captures.map(\.name) == ["shape"])
        #expect(heard.result("ShopTests/A/testOne()")?.captures == [])
        await mac.driver.shutDown()
    }

    private static let onePixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
}
