import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("The driver xcodebuild, against stand-ins of Apple's tools")
struct XcodeDriverTests {
    private static let plain = """
        ["CartTests/testEmpty", "CartTests/testFull", "CartSuite/total()"]
        """
    private static let ids = [
        "ShopTests/CartSuite/total()", "ShopTests/CartTests/testEmpty()",
        "ShopTests/CartTests/testFull()",
    ]

    @Test("lists the tests, builds once for two jobs, and runs a shard as one launch")
    func oneLaunch() async throws {
        let mac = try await XcodeMac(tests: Self.plain)
        let job = mac.job()
        let found = try await mac.discover(job)
        _ = try await mac.discover(mac.job(kind: .snapshot))
        #expect(found.tests.map(\.text).sorted() == Self.ids)
        let heard = try await mac.run(job, found)
        #expect(heard.endings == Dictionary(uniqueKeysWithValues: Self.ids.map { ($0, .passed) }))
        #expect(heard.started.sorted() == Self.ids)
        let counts = try await mac.counts()
        #expect(counts["xcodebuild build-for-testing"] == 1)
        #expect(counts["xcodebuild enumerate"] == 1)
        #expect(counts["xcodebuild test-without-building"] == 1)
        await mac.driver.shutDown()
        #expect(try await mac.simulators() == [])
    }
}
