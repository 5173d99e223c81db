// What the results files of one invocation say of the tests that it ran.
import FarmCore
import Foundation

struct ResultsReading {
    /// Of the tests that have an entry.
    private(set) var results: [TestID: TestResult] = [:]
    /// Whether any test failed, also one that was not asked for.
    private(set) var hasFailure = false
    private(set) var problem: Problem?
    let isMissing: Bool

    /// Reads files of `folder`, together at most `FarmLimits.junitBytesMax`, until `mayGoOn` says
    /// no; then none of them counts.
    init(
        _ files: [String],
        in folder: String,
        of tests: [TestID],
        while mayGoOn: () -> Bool
    ) {
        isMissing = files.isEmpty
        var entries: [TestID: [JUnitCase]] = [:]
        var room = FarmLimits.junitBytesMax
        for file in files {
            do throws(JUnitError) {
                let bytes = try Self.bytes(of: "\(folder)/\(file)", atMost: room)
                room -= bytes.count
                guard let cases = try JUnitFile.parse(bytes, while: mayGoOn),
                    let found = JUnitMatch.assign(cases, to: tests, while: mayGoOn)
                else { throw JUnitError(reason: "reading it takes longer than timeout.shard") }
                entries.merge(found) { $0 + $1 }
                hasFailure = hasFailure || cases.contains(where: \.hasFailed)
            } catch {
                problem = .resultsInvalid(path: file, reason: error.reason)
            }
        }
        for (test, entries) in entries { results[test] = JUnitMatch.result(of: test, entries) }
    }

    private static func bytes(of path: String, atMost room: Int) throws(JUnitError) -> Data {
        guard let handle = FileHandle(forReadingAtPath: path),
            let bytes = try? handle.read(upToCount: room + 1) ?? Data()
        else { throw JUnitError(reason: "it cannot be read") }
        guard bytes.count <= room else {
            let limit = FarmLimits.junitBytesMax >> 20
            throw JUnitError(reason: "the results files are larger than \(limit) MB together")
        }
        return bytes
    }
}

extension JUnitCase {
    fileprivate var hasFailed: Bool {
        if case .failed = ending { true } else { false }
    }
}
