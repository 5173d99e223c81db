// What was written down of a lease when it was granted, so that its end need not be told again.
import FarmCore
import GRDB
import Synchronization

/// A test's name as the tables compare it: by its bytes, where Swift sees one letter in two forms.
struct ExactName: Hashable {
    let test: TestID

    static func == (left: Self, right: Self) -> Bool {
        left.test.text.utf8.elementsEqual(right.test.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = test.text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// What never changes of a lease.
struct GrantedLease {
    let run: RunID
    let worker: WorkerID
    /// Positions in the plan.
    let job: Int
    let cell: Int
    /// The ids of its test cases; nil where only the tables know them.
    var testCases: [ExactName: Int64]?
}

extension GrantedLease {
    /// Nil where the ledger has no such lease.
    init?(epoch: Int64, _ db: Database) throws {
        guard
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT run, worker, job, cell FROM lease WHERE epoch = ?"),
                arguments: [epoch]
            )
        else { return nil }
        run = RunID(row[0] as String)
        worker = WorkerID(row[1] as String)
        job = row[2]
        cell = row[3]
    }
}

/// Live leases that this process granted; used by the one writer alone.
///
/// It goes with the boards, because a number that was taken back is given to another lease.
final class LeasesAtHand: Sendable {
    /// More test cases of live leases are looked up in the tables; these take 10 MB.
    private static let testCasesMax = 100_000

    private struct State {
        var leases: [Int64: GrantedLease] = [:]
        var testCases = 0
    }
    private let state = Mutex(State())

    func forget() { state.withLock { $0 = State() } }

    subscript(epoch: Int64) -> GrantedLease? { state.withLock { $0.leases[epoch] } }

    func add(_ lease: GrantedLease, _ epoch: Int64) {
        let count = lease.testCases?.count ?? 0
        state.withLock { state in
            guard state.testCases + count <= Self.testCasesMax else { return }
            state.leases[epoch] = lease
            state.testCases += count
        }
    }

    func remove(_ epoch: Int64) {
        state.withLock { state in
            let gone = state.leases.removeValue(forKey: epoch)
            state.testCases -= gone?.testCases?.count ?? 0
        }
    }
}
