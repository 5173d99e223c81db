import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("As many workers as the machine has room for", .serialized)
    struct RoomTests {
        /// Returns the environment of an idle host, whatever else runs here.
        private func idle(_ project: Project) throws -> [String: String] {
            try project.folder.write(
                "pressure",
                "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n"
            )
            return ["SNAPFARM_CPU_PRESSURE": project.folder.file("pressure")]
        }

        @Test("tests that only wait get more workers than there are processors")
        func grows() throws {
            let project = try Project(scenes: ["one"], devices: ["A"], units: 60)
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("act-unit", "sleep 0.4")
            let environment = try idle(project)
            let result = try project.run(["--workers", "auto"], environment: environment)
            #expect(result.status == 0, "\(result.said)")
            #expect(result.errors.contains("workers: this machine has room."), "\(result.said)")
            let summary = try project.summary()
            let workers = Set(summary.tests.map(\.worker)).filter { !$0.isEmpty }
            #expect(workers.count > ProcessInfo.processInfo.activeProcessorCount, "\(workers)")
            #expect(summary.tests.allSatisfy { $0.verdict == .passed && $0.attempts == 1 })
        }
    }
}
