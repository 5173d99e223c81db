// The behaviour of a simulated test, and the report that a worker makes of it.
import FarmCore
import Foundation

/// The behaviour of one (test case × cell).
enum TestBehaviour: String, Sendable {
    case passes, skips, fails
    /// Fails the first time it runs, and never again.
    case flaky
    /// Makes the same wrong picture each time; all cells of the test change alike.
    case changed
    /// Makes another wrong picture each time.
    case unstable
    /// Makes a picture that has no reference.
    case new
    /// Makes that picture only the first time.
    case newOnce
    /// Kills the worker that runs it.
    case kills

    /// Whether a healthy worker reports a pass each time.
    var isGood: Bool { self == .passes || self == .skips }

    static let ofUnits: [(TestBehaviour, Int)] = [
        (.passes, 78), (.skips, 4), (.fails, 8), (.flaky, 8), (.kills, 2),
    ]
    static let ofSnapshots: [(TestBehaviour, Int)] = [
        (.passes, 60), (.fails, 4), (.flaky, 8), (.changed, 8), (.unstable, 5), (.new, 6),
        (.newOnce, 7), (.kills, 2),
    ]
}

/// One run of a test in a simulated worker.
struct SimulatedTest {
    let key: TestKey
    let behaviour: TestBehaviour
    let job: Job
    let mode: RunMode
    /// The number of times the test has run before, on any worker.
    let earlier: Int
    /// Whether the worker fails every test.
    let isSick: Bool
    let seconds: Double
    let startedAt: Int64

    func report() throws -> TestReport {
        var report = TestReport(
            test: key.test,
            ending: .passed,
            seconds: seconds,
            startedAt: startedAt
        )
        if isSick || behaviour == .fails || (behaviour == .flaky && earlier == 0) {
            report.ending = .failed(isSick ? "this worker is sick" : "expected 1, got 2")
            return report
        }
        if behaviour == .skips { report.ending = .skipped("not today") }
        guard job.kind == .snapshot else { return report }
        report.pictures.captures = try capture().map { [$0] } ?? []
        return report
    }

    private func capture() throws -> CaptureReport? {
        switch behaviour {
        case .changed: try picture("changed", hasReference: true)
        case .unstable: try picture("unstable \(earlier)", hasReference: true)
        case .new: try picture("new", hasReference: false)
        case .newOnce where earlier == 0: try picture("new", hasReference: false)
        case .newOnce: nil
        default: try picture("reference", hasReference: mode == .verify)
        }
    }

    private func picture(_ look: String, hasReference: Bool) throws -> CaptureReport {
        let bytes = Data("\(key) \(look)".utf8)
        let reference = ObjectID(ofBlob: Data("\(key) reference".utf8))
        var report = CaptureReport(
            capture: Capture(
                id: try SnapshotID(cell: key.cell, suite: "suite", name: key.test.text),
                test: key.test,
                digest: Digest(of: bytes),
                objectID: ObjectID(ofBlob: bytes),
                bytes: bytes.count
            ),
            reference: hasReference ? reference : nil
        )
        guard hasReference, mode == .verify else { return report }
        report.comparison =
            report.capture.objectID == reference ? .identicalBytes : .different(difference)
        return report
    }

    private var difference: PixelDifference {
        PixelDifference(
            reference: PixelSize(width: 2, height: 2),
            capture: PixelSize(width: 2, height: 2),
            differing: 1,
            counted: 1,
            largestDelta: 255,
            clusters: [],
            explanation: behaviour == .changed
                ? Explanation(regions: [], regionCount: 0, fingerprint: "like") : nil
        )
    }
}

extension TestReport {
    /// Blobs that must be durable before this report is kept.
    var blobs: [Digest] {
        pictures.captures.filter { $0.reference != $0.capture.objectID }.map(\.capture.digest)
    }
}
