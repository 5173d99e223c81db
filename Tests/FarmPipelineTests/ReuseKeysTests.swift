import FarmCore
import FarmDrivers
import FarmPipeline
import Foundation
import Testing

@Suite("Reuse in a pipeline")
struct ReuseKeysTests {
    private static let command = "driver: command, discover: d, run: r"

    @Test(
        "a job has reuse if it is known what its tests read",
        arguments: [
            ("driver: swiftpm, package: P, reuse: true", 2, nil),
            ("driver: swiftpm, package: P, reuse: false", nil, nil),
            ("driver: swiftpm, package: P, reuse: {sample: 7.5%}", 7.5, nil),
            ("driver: swiftpm, package: P, reuse: {}", 2, nil),
            ("driver: swiftpm, package: P, reuse: {sample: 7}", nil, "reuse.sample is \"7\""),
            ("driver: swiftpm, package: P, reuse: {sample: 101%}", nil, "such as 5%"),
            ("driver: swiftpm, package: P, reuse: {samples: 1%}", nil, "Did you mean"),
            ("driver: swiftpm, package: P, reuse: yes", nil, "true or false"),
            ("\(command), reuse: true, inputs: [\"a/**\"]", 2, nil),
            ("\(command), reuse: true", nil, "names no inputs"),
            ("\(command), inputs: [\"a/**\"]", nil, nil),
            ("driver: xcodebuild, project: P, scheme: S, reuse: true", 2, nil),
            ("driver: webdriver, scenes: s.yaml, reuse: true", 2, nil),
        ] as [(String, Double?, String?)]
    )
    func decoding(text: String, percent: Double?, mistake: String?) throws {
        let file = "version: 1\njobs: {u: {kind: unit, \(text)}}\ndevices: [iPhone 8 (13.1)]\n"
        do throws(DocumentErrors) {
            let pipeline = try PipelineDecoder.decode(
                file,
                file: "p.yaml",
                drivers: DriverCatalog.kinds
            )
            #expect(mistake == nil && pipeline.jobs[0].reuse?.samplePercent == percent)
        } catch {
            let words = error.problems.map(\.text).joined(separator: "\n")
            #expect(mistake.map(words.contains) == true, "\(text): \(words)")
        }
    }
}
