// In which order open runs are served, and whether any test case that waits is choosy: asked by each
// claim, and nearly always answered as before.
import FarmCore
import GRDB
import Synchronization

/// What claims ask of open runs beside their boards; used by the one writer alone.
///
/// It goes with the boards. What it denies it was told by the tables, and it denies nothing any more
/// when a test case waits again: only then may one be choosy that was not.
final class RunsAtHand: Sendable {
    /// What decides whose turn it is, but for the live leases.
    struct OpenRun {
        let id: RunID
        let priority: Int
        let started: Milliseconds
    }

    private struct State {
        /// Nil: not known.
        var open: [OpenRun]?
        /// Runs of which nothing that waits is choosy.
        var plain: Set<RunID> = []
        /// Nothing needs a quiet host.
        var noneQuiet = false
        /// No live lease is a backup or was trimmed.
        var noneStraggles = false
        /// Test cases that were said to straggle.
        var stragglers: Set<Int64> = []
    }
    /// Of more, some are said to straggle twice.
    private static let stragglersMax = 10_000
    private let state = Mutex(State())

    func forget() {
        state.withLock { $0 = State(stragglers: $0.stragglers) }
    }

    // MARK: whose turn it is

    var open: [OpenRun]? { state.withLock { $0.open } }

    func set(_ open: [OpenRun]) { state.withLock { $0.open = open } }

    // MARK: test cases that not every worker may take

    /// A test case waits again that avoids a worker, runs alone or needs a quiet host.
    func someMayBeChoosy() {
        state.withLock { state in
            state.plain = []
            state.noneQuiet = false
        }
    }

    /// Whether test cases of a run wait that not every worker may take, or only alone.
    ///
    /// `look` says so after a look at the tables; where nothing was, it is not called again.
    @discardableResult
    func isChoosy(_ run: RunID, _ look: () throws -> Bool) rethrows -> Bool {
        try ask(look, isDenied: { $0.plain.contains(run) }, deny: { _ = $0.plain.insert(run) })
    }

    /// Whether a test case that needs a quiet host runs or waits.
    func someQuiet(_ look: () throws -> Bool) rethrows -> Bool {
        try ask(look, isDenied: { $0.noneQuiet }, deny: { $0.noneQuiet = true })
    }

    // MARK: stragglers

    func someStraggles() { state.withLock { $0.noneStraggles = false } }

    /// Whether a live lease is a backup or was trimmed.
    func someStraggles(_ look: () throws -> Bool) rethrows -> Bool {
        try ask(look, isDenied: { $0.noneStraggles }, deny: { $0.noneStraggles = true })
    }

    /// Notes that a test case straggles; false where that was known.
    func straggles(_ testCase: Int64) -> Bool {
        state.withLock { state in
            if state.stragglers.count >= Self.stragglersMax { state.stragglers = [] }
            return state.stragglers.insert(testCase).inserted
        }
    }

    private func ask(
        _ look: () throws -> Bool,
        isDenied: (State) -> Bool,
        deny: (inout State) -> Void
    ) rethrows -> Bool {
        let denied = state.withLock { isDenied($0) }
        #if !DEBUG
        if denied { return false }
        #endif
        let told = try look()
        precondition(!(denied && told), "what was denied is so, and nobody said that it came")
        if !told { state.withLock { deny(&$0) } }
        return told
    }
}

extension SQLiteLedger {
    /// Open runs in the order in which they are served: the more important first; among equals the
    /// one that fewest leases work for, so that a short run does not wait for a long one's end.
    func runsByTurn(_ db: Database) throws -> [RunID] {
        if let open = boards.order.open, let leases = boards.leases(of: open.map(\.id)) {
            let turns = Self.turns(open, leases)
            #if DEBUG
            let told = try readTurns(db).map(\.id)
            precondition(turns == told, "\(turns) are not the turns that the tables say: \(told)")
            #endif
            return turns
        }
        let told = try readTurns(db)
        boards.order.set(told)
        return told.map(\.id)
    }

    private static func turns(_ open: [RunsAtHand.OpenRun], _ leases: [Int]) -> [RunID] {
        if open.count < 2 { return open.map(\.id) }
        return zip(open, leases).sorted { left, right in
            (-left.0.priority, left.1, left.0.started, left.0.id)
                < (-right.0.priority, right.1, right.0.started, right.0.id)
        }.map(\.0.id)
    }

    private func readTurns(_ db: Database) throws -> [RunsAtHand.OpenRun] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, priority, started FROM run
                    WHERE state = 'running' AND stopped IS NULL
                    ORDER BY priority DESC, (
                      SELECT count(*) FROM lease WHERE lease.run = run.id AND lease.state = 'live'
                    ), started, id
                    """
            )
        ).map {
            RunsAtHand.OpenRun(id: RunID($0[0] as String), priority: $0[1], started: $0[2])
        }
    }
}
