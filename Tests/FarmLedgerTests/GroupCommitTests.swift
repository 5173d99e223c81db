import FarmCore
import FarmTesting
import Foundation
import GRDB
import Testing

@testable import FarmLedger

/// A ledger whose writer the test blocks, so that changes wait together.
private struct HeldWriter {
    let folder: TemporaryFolder
    let ledger: SQLiteLedger
    private let gate = DispatchSemaphore(value: 0)

    init() throws {
        folder = try TemporaryFolder("group")
        ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
    }

    /// Runs the changes so that all of them wait at once, and returns their results.
    func together(
        _ changes: [@Sendable (Database) throws -> Int]
    ) async -> [Result<Int, any Error>] {
        await withTaskGroup(of: (Int, Result<Int, any Error>).self) { tasks in
            let (ledger, gate) = (ledger, gate)
            let (held, holding) = AsyncStream<Void>.makeStream()
            tasks.addTask {
                _ = try? await ledger.group.write { _ in
                    holding.finish()
                    gate.wait()
                }
                return (-1, .success(0))
            }
            // A change before the writer is blocked would join the blocking commit.
            for await _ in held {}
            for (place, change) in changes.enumerated() {
                tasks.addTask {
                    do {
                        return (place, .success(try await ledger.group.write(change)))
                    } catch {
                        return (place, .failure(error))
                    }
                }
            }
            while ledger.group.waiting < changes.count {
                try? await Task.sleep(for: .milliseconds(1))
            }
            gate.signal()
            var results: [Int: Result<Int, any Error>] = [:]
            for await (place, result) in tasks { results[place] = result }
            return changes.indices.compactMap { results[$0] }
        }
    }

    func workers() async throws -> [String] {
        try await ledger.read { try String.fetchAll($0, sql: "SELECT id FROM worker ORDER BY id") }
    }

    @Sendable static func insert(_ name: String, _ db: Database) throws -> Int {
        try db.execute(sql: "INSERT INTO worker (id, seen) VALUES (?, 0)", arguments: [name])
        return Int(db.lastInsertedRowID)
    }
}

private struct Refused: Error {}

@Suite("Changes that wait for the writer")
struct GroupCommitTests {
    @Test("fifty of them are one commit")
    func one() async throws {
        let held = try HeldWriter()
        let before = held.ledger.group.commits
        let results = await held.together(
            (0..<50).map { number in { try HeldWriter.insert("w\(number)", $0) } }
        )
        #expect(results.count == 50)
        for result in results { _ = try result.get() }
        // The commit that blocked the writer, and one for all the others.
        #expect(held.ledger.group.commits == before + 2)
        #expect(try await held.workers().count == 50)
    }

    @Test("one that fails takes back itself alone, and is told why")
    func failing() async throws {
        let held = try HeldWriter()
        let results = await held.together([
            { try HeldWriter.insert("a", $0) },
            { db in
                _ = try HeldWriter.insert("half", db)
                throw Refused()
            },
            { try HeldWriter.insert("a", $0) },
            { try HeldWriter.insert("b", $0) },
        ])
        #expect(throws: Refused.self) { try results[1].get() }
        #expect(throws: DatabaseError.self) { try results[2].get() }
        _ = try results[3].get()
        #expect(try await held.workers() == ["a", "b"])
    }

    @Test("a transaction that ends under them takes all of them back, and each is told")
    func lost() async throws {
        let held = try HeldWriter()
        let results = await held.together([
            { try HeldWriter.insert("a", $0) },
            { db in
                // SQLite does this by itself when a disk is full.
                try db.execute(sql: "ROLLBACK")
                throw Refused()
            },
            { try HeldWriter.insert("b", $0) },
        ])
        for result in results {
            #expect(throws: (any Error).self) { try result.get() }
        }
        #expect(try await held.workers().isEmpty)
        // The writer still works.
        _ = try await held.ledger.group.write { try HeldWriter.insert("c", $0) }
        #expect(try await held.workers() == ["c"])
    }

    @Test("more than fit into one commit are all kept")
    func many() async throws {
        let held = try HeldWriter()
        let results = await held.together(
            (0..<300).map { number in { try HeldWriter.insert("w\(number)", $0) } }
        )
        for result in results { _ = try result.get() }
        #expect(try await held.workers().count == 300)
    }
}
