// The audit of a ledger: derives again all that must be true of its rows, and lists the defects.
// Reads only, in one transaction, so a coordinator may work meanwhile.
import FarmCore
import Foundation
import GRDB

/// An invariant of the ledger that its rows break.
package struct BrokenInvariant: Hashable, Sendable, Codable, CustomStringConvertible {
    /// A stable, kebab-case name of the invariant.
    package var code: String
    /// The run's id, or empty if the invariant is not about one run.
    package var run: String
    /// The fact that breaks the invariant, as a sentence with ids.
    package var message: String
    package var remedy: String

    package init(code: String, run: String, message: String, remedy: String) {
        self.code = code
        self.run = run
        self.message = message
        self.remedy = remedy
    }

    package var description: String {
        "\(code): \(run.isEmpty ? "" : "run \(run): ")\(message) \(remedy)"
    }
}

/// A blob that a record of the ledger names.
package struct NamedBlob: Hashable, Sendable {
    package var digest: Digest
    /// The size of the blob in bytes, or `nil` if the record has none.
    package var bytes: Int?
    package var run: String
    /// The record that names the blob, for people.
    package var place: String
}

/// The result of an audit.
package struct LedgerAudit: Sendable {
    /// The defects that were found, in order; at most `FarmLimits.brokenInvariantsMax`.
    package private(set) var broken: [BrokenInvariant] = []
    /// The number of all defects, also of those beyond the limit of `broken`.
    package private(set) var brokenCount = 0
    package private(set) var runs = 0
    package private(set) var testCases = 0
    package private(set) var attempts = 0
    package private(set) var leases = 0
    package private(set) var decisions = 0
    /// The blobs that the ledger's records name, each once.
    package private(set) var blobs: [NamedBlob] = []
    private var digests: Set<Digest> = []
    /// Whether the file can be read.
    ///
    /// If so, a defect in a run's rows concerns that run alone.
    private(set) var isReadable = true

    package var isClean: Bool { brokenCount == 0 }

    init() {}

    /// Audits the ledger of a connection, within the transaction that the caller has begun.
    init(_ db: Database) throws {
        let checks: [(inout LedgerAudit, Database) throws -> Void] = [
            { try $0.checkFile($1) }, { try $0.checkCases($1) }, { try $0.checkLeases($1) },
            { try $0.checkIsolated($1) }, { try $0.checkEpochs($1) }, { try $0.checkRuns($1) },
            { try $0.checkDecisions($1) },
        ]
        for check in checks {
            do {
                try check(&self, db)
            } catch let error as DatabaseError where error.isDamage {
                addUnreadableFile(
                    "ledger-unreadable",
                    "SQLite says: \(error.message ?? "damaged")."
                )
            }
        }
    }

    /// Audits a ledger's file, while another process may write it.
    ///
    /// - Throws: `LedgerAuditError` if there is no file or its schema is older, `LedgerError` if it
    ///   cannot be read or another program wrote it.
    package static func ofFile(at path: String) throws -> LedgerAudit {
        guard FileManager.default.fileExists(atPath: path) else {
            throw LedgerAuditError.none(path)
        }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            return try database.read { db in
                try LedgerSchema.current.check(db, path)
                guard try LedgerSchema.current.isReached(db) else {
                    throw LedgerAuditError.older(path)
                }
                return try LedgerAudit(db)
            }
        } catch let error as DatabaseError where error.isDamage {
            var audit = LedgerAudit()
            audit.add("ledger-unreadable", "\(path): SQLite says: \(error.message ?? "damaged").")
            return audit
        } catch let error as DatabaseError {
            throw SQLiteLedger.explained(error, path)
        }
    }

    // MARK: findings

    mutating func add(
        _ code: String,
        run: String = "",
        _ message: String,
        remedy: String = LedgerAudit.keep
    ) {
        brokenCount += 1
        guard broken.count < FarmLimits.brokenInvariantsMax else { return }
        broken.append(BrokenInvariant(code: code, run: run, message: message, remedy: remedy))
    }

    mutating func addUnreadableFile(_ code: String, _ message: String) {
        isReadable = false
        add(code, message)
    }

    static let keep = "Keep the data folder, report it, and go on in another with --data."

    mutating func name(_ digest: Digest, bytes: Int? = nil, run: String, _ place: String) {
        guard digests.insert(digest).inserted else { return }
        blobs.append(NamedBlob(digest: digest, bytes: bytes, run: run, place: place))
    }

    mutating func count(
        runs: Int = 0,
        testCases: Int = 0,
        attempts: Int = 0,
        leases: Int = 0,
        decisions: Int = 0
    ) {
        self.runs += runs
        self.testCases += testCases
        self.attempts += attempts
        self.leases += leases
        self.decisions += decisions
    }
}

extension SQLiteLedger {
    /// Audits this open ledger.
    package func audit() async throws -> LedgerAudit {
        try await read { try LedgerAudit($0) }
    }
}

extension DatabaseError {
    /// Whether the error means that the database file is damaged, and not a fault of its disk or
    /// its use.
    var isDamage: Bool {
        resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB
    }
}

/// An error that prevents an audit.
package enum LedgerAuditError: ExplainedError {
    case none(String)
    case older(String)

    package var code: String {
        switch self {
        case .none: "no-ledger"
        case .older: "ledger-older"
        }
    }
    package var message: String {
        switch self {
        case .none(let path): "there is no ledger \(path)."
        case .older(let path): "the ledger \(path) was written by an older program."
        }
    }
    package var remedy: String {
        switch self {
        case .none: "Name the data folder of a run with --data."
        case .older: "Start a run in its data folder once; it brings the ledger up to date."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .none: .invalidInput
        case .older: .configuration
        }
    }
}
