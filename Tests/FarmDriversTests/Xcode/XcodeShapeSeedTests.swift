// Runs known tests in random leases under a random Xcode, with output lines and bundles of every
// recorded shape, and compares the driver's endings with the true ones.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("The driver xcodebuild among all shapes that Xcode prints", .serialized)
struct XcodeShapeSeedTests {
    /// The seeds; `SNAPFARM_XCODE_SEEDS` sets their number.
    private static let seeds =
        1...(ProcessInfo.processInfo.environment["SNAPFARM_XCODE_SEEDS"].flatMap { Int($0) } ?? 2)
    private static let xcodes = ["15.4", "16.1", "16.3", "16.4", "26.1", "26.4", "27.0"]

    @Test("loses no test and blames none wrongly", arguments: seeds)
    func seeded(_ seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        // Seeds take the versions of Xcode in turn, so that a few seeds cover all of them.
        let xcode = Self.xcodes[seed % Self.xcodes.count]
        let isClone = Int.random(in: 1...6, using: &generator) == 1
        // Only a complete bundle tells the result of repetitions, or why a test in a clone failed.
        let trouble = isClone ? nil : Self.troubles.randomElement(using: &generator) ?? nil
        let isRetried = trouble == nil && Bool.random(using: &generator)
        let tests = KnownTest.random(
            hasSwiftTesting: !xcode.hasPrefix("15"),
            isRetried: isRetried && !xcode.hasPrefix("15"),
            &generator
        )
        let mac = try await XcodeMac(
            tests: "[" + tests.map(\.json).joined(separator: ",\n") + "]",
            machine: XcodeShapeTests.machine(
                xcode,
                seed: seed,
                glyphs: Bool.random(using: &generator) ? "sf" : "plain",
                shapes: Self.shapes(isClone, &generator)
            ),
            plan: isRetried ? XcodeShapeTests.retryPlan : nil
        )
        let job = mac.job(cells: [XcodeMac.cell("iPhone 15", "17.5")])
        let found = try await mac.discover(job)
        #expect(found.tests.map(\.text).sorted() == tests.map(\.test).sorted(), "seed \(seed)")
        let count = Int.random(in: tests.count / 2...tests.count, using: &generator)
        let chosen = Array(tests.shuffled(using: &generator).prefix(count))
        if let trouble { try mac.trouble("[{\"kind\": \"\(trouble)\"}]") }
        let heard = try await mac.run(job, found, tests: chosen.map(\.test))
        check(heard, chosen, isOld: xcode.hasPrefix("15"), "seed \(seed), Xcode \(xcode)")
        let others = Set(try mac.events("test").compactMap { $0["test"] as? String })
            .subtracting(chosen.map(\.traced))
        #expect(others.isEmpty, "seed \(seed), Xcode \(xcode)")
        await mac.driver.shutDown()
    }

    private func check(_ heard: Heard, _ tests: [KnownTest], isOld: Bool, _ place: String) {
        let told = heard.results.map(\.test.text).sorted()
        #expect(told == tests.map(\.test).sorted(), "\(place)")
        for test in tests {
            let ending = heard.endings[test.test]
            let isRight = ending.map { test.isRight($0, isOld: isOld) } ?? false
            #expect(isRight, "\(place): \(test.test) \(String(describing: ending))")
        }
    }

    private static let troubles: [String?] = [
        nil, nil, nil, "results-incomplete", "results-damaged", "results-missing",
    ]

    private static func shapes(_ isClone: Bool, _ generator: inout SeededGenerator) -> String {
        var shares = isClone ? ["\"clones\": 1"] : []
        for (name, share) in [
            ("zeroWidth", 0.3), ("barrier", 0.2), ("lostEnds", 0.3), ("namelessCrash", 0.5),
        ] where Bool.random(using: &generator) { shares.append("\"\(name)\": \(share)") }
        return "{" + shares.joined(separator: ", ") + "}"
    }
}
