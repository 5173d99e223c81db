// The record by which later runs inherit verdicts without being asked: for each test case that
// passed, the digest of all that decided its verdict. It is a part of the history's file.
//
// Invariants
//   - It decides no verdict: a test case is inherited only if its digest, computed anew, is the one
//     in the record. Any other content of the record costs a run of the tests.
//   - It is sealed by a digest of itself, so that a damaged record is no record.
//   - Its size is limited: test cases that do not fit run in every run.
import Foundation

/// A test case that passed, with the digest of all that decided its verdict.
package struct ReusedTest: Hashable, Sendable, Codable {
    package var key: TestKey
    /// The digest of the test case's job, cell, name, inputs, machine and references.
    package var digest: Digest
    /// The run that ran the test case.
    package var run: String
    /// The pictures that the test case made, by their ids: the Git blob id of the reference whose
    /// pixels the picture has, or else the digest of the picture's bytes.
    package var pictures: [String: String]
    /// The paths of the files that the test case read, or `nil` if its driver does not record them;
    /// see ``RecordedInputs/files``.
    package var files: [String]?

    package init(
        key: TestKey,
        digest: Digest,
        run: String,
        pictures: [String: String],
        files: [String]? = nil
    ) {
        self.key = key
        self.digest = digest
        self.run = run
        self.pictures = pictures
        self.files = files
    }

    /// The most bytes that the test case takes in the history's file.
    var bytes: Int {
        let names = 2 * (key.job.text.utf8.count + key.cell.text.utf8.count)
        return pictures.reduce(names + 2 * key.test.text.utf8.count + 270) {
            $0 + 2 * $1.key.utf8.count + 90
        }
    }
}

/// The numbers of test cases that one run planned, inherited and sampled.
package struct ReuseCount: Hashable, Sendable, Codable {
    package var run: String
    package var planned: Int
    package var inherited: Int
    /// The number of test cases that could be inherited, and ran all the same.
    package var sampled: Int
    /// The number of sampled test cases that differed from what would have been inherited.
    package var differed: Int

    package init(run: String, planned: Int, inherited: Int, sampled: Int, differed: Int) {
        self.run = run
        self.planned = planned
        self.inherited = inherited
        self.sampled = sampled
        self.differed = differed
    }
}

extension ReusedTest {
    // `files` is encoded by the record, which names each list once.
    private enum CodingKeys: String, CodingKey { case key, digest, run, pictures }
}

/// The test cases that later runs may inherit.
package struct ReuseRecord: Hashable, Sendable {
    /// The start of the last run that inherited nothing, in milliseconds since 1970, or `nil` if
    /// none is known.
    package var fullRun: Int64?
    /// The jobs whose sampled test cases differed; they inherit nothing until a run of all tests is
    /// green.
    package var off: [JobName] = []
    /// The test cases, sorted by their keys.
    package var tests: [ReusedTest] = []
    /// The commits of the runs in `tests`, by the runs' ids; empty for an unknown one.
    package var commits: [String: String] = [:]
    /// The numbers of the newest runs, the newest first; at most `FarmLimits.reuseCountsMax`.
    package var counts: [ReuseCount] = []
    /// The number of all runs that were counted.
    package var runs = 0
    /// The sums over all runs, without a run's id.
    package var total = ReuseCount(run: "", planned: 0, inherited: 0, sampled: 0, differed: 0)

    package init() {}

    mutating func count(_ count: ReuseCount) {
        counts = Array(([count] + counts).prefix(FarmLimits.reuseCountsMax))
        runs += 1
        total.planned += count.planned
        total.inherited += count.inherited
        total.sampled += count.sampled
        total.differed += count.differed
    }

    /// The most bytes that the record takes in the history's file.
    var bytes: Int {
        let runs = commits.count * 140 + off.reduce(0) { $0 + 2 * $1.text.utf8.count + 3 }
        let lists = Set(tests.compactMap(\.files)).reduce(0) { $0 + Self.bytes(of: $1) }
        return tests.reduce(runs + counts.count * 160 + 1_000 + lists) { $0 + $1.bytes }
    }

    private static func bytes(of list: [String]) -> Int {
        list.reduce(4) { $0 + 2 * $1.utf8.count + 3 }
    }

    /// Drops the last test cases until the record is within its limit.
    package mutating func shrink(bytesMax: Int = FarmLimits.reuseBytesMax) {
        var left = bytesMax - bytes
        var uses = Dictionary(tests.compactMap(\.files).map { ($0, 1) }, uniquingKeysWith: +)
        while left < 0, let last = tests.popLast() {
            left += last.bytes
            guard let files = last.files, let count = uses[files] else { continue }
            uses[files] = count - 1
            if count == 1 { left += Self.bytes(of: files) }
        }
        let runs = Set(tests.map(\.run))
        commits = commits.filter { runs.contains($0.key) }
    }
}

/// A record with a digest of itself, as the history's file has it.
struct SealedReuse: Codable {
    /// The record, or `nil` if it is damaged or of another version.
    let record: ReuseRecord?

    private enum CodingKeys: String, CodingKey { case digest, record }

    init(_ record: ReuseRecord) { self.record = record }

    /// Decodes the record; a damaged one becomes `nil`, so that the rest of the history is used.
    init(from decoder: any Decoder) throws {
        guard let object = try? decoder.container(keyedBy: CodingKeys.self),
            let digest = try? object.decode(Digest.self, forKey: .digest),
            let found = try? object.decode(ReuseRecord.self, forKey: .record),
            found.isSound, Self.digest(of: found) == digest
        else {
            record = nil
            return
        }
        record = found
    }

    func encode(to encoder: any Encoder) throws {
        guard let record else { return }
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(Self.digest(of: record), forKey: .digest)
        try object.encode(record, forKey: .record)
    }

    private static func digest(of record: ReuseRecord) -> Digest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A record holds only texts and whole numbers: encoding cannot fail.
        return Digest(of: (try? encoder.encode(record)) ?? Data())
    }
}

extension ReuseRecord {
    /// Whether a record from a file is within its limits, so that its sums do not overflow.
    fileprivate var isSound: Bool {
        let numbers = 0...1_000_000_000_000
        return counts.count <= FarmLimits.reuseCountsMax
            && ([total] + counts).allSatisfy {
                [$0.planned, $0.inherited, $0.sampled, $0.differed].allSatisfy(numbers.contains)
            } && numbers.contains(runs) && tests.count <= FarmLimits.historyTestsMax
            && tests.allSatisfy { $0.key.test.isUsable && PathComponent.isName($0.run) }
            && (fullRun ?? 0).isTime
    }
}
