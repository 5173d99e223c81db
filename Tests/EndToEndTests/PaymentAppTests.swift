import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    /// Tests of one app on one Mac, on three Macs, and as CircleCI and Bitrise call it: the
    /// findings are the same, and so are the calls of Apple's tools, listed in a committed file.
    @Suite("A payment app's day", .serialized)
    struct PaymentAppTests {
        /// The file with the calls of a verify run without findings.
        private static let calls = "payment-app-calls.txt"

        private func isGreen(_ ending: ProcessEnding) {
            #expect(ending.status == 0, "\(ending.said)")
            #expect(ending.output.contains("passed: 16 tests as expected"), "\(ending.output)")
        }

        /// Checks a run's findings after ``PaymentApp/change()``.
        private func check(_ summary: RunSummary) {
            #expect(summary.state == .failed && summary.counts.planned == 16)
            #expect(summary.counts.changed == 7 && summary.counts.failed == 7)
            #expect(summary.counts.passed == 2)
            let failed = summary.tests.filter { $0.verdict == .failed }
            #expect(failed.allSatisfy { $0.test == "PaySnapshotTests/TransferTests/testPay()" })
        }

        @Test("three slots of one Mac build once, and make, set, use and delete their simulators")
        func oneMac() throws {
            let app = try PaymentApp.recorded()
            let mac = try StandInMac()
            isGreen(try app.run(["--workers", "3"], on: mac))
            let calls = try XcodeCalls([mac], names: app.names)
            #expect(calls.builds == 1 && calls.simulatorsLeft.isEmpty)
            try expectGolden(calls.text, Self.calls)

            try app.change()
            let changed = try app.run(["--workers", "3"], on: mac)
            #expect(changed.status == 1)
            let words = "TransferTests.swift:31: XCTAssertEqual failed: 1 is not 2"
            #expect(changed.output.contains(words), "\(changed.output)")
            #expect(changed.output.contains(" in 7 pictures: 7 changed."), "\(changed.output)")
            check(try app.project.summary())
            let all = try XcodeCalls([mac], names: app.names)
            #expect(all.builds == 2 && all.simulatorsLeft.isEmpty)
        }

        @Test("three Macs of a fleet make the calls of one, and only the caller's Mac builds")
        func threeMacs() throws {
            let app = try PaymentApp.recorded()
            let caller = try StandInMac()
            let macs = try (0..<3).map { _ in try StandInMac() }
            let fleet = try Fleet(app.project)
            fleet.environment = PaymentApp.environment(on: caller)
            try fleet.serve()
            for (index, mac) in macs.enumerated() {
                _ = try fleet.startWorker("mac-\(index)", on: PaymentApp.environment(on: mac))
            }
            isGreen(try fleet.run())
            fleet.stopWorkers()
            #expect(try XcodeCalls([caller], names: app.names).builds == 1)
            #expect(try XcodeCalls(macs, names: app.names).builds == 0)
            let calls = try XcodeCalls([caller] + macs, names: app.names)
            #expect(calls.simulatorsLeft.isEmpty)
            try expectGolden(calls.text, Self.calls)
        }

        @Test("two machines of CircleCI, each with its share, find what one Mac finds")
        func circleCI() throws {
            let app = try PaymentApp.recorded()
            try app.change()
            for index in 0..<2 {
                let mac = try StandInMac()
                let machine = try PaymentApp(copying: app.project.folder)
                let output = app.project.folder.file("out-\(index)")
                let variables = [
                    "CIRCLECI": "true", "CI": "true", "CIRCLE_SHA1": "beef",
                    "CIRCLE_BRANCH": "main", "CIRCLE_WORKFLOW_ID": "w-1",
                    "CIRCLE_PIPELINE_ID": "p-1", "CIRCLE_NODE_INDEX": "\(index)",
                    "CIRCLE_NODE_TOTAL": "2",
                ]
                let words = ["--workers", "3", "--output", output]
                let ending = try machine.run(words, on: mac, variables)
                #expect([0, 1].contains(ending.status), "\(ending.said)")
                let calls = try XcodeCalls([mac], names: machine.names)
                #expect(calls.builds == 1 && calls.simulatorsLeft.isEmpty)
            }
            let words = ["merge", "out-0", "out-1", "--output", "out"]
            let merged = try app.project.program().run(words)
            #expect(merged.status == 1, "\(merged.said)")
            let summary = try app.project.summary("out")
            check(summary)
            #expect(summary.run.shard == nil && summary.run.commit == "beef")
        }

        @Test("a step of Bitrise makes the same calls, and leaves results where Bitrise looks")
        func bitrise() throws {
            let app = try PaymentApp.recorded()
            let mac = try StandInMac()
            let variables = [
                "BITRISE_IO": "true", "CI": "true", "BITRISE_BUILD_SLUG": "b-1",
                "BITRISE_GIT_COMMIT": "beef", "BITRISE_GIT_BRANCH": "main",
                "BITRISE_DEPLOY_DIR": app.project.folder.file("deploy"),
                "BITRISE_TEST_RESULT_DIR": app.project.folder.file("results"),
            ]
            isGreen(try app.run(["--workers", "3", "--output", "out"], on: mac, variables))
            let calls = try XcodeCalls([mac], names: app.names)
            #expect(calls.builds == 1 && calls.simulatorsLeft.isEmpty)
            try expectGolden(calls.text, Self.calls)
            #expect(app.project.exists("results/app/results.xml"))
        }
    }
}
