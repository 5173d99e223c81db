// The failures of the coordinator's own storage: a full disk, a bucket or a database that does not
// answer. Runs, `why` and pages show them, because a run then stands still for no other visible
// reason.
import FarmCore
import FarmLedger
import Synchronization

/// The failures of the coordinator's disk, bucket or database in the last seconds, with the time of
/// the first.
package final class StorageFaults: Sendable {
    /// The failures with one error code: the last problem, and their times.
    private struct Fault {
        var problem: Problem
        /// The time of the first failure, in milliseconds since 1970; `last` is the time of the
        /// last one.
        var first: Milliseconds
        var last: Milliseconds
    }

    private let faults = Mutex<[String: Fault]>([:])
    private let clock: @Sendable () -> Milliseconds

    /// Makes a record without failures; `clock` returns milliseconds since 1970.
    init(clock: @escaping @Sendable () -> Milliseconds) { self.clock = clock }

    /// Notes an error of the coordinator's disk, bucket or shared ledger, and ignores every other
    /// error.
    package func note(_ error: any ExplainedError) {
        // A coordinator that steps down gets this error for seconds: another one takes over.
        if case LedgerError.notLeading = error { return }
        guard [.inputOutput, .unavailable].contains(error.exit) else { return }
        let now = clock()
        faults.withLock { faults in
            let first = faults[error.code].map { Self.isOver($0, now) ? now : $0.first } ?? now
            faults[error.code] = Fault(problem: Problem(error), first: first, last: now)
        }
    }

    /// Returns the failures that lasted until a moment ago; empty if the storage works.
    package var current: [Problem] {
        let now = clock()
        return faults.withLock { faults in
            faults = faults.filter { !Self.isOver($0.value, now) }
            return faults.values.sorted { $0.first < $1.first }.map(Self.words)
        }
    }

    /// Returns whether a fault is over, because it was not noted again.
    ///
    /// Workers retry within this time, so a lasting fault is noted again before.
    private static func isOver(_ fault: Fault, _ now: Milliseconds) -> Bool {
        now - fault.last > Int64(FarmLimits.storageFaultSeconds * 1000)
    }

    private static func words(_ fault: Fault) -> Problem {
        let since = ISO8601.text(fault.first)
        // The error may name a file of the moment; a full disk is one fault for all files.
        let (message, remedy) =
            fault.problem.code == "disk-full"
            ? ("the disk is full.", "Free space on the disk of its data folder.")
            : (fault.problem.message, fault.problem.remedy)
        return Problem(
            code: Problem.storageFaultCode,
            message: "the coordinator cannot store anything since \(since): \(message)",
            remedy: "\(remedy) Nothing is lost: workers keep what they have, and the run goes on "
                + "by itself afterwards."
        )
    }
}

extension Problem {
    /// The code of the problem that a run shows while the coordinator's storage fails.
    package static let storageFaultCode = "storage-fails"
}
