// Turns of runs: a claim reads the open runs, and the order of turns is kept in memory.
import FarmCore
import GRDB
import Synchronization

/// The order of turns of one ledger's claims, and the teams that it serves.
final class TurnBook: Sendable {
    private struct State {
        var order: any TurnOrder
        var teams: @Sendable () -> Teams
    }
    private let state: Mutex<State>

    init(_ order: any TurnOrder) { state = Mutex(State(order: order, teams: { Teams() })) }

    var teams: Teams { state.withLock { $0.teams }() }

    func follow(_ teams: @escaping @Sendable () -> Teams) { state.withLock { $0.teams = teams } }

    func order(_ open: [TurnRun], now: Milliseconds) -> TurnList {
        let teams = teams
        return state.withLock { $0.order.order(open, of: teams, now: now) }
    }

    /// Notes that a run got a lease.
    ///
    /// If its transaction then fails, the run has had a turn without a lease, which harms nothing.
    func served(_ run: RunID) { state.withLock { $0.order.served(run) } }
}

extension SQLiteLedger {
    /// The teams that share the workers.
    package var teams: Teams { turns.teams }

    /// Shares the workers by the teams that `teams` returns at each claim.
    package func share(by teams: @escaping @Sendable () -> Teams) { turns.follow(teams) }

    /// Returns the open runs that wait for a worker, in their order.
    func runsByTurn(now: Milliseconds, _ db: Database) throws -> TurnList {
        turns.order(try turnRuns(db), now: now)
    }

    /// Returns all open runs, oldest first.
    ///
    /// A pipeline's name comes from an index, because in the row it lies behind the plan. A stopped
    /// run gets no lease; its live leases count for its team.
    func turnRuns(_ db: Database) throws -> [TurnRun] {
        let select = try db.cachedStatement(
            sql: """
                SELECT r.id, n.pipeline, r.priority, r.started,
                  (SELECT count(*) FROM lease INDEXED BY lease_of_run
                    WHERE run = r.id AND state = 'live'),
                  r.stopped IS NULL AND EXISTS (
                    SELECT 1 FROM test_case INDEXED BY test_case_waiting
                    WHERE run = r.id AND state = 0)
                FROM run r INDEXED BY run_open
                CROSS JOIN run n INDEXED BY run_newest ON n.started = r.started AND n.id = r.id
                WHERE r.state = 'running'
                ORDER BY r.started, r.id
                """
        )
        return try Row.fetchAll(select).map { row in
            TurnRun(
                run: RunID(row[0] as String),
                pipeline: row[1],
                priority: row[2],
                started: row[3],
                leases: row[4],
                waits: row[5]
            )
        }
    }
}
