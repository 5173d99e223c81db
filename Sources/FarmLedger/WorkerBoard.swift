// The workers that live, at hand: each claim counts those beside its own, and reading a hundred rows
// costs more than the lease it grants (docs/adr/0020-worker-board.md).
//
// Invariants
//   - Within the transaction that asks, it says of every worker that lives what the table says.
//   - What it holds came out of the table: whatever changes a row returns the new one.
//   - It goes when the boards of runs go: after a change that was taken back, and when anybody else
//     wrote.
import FarmCore
import GRDB
import Synchronization

/// What claims and reports are decided by of the workers that live.
struct WorkerBoard: Equatable {
    /// One row of `worker`.
    struct Entry: Equatable {
        var trust: WorkerTrust
        var seen: Milliseconds
        var isLost: Bool
        /// It waits until nothing runs on its host.
        var awaitsQuiet: Bool
        /// The digest of what it offers.
        var offer: String?

        func lives(since: Milliseconds) -> Bool { seen >= since && !isLost }
    }

    private(set) var entries: [WorkerID: Entry] = [:]

    mutating func set(_ entry: Entry, of worker: WorkerID) { entries[worker] = entry }

    /// Those that live; of others the table may say more.
    func living(since: Milliseconds) -> WorkerBoard {
        WorkerBoard(entries: entries.filter { $0.value.lives(since: since) })
    }

    /// The workers beside one by what they offer; only offers that somebody makes.
    func peersByOffer(
        of worker: WorkerID?,
        planned: Int,
        now: Milliseconds
    ) -> [String?: WorkerPeers] {
        var peers: [String?: WorkerPeers] = [:]
        count(beside: worker, planned: planned, now: now) { offer, one in
            peers[offer, default: .none] = peers[offer, default: .none] + one
        }
        return peers
    }

    /// All workers beside one.
    func peers(of worker: WorkerID?, planned: Int, now: Milliseconds) -> WorkerPeers {
        var peers = WorkerPeers.none
        count(beside: worker, planned: planned, now: now) { peers = peers + $1 }
        return peers
    }

    private func count(
        beside worker: WorkerID?,
        planned: Int,
        now: Milliseconds,
        _ add: (String?, WorkerPeers) -> Void
    ) {
        let since = SQLiteLedger.liveSince(now)
        for (other, entry) in entries
        where entry.lives(since: since) && entry.trust.unfit == nil && other != worker {
            let isSound = entry.trust.aside == nil
            let isAble = isSound && !entry.trust.isHeld(planned: planned, now: now)
            let one = WorkerPeers(
                able: isAble ? 1 : 0,
                sound: isSound ? 1 : 0,
                aside: isSound ? 0 : 1
            )
            add(entry.offer, one)
        }
    }
}

extension WorkerBoard {
    /// Columns and no terms: SQLite 3.40 says of `lost IS NOT NULL` in `RETURNING` that it is true.
    static let columns = """
        id, seen, lost, quiet_at, offer, proven, doubted, doubted_at, confirmed, refuted, blame,
          aside, unfit
        """

    /// What the table says of those that live.
    static func read(since: Milliseconds, _ db: Database) throws -> WorkerBoard {
        var board = WorkerBoard()
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: "SELECT \(columns) FROM worker WHERE seen >= ? AND lost IS NULL"
            ),
            arguments: [since]
        )
        while let row = try rows.next() { board.set(try Entry(row), of: Entry.worker(row)) }
        return board
    }
}

extension WorkerBoard.Entry {
    /// A row of ``WorkerBoard/columns``.
    init(_ row: Row) throws {
        seen = row[1]
        isLost = row[2] as Int64? != nil
        awaitsQuiet = row[3] as Int64? != nil
        offer = row[4]
        trust = try SQLiteLedger.trust(row, from: 5)
    }

    static func worker(_ row: Row) -> WorkerID { WorkerID(row[0] as String) }
}

/// The board of the one writer.
final class WorkersAtHand: Sendable {
    /// Of more the dead are forgotten.
    private static let workersMax = 10_000

    private struct State {
        /// Nil: not known.
        var board: WorkerBoard?
        /// Who had been silent for longer when it was read is not on it.
        var since: Milliseconds = 0
    }
    private let state = Mutex(State())

    func forget() { state.withLock { $0.board = nil } }

    /// What is known of one worker; nil says nothing.
    subscript(worker: WorkerID) -> WorkerBoard.Entry? {
        state.withLock { $0.board?.entries[worker] }
    }

    func set(_ entry: WorkerBoard.Entry, of worker: WorkerID) {
        state.withLock { state in
            if state.board?.entries.count ?? 0 >= Self.workersMax { state.board = nil }
            state.board?.set(entry, of: worker)
        }
    }

    /// What `ask` finds on the board, which is read where there is none.
    func board<Answer: Sendable>(
        now: Milliseconds,
        _ db: Database,
        _ ask: (WorkerBoard) -> Answer
    ) throws -> Answer {
        let since = SQLiteLedger.liveSince(now)
        // Asked under the lock: a copy would be copied whole by the next change.
        let known = state.withLock { $0.since <= since ? $0.board.map(ask) : nil }
        if let known {
            #if DEBUG
            let told = try WorkerBoard.read(since: since, db)
            let board = state.withLock { $0.board?.living(since: since) }
            precondition(board == told, "the board of workers is not what the table says")
            #endif
            return known
        }
        let board = try WorkerBoard.read(since: since, db)
        defer { state.withLock { $0 = State(board: board, since: since) } }
        return ask(board)
    }
}

extension SQLiteLedger {
    /// Changes rows of `worker` and returns them as they are then; the one way to do so.
    ///
    /// `sql` ends where `RETURNING` may follow.
    @discardableResult
    func changeWorkers(
        _ sql: String,
        _ arguments: StatementArguments,
        _ db: Database
    ) throws -> [WorkerBoard.Entry] {
        let change = try db.cachedStatement(sql: "\(sql) RETURNING \(WorkerBoard.columns)")
        return try Row.fetchAll(change, arguments: arguments).map { row in
            let entry = try WorkerBoard.Entry(row)
            boards.workers.set(entry, of: WorkerBoard.Entry.worker(row))
            return entry
        }
    }
}
