// Runs a number of cases, each with a seed of its own. A single case is repeated by:
//     SNAPFARM_TEST_SEED=<its seed> SNAPFARM_FUZZ_CASES=1 swift test --filter FileFuzzTests
// SNAPFARM_FUZZ_CASES=100000 is a long run. If a case ends the process, its seed is in the file
// whose path is printed at the start.
import FarmTesting
import Foundation
import Testing

struct FuzzRun {
    /// The outcome of one case.
    enum Outcome {
        /// Refused because the file is not of its kind.
        case strange
        /// Recognized as its kind, whether accepted or not.
        case known
    }

    private static let casesDefault = 500
    /// The time limit for one small file, in seconds, for a debug build on a busy machine.
    private static let secondsMax = 10.0

    let kind: String

    /// Runs all cases, and prints how many were recognized.
    func run(_ body: (inout Mutator) throws -> Outcome) throws {
        let environment = ProcessInfo.processInfo.environment
        let cases = environment["SNAPFARM_FUZZ_CASES"].flatMap(Int.init) ?? Self.casesDefault
        let first = SeededGenerator.announced("fuzz \(kind)").seed
        let note = FileManager.default.temporaryDirectory.path + "/snapfarm-fuzz-\(kind).seed"
        try Data().write(to: URL(fileURLWithPath: note))
        print("fuzz \(kind): the seed of the case that runs is in \(note)")
        let file = try #require(FileHandle(forWritingAtPath: note))
        let clock = ContinuousClock()
        var known = 0
        let began = clock.now
        for index in 0..<cases {
            let seed = first &+ UInt64(index)
            try file.seek(toOffset: 0)
            try file.write(contentsOf: Data("\(seed)                    \n".utf8))
            var mutator = Mutator(seed: seed)
            let start = clock.now
            if try body(&mutator) == .known { known += 1 }
            let seconds = start.duration(to: clock.now) / .seconds(1)
            #expect(seconds < Self.secondsMax, "\(kind), seed \(seed): \(seconds) s")
        }
        let took = began.duration(to: clock.now) / .seconds(1)
        print("fuzz \(kind): \(known) of \(cases) past the first layer, \(took) s")
        // With fewer, only the refusal of nonsense would be tested. A single case may be anything.
        #expect(cases < 100 || known * 10 >= cases * 3, "\(kind): only \(known) of \(cases)")
        try FileManager.default.removeItem(atPath: note)
    }
}
