// The decisions of people about pictures, as a list that grows at its end. A picture keeps its
// decisions for as long as it is the same picture against the same reference.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func add(_ decisions: [Decision]) async throws {
        try Self.check(decisions)
        try await write { db in
            for decision in decisions { try Self.insert(decision, db) }
            for pipeline in Set(decisions.map(\.pipeline))
            where try Self.count(of: pipeline, db) > FarmLimits.decisionsMax {
                try Self.drop(of: pipeline, downTo: FarmLimits.decisionsKept, db)
            }
        }
    }

    package func decisions(of pipeline: String, after number: Int64) async throws -> DecisionList {
        try await read { try Self.decisions($0, of: pipeline, after: number) }
    }

    /// Reads the decisions of a ledger's file, which no process may write meanwhile.
    ///
    /// Returns no decisions if the file is not there or has no tables.
    package static func decisions(
        of pipeline: String,
        after number: Int64 = 0,
        inFileAt path: String
    ) throws -> DecisionList {
        let none = DecisionList(decisions: [], newest: number)
        guard FileManager.default.fileExists(atPath: path) else { return none }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            return try database.read { db in
                guard try db.tableExists("decision") else { return none }
                return try decisions(db, of: pipeline, after: number)
            }
        } catch let error as DatabaseError {
            throw explained(error, path)
        }
    }

    // MARK: retention

    /// Returns the number of decisions made at `end` or before.
    package func decisions(until end: Milliseconds) async throws -> Int {
        try await read {
            try Int.fetchOne(
                $0,
                sql: "SELECT count(*) FROM decision WHERE made <= ?",
                arguments: [end]
            ) ?? 0
        }
    }

    package func removeDecisions(until end: Milliseconds) async throws {
        try await write {
            try $0.execute(sql: "DELETE FROM decision WHERE made <= ?", arguments: [end])
        }
    }

    // MARK: rows

    private static func check(_ decisions: [Decision]) throws(LedgerError) {
        let most = FarmLimits.decisionsPerCallMax
        guard decisions.count <= most else {
            throw .badDecision("\(decisions.count) decisions are more than \(most) at once")
        }
        if let fault = decisions.lazy.compactMap(\.fault).first { throw .badDecision(fault) }
    }

    private static func insert(_ decision: Decision, _ db: Database) throws {
        let picture: StatementArguments = [
            decision.pipeline, decision.snapshot.text, decision.capture?.hex ?? "",
            decision.reference?.hex ?? "",
        ]
        let isComment = decision.kind == .commented
        let last = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT kind, who, reason FROM decision
                    WHERE pipeline = ? AND snapshot = ? AND capture = ? AND reference = ?
                      AND (kind = 'commented') = ?
                    ORDER BY number DESC LIMIT 1
                    """
            ),
            arguments: picture + [isComment]
        )
        if let last, last["kind"] == decision.kind.rawValue {
            let isSame = !decision.reason.isEmpty && last["reason"] == decision.reason
            // If two people publish the same set, the first decision counts.
            if isSame, decision.kind == .published { return }
            // A repetition without a reason keeps the reason given before.
            if last["who"] == decision.who, decision.reason.isEmpty || isSame { return }
        }
        try db.executeKept(
            sql: """
                INSERT INTO decision
                  (pipeline, snapshot, capture, reference, kind, reason, who, made, run)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: picture + [
                decision.kind.rawValue, decision.reason, decision.who, decision.when, decision.run,
            ]
        )
    }

    private static func count(of pipeline: String, _ db: Database) throws -> Int {
        try Int.fetchOne(
            db,
            sql: "SELECT count(*) FROM decision WHERE pipeline = ?",
            arguments: [pipeline]
        ) ?? 0
    }

    /// Deletes decisions of a pipeline until `kept` are left: first comments and replaced
    /// decisions, then the oldest ones.
    ///
    /// A publication does not replace the decision that its picture becomes an alternate.
    static func drop(of pipeline: String, downTo kept: Int, _ db: Database) throws {
        let surplus = try count(of: pipeline, db) - kept
        guard surplus > 0 else { return }
        try db.execute(
            sql: """
                DELETE FROM decision WHERE number IN (
                  SELECT number FROM decision d WHERE pipeline = ?
                  ORDER BY kind <> 'commented' AND NOT EXISTS (
                    SELECT 1 FROM decision later
                    WHERE later.pipeline = d.pipeline AND later.snapshot = d.snapshot
                      AND later.capture = d.capture AND later.reference = d.reference
                      AND later.number > d.number
                      AND (later.kind IN ('accepted', 'alternate', 'rejected')
                        OR later.kind = 'published' AND d.kind <> 'alternate')),
                    number
                  LIMIT ?)
                """,
            arguments: [pipeline, surplus]
        )
    }

    private static func decisions(
        _ db: Database,
        of pipeline: String,
        after number: Int64
    ) throws -> DecisionList {
        var list = DecisionList(decisions: [], newest: number)
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT * FROM decision WHERE pipeline = ? AND number > ? ORDER BY number",
            arguments: [pipeline, number]
        )
        while let row = try rows.next() {
            list.newest = row["number"]
            guard let decision = Decision(row) else {
                throw LedgerError.damaged("the decision \(list.newest)")
            }
            list.decisions.append(decision)
        }
        return list
    }
}

extension Decision {
    /// Reads a decision from its row, or returns `nil` if the row has values that no ledger writes.
    init?(_ row: Row) {
        let capture: String = row["capture"]
        let reference: String = row["reference"]
        guard let kind = Kind(rawValue: row["kind"]),
            let snapshot = SnapshotID(exactly: row["snapshot"] as String),
            capture.isEmpty || Digest(capture) != nil,
            reference.isEmpty || ObjectID(reference) != nil
        else { return nil }
        self.init(
            kind: kind,
            pipeline: row["pipeline"],
            snapshot: snapshot,
            capture: Digest(capture),
            reference: ObjectID(reference),
            reason: row["reason"],
            who: row["who"],
            when: row["made"],
            run: row["run"]
        )
        if fault != nil { return nil }
    }
}
