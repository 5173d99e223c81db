import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Recorded and pruned at once", .serialized)
    struct RefsRaceTests {
        private static let rounds = 20
        private static let prune = [
            "refs", "prune", "--yes", "--keep-days", "0", "--young-days", "0", "--grace-days", "0",
        ]

        @Test("a set recorded beside a prune never lacks a picture")
        func race() throws {
            let project = try ReferencesProject(copying: try BigProject.recorded.get())
            var random = SeededGenerator.announced()
            // With few variants, most recorded pictures already exist as garbage that is being
            // removed.
            let variants = try (0..<3).map { try Self.variant(project, seed: 10 + UInt64($0)) }
            var pruned = 0
            for round in 0..<Self.rounds {
                let variant = variants[Int.random(in: 0..<3, using: &random)]
                try Self.place(variant, in: project)
                let program = project.program(in: "main")
                let pruner = try program.start(Self.prune)
                usleep(UInt32.random(in: 0..<60_000, using: &random))
                let recorder = try program.start(["refs", "commit"])
                let recorded = recorder.ending(within: 60)
                let ending = pruner.ending(within: 60)
                #expect(recorded.status == 0, "round \(round): \(recorded.said)")
                // 75: another set was recorded between the plan and the lock.
                #expect([0, 75].contains(ending.status), "round \(round): \(ending.said)")
                if ending.status == 0, ending.output.contains("drop ") { pruned += 1 }
                #expect(try project.storeIsClean(), "round \(round)")
                for set in try project.sets() {
                    let walked = try project.git(
                        "rev-list",
                        "--objects",
                        "--quiet",
                        set,
                        in: project.store
                    )
                    #expect(walked.status == 0, "round \(round): \(set) \(walked.said)")
                }
                let pin = try ReferencePin(parsing: Data(project.pin.utf8))
                let found = try ReferenceStore(opening: project.store)
                    .verify(pins: [NamedPin(name: "pin", pin: pin)])
                #expect(found.isSound, "round \(round): \(found.lines)")
            }
            print("\(pruned) of \(Self.rounds) prunes dropped a set beside a recording")
            #expect(pruned > 0)
        }

        /// Returns pictures of two suites by their paths.
        private static func variant(
            _ project: ReferencesProject,
            seed: UInt64
        ) throws -> [String: Data] {
            try BigProject.draw(project, suites: 0..<2, seed: seed)
            var pictures: [String: Data] = [:]
            for suite in 0..<2 {
                let folder = "\(project.main)/\(BigProject.folder)/Suite\(suite)"
                for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                    let path = "\(folder)/\(name)"
                    pictures[path] = FileManager.default.contents(atPath: path)
                }
            }
            return pictures
        }

        private static func place(_ pictures: [String: Data], in project: ReferencesProject) throws
        {
            for (path, bytes) in pictures { try bytes.write(to: URL(fileURLWithPath: path)) }
        }
    }
}
