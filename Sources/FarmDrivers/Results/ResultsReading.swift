// Reads the results files of one invocation, for the tests that it ran.
import FarmCore
import Foundation

struct ResultsReading {
    /// The results of tests that have an entry, or whose class has one.
    private(set) var results: [TestID: TestResult] = [:]
    /// The probable reasons why tests have no result: each names the failed entry nearest to its
    /// test.
    private(set) var causes: [TestID: Problem] = [:]
    /// Whether the files explain why a process left with an error: a test failed, even one that was
    /// not leased, or the process ended before all tests had.
    private(set) var explainsError = false
    /// The problem of a file that cannot be used, or `nil` if all can.
    private(set) var problem: Problem?
    /// The problem of an incomplete file, or `nil` if all files are complete.
    ///
    /// A test without an entry in such a file may have run.
    private(set) var cutOff: Problem?
    let isMissing: Bool

    /// Reads files of `folder`, together at most `FarmLimits.junitBytesMax`.
    ///
    /// A file that is not read completely before `mayGoOn` returns false cannot be used.
    init(
        _ files: [String],
        in folder: String,
        of tests: [TestID],
        while mayGoOn: () -> Bool
    ) {
        isMissing = files.isEmpty
        var shares = JUnitShares()
        var unfinished: Set<TestID> = []
        var room = FarmLimits.junitBytesMax
        for file in files {
            do throws(JUnitError) {
                let bytes = try Self.bytes(of: "\(folder)/\(file)", atMost: room)
                room -= bytes.count
                guard let read = try JUnitFile.parse(bytes, while: mayGoOn),
                    let found = JUnitMatch.assign(read.cases, to: tests, while: mayGoOn)
                else { throw JUnitError(reason: "reading it takes longer than timeout.shard") }
                shares.entries.merge(found.entries) { $0 + $1 }
                shares.others += found.others
                explainsError = explainsError || read.cases.contains(where: \.hasFailed)
                if let reason = read.cutOff {
                    cutOff = .resultsCutOff(path: file, reason: reason)
                    unfinished.formUnion(found.inParts)
                }
            } catch {
                problem = .resultsInvalid(path: file, reason: error.reason)
            }
        }
        judge(tests, shares, unfinished)
        if cutOff != nil, results.count < tests.count { explainsError = true }
    }

    /// Sets the results of the tests from the entries of tests and classes.
    ///
    /// A failed class fails all its tests; a skipped class skips only its tests without an entry.
    /// If an incomplete file has only parts of a test, more parts may be missing, so the test gets
    /// no result unless a part failed.
    private mutating func judge(
        _ tests: [TestID],
        _ shares: JUnitShares,
        _ unfinished: Set<TestID>
    ) {
        let classes = JUnitClasses(shares.others)
        for test in tests {
            let own = shares.entries[test] ?? []
            let around = classes.entries(around: test)
            let said = Set(own.map(\.failedText))
            let entries =
                own
                + around.filter {
                    own.isEmpty || ($0.hasFailed && !said.contains($0.failedText))
                }
            let isOpen = unfinished.contains(test) && !entries.contains(where: \.hasFailed)
            if !entries.isEmpty, !isOpen {
                results[test] = JUnitMatch.result(of: test, entries)
            } else if let cause = classes.cause(for: test) {
                causes[test] = .resultAbsent(cause: cause)
            }
        }
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
