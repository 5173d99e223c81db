// The machine of the simulated coordinator: its disk survives a crash, its memory does not.
import FarmArtifacts
import FarmCore
import FarmLedger
import FarmServer
import Foundation
import GRDB
import Logging
import Synchronization

/// A database that is emptied for each seed; creating one would take longer than most runs.
///
/// A pool, as in production: a read on the writing connection would make SQLite prepare all its
/// statements again.
package final class LedgerTable: Sendable {
    let database: DatabasePool
    /// The other coordinator's copy, if the two are joined by a journal.
    let other: DatabasePool
    let folder: String
    let blobs: BlobStore

    /// Makes `folder`.
    ///
    /// Its blob store stays empty: a coordinator needs one.
    package init(folder: String) throws {
        blobs = try BlobStore(folder: folder)
        self.folder = folder
        database = try Self.pool(folder + "/ledger.sqlite")
        other = try Self.pool(folder + "/other.sqlite")
    }

    private static func pool(_ path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        // An earlier campaign may still be closing its table in the same folder.
        configuration.busyMode = .timeout(10)
        let database = try DatabasePool(path: path, configuration: configuration)
        // Simulated crashes end processes, never the machine.
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        _ = try SQLiteLedger(over: database, path: path)
        return database
    }

    func empty() throws {
        try Self.empty(database)
        try Self.empty(other)
    }

    private static func empty(_ database: DatabasePool) throws {
        try database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            let tables = try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_master WHERE type = 'table'
                      AND name NOT IN ('grdb_migrations') AND name NOT LIKE 'sqlite_%'
                    """
            )
            try db.inTransaction {
                for table in tables { try db.execute(sql: "DELETE FROM \"\(table)\"") }
                try db.execute(sql: "DELETE FROM sqlite_sequence")
                try db.execute(
                    sql: "INSERT INTO journal_position VALUES (1, 0, x'', 0, 0)"
                )
                return .commit
            }
            try db.execute(sql: "PRAGMA foreign_keys = ON")
        }
    }
}

/// A clock that only the simulation moves.
private final class SimulatedClock: Sendable {
    private let milliseconds: Mutex<Int64>

    init(_ now: Int64) { milliseconds = Mutex(now) }

    var now: Int64 {
        get { milliseconds.withLock { $0 } }
        set { milliseconds.withLock { $0 = newValue } }
    }
}

/// One coordinator after another over the same ledger.
struct CoordinatorHost {
    private let table: LedgerTable
    private let bug: PlantedBug?
    private let workersMin: Int
    private let clock: SimulatedClock
    private(set) var ledger: SQLiteLedger
    /// The pool, or `nil` if there is only the file.
    private var pool: SimulatedPool?
    private var witnessed: WitnessedLedger
    /// The coordinator, or `nil` while it is down.
    private(set) var coordinator: Coordinator?

    /// Makes a host.
    ///
    /// With a `journalSeed`, coordinators alternate between two copies.
    init(
        table: LedgerTable,
        bug: PlantedBug?,
        workersMin: Int,
        journalSeed: UInt64?,
        now: Int64
    ) throws {
        try table.empty()
        self.table = table
        self.bug = bug
        self.workersMin = workersMin
        clock = SimulatedClock(now)
        pool = journalSeed.map { SimulatedPool(table, workersMin, seed: $0) }
        ledger = try pool?.lead() ?? Self.ledger(table, workersMin)
        witnessed = Self.witnessed(ledger, table, bug, Witness())
        coordinator = makeCoordinator()
    }

    var now: Int64 {
        get { clock.now }
        nonmutating set { clock.now = newValue }
    }
    var witness: Witness { witnessed.witness }
    var calls: Int { witnessed.calls }

    func hasBug(_ bug: PlantedBug) -> Bool { self.bug == bug }
    func die(atBorder border: Int) { witnessed.die(atBorder: border) }
    var hasDied: Bool { witnessed.hasDied }
    func note(_ blob: Digest) { witnessed.noteBlob(blob) }
    func audit() async throws -> LedgerAudit { try await ledger.audit() }

    /// Checks that both copies hold the same ledger.
    ///
    /// - Throws: `BrokenPromise`.
    func checkCopies() throws { try pool?.checkCopies() }

    mutating func stop() { coordinator = nil }

    /// Starts a new process over the ledger as it is.
    mutating func start() throws {
        ledger = try pool?.lead() ?? Self.ledger(table, workersMin)
        witnessed = Self.witnessed(ledger, table, bug, witness, calls: calls)
        coordinator = makeCoordinator()
    }

    private static func ledger(_ table: LedgerTable, _ workersMin: Int) throws -> SQLiteLedger {
        try SQLiteLedger(
            over: table.database,
            path: table.database.path,
            workersMin: workersMin
        )
    }

    private static func witnessed(
        _ ledger: SQLiteLedger,
        _ table: LedgerTable,
        _ bug: PlantedBug?,
        _ witness: Witness,
        calls: Int = 0
    ) -> WitnessedLedger {
        let inner: any Ledger =
            bug.map { FaultyLedger(ledger, over: table.database, bug: $0) } ?? ledger
        return WitnessedLedger(inner, witness: witness, calls: calls)
    }

    private func makeCoordinator() -> Coordinator {
        let (clock, witnessed) = (clock, witnessed)
        // With this bug, reports arrive before their blobs, so the coordinator must accept them.
        let trusts = hasBug(.verdictBeforeBlob)
        return Coordinator(
            ledger: witnessed,
            stores: { _ in nil },
            blobs: table.blobs,
            isStored: { trusts || witnessed.hasBlob($0) },
            driverMistakes: { _ in [] },
            logger: Logger(label: "simulated") { _ in SwiftLogNoOpLogHandler() },
            reencode: { _ in nil },
            clock: { clock.now }
        )
    }
}
