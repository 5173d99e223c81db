// The histories of tests that may be flaky, over the last runs of a pipeline. Most tests only pass:
// a first query finds the others, and attempts are read for those alone.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func flaky(_ question: FlakyQuestion) async throws -> FlakyTests {
        try await read { try Self.flaky($0, question) }
    }

    /// Returns the flaky tests of a ledger's file.
    ///
    /// Reads only and takes no lock, so another process may own the file.
    ///
    /// - Throws: ``LedgerError/storage(path:reason:full:)``, also for a ledger of another version.
    package static func flaky(
        inFileAt path: String,
        _ question: FlakyQuestion
    ) throws -> FlakyTests {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            return try database.read { try flaky($0, question) }
        } catch let error as DatabaseError {
            throw explained(error, path)
        }
    }

    static func flaky(_ db: Database, _ question: FlakyQuestion) throws -> FlakyTests {
        var reader = FlakyReader(db: db)
        let runs = try reader.runs(question)
        let suspects = try reader.suspects(in: runs)
        return FlakyTests(
            runs: runs.count,
            histories: try reader.histories(of: suspects, in: runs)
        )
    }
}

/// The choice of runs that are searched for flaky tests.
package struct FlakyQuestion: Sendable, Hashable {
    /// The most runs that are searched, and the most runs that are listed to find those with
    /// verdicts.
    package static let runsMax = 200

    /// The pipeline whose runs are searched, or `nil` for all pipelines.
    package var pipeline: String?
    package var runs: Int
    /// The pipelines whose runs the caller may see.
    package var reach: PipelineReach

    package init(pipeline: String?, runs: Int, reach: PipelineReach = .everything) {
        self.pipeline = pipeline
        self.runs = min(max(1, runs), Self.runsMax)
        self.reach = reach
    }
}

private struct FlakyReader {
    /// The most test cases whose history is read.
    ///
    /// In a broken app thousands fail, and none is flaky.
    private static let suspectsMax = 500
    /// The most test cases whose bad verdicts are counted.
    private static let badMax = 20_000

    struct Run {
        let row: RunRow
        let places: PlanPlaces
    }

    /// The names of a plan's jobs and cells by their positions in the ledger's rows.
    final class PlanPlaces {
        let jobs: [(name: JobName, cells: [CellID])]
        private let byName: [JobName: Int]

        init(_ plan: Plan) {
            jobs = plan.jobs.map { ($0.job.name, $0.job.cells.map(\.id)) }
            byName = Dictionary(jobs.enumerated().map { ($1.name, $0) }) { first, _ in first }
        }

        func key(job: Int, cell: Int, test: String) -> TestKey? {
            guard jobs.indices.contains(job), jobs[job].cells.indices.contains(cell) else {
                return nil
            }
            return TestKey(
                job: jobs[job].name,
                cell: jobs[job].cells[cell],
                test: TestID(test)
            )
        }

        func place(of key: TestKey) -> (job: Int, cell: Int)? {
            guard let job = byName[key.job],
                let cell = jobs[job].cells.firstIndex(of: key.cell)
            else { return nil }
            return (job, cell)
        }
    }

    let db: Database
    /// The names of each plan's jobs and cells, by the plan's digest; runs of the same plan share
    /// them.
    private var places: [String: PlanPlaces] = [:]

    init(db: Database) { self.db = db }

    /// Returns verify runs that passed or failed, newest first; leaves out damaged ones.
    mutating func runs(_ question: FlakyQuestion) throws -> [Run] {
        let query = RunQuery(
            limit: FlakyQuestion.runsMax,
            pipeline: question.pipeline,
            reach: question.reach
        )
        let rows = try SQLiteLedger.runs(db, query).filter { row in
            [.passed, .failed].contains(row.state) && row.facts.mode == .verify
        }
        return try rows.prefix(question.runs).compactMap { row in
            // A damaged run is left out, so that the others can be listed.
            try places(of: row.id).map { Run(row: row, places: $0) }
        }
    }

    private mutating func places(of run: RunID) throws -> PlanPlaces? {
        let digest = try String.fetchOne(
            db,
            sql: "SELECT plan_digest FROM run WHERE id = ?",
            arguments: [run.text]
        )
        guard let digest else { return nil }
        if let known = places[digest] { return known }
        let bytes = try Data.fetchOne(
            db,
            sql: "SELECT plan FROM run WHERE id = ?",
            arguments: [run.text]
        )
        guard let bytes, let plan = try? SQLiteLedger.soundPlan(bytes) else { return nil }
        let made = PlanPlaces(plan)
        places[digest] = made
        return made
    }

    /// Returns the test cases that may be flaky: first those that were flaky, or bad in one of
    /// several runs of a commit, then those that were bad in several runs; newest first.
    func suspects(in runs: [Run]) throws -> [TestKey] {
        var runsOf: [String: Int] = [:]
        for run in runs { runsOf[run.row.facts.commit, default: 0] += 1 }
        var doubted: Set<TestKey> = []
        var first: [TestKey] = []
        var bad: [TestKey: Int] = [:]
        var second: [TestKey] = []
        for run in runs {
            let commit = run.row.facts.commit
            let isRepeated = !commit.isEmpty && runsOf[commit] ?? 0 > 1
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT job, cell, test, verdict FROM test_case NOT INDEXED
                        WHERE run = ? AND id BETWEEN
                          (SELECT min(id) FROM test_case WHERE run = ?)
                          AND (SELECT max(id) FROM test_case WHERE run = ?)
                          AND verdict IS NOT NULL AND verdict <> 'passed'
                        """
                ),
                arguments: [run.row.id.text, run.row.id.text, run.row.id.text]
            )
            while let row = try rows.next(), first.count < Self.suspectsMax {
                guard let verdict = Verdict(rawValue: row[3]),
                    verdict == .flaky || FlakyTest.isBad(verdict),
                    let key = run.places.key(job: row[0], cell: row[1], test: row[2])
                else { continue }
                if verdict == .flaky || isRepeated {
                    if doubted.insert(key).inserted { first.append(key) }
                } else if bad[key] != nil || bad.count < Self.badMax {
                    bad[key, default: 0] += 1
                    if bad[key] == 2 { second.append(key) }
                }
            }
        }
        return Array((first + second.filter { !doubted.contains($0) }).prefix(Self.suspectsMax))
    }

    /// Returns the code of a fault of the farm for each day on which a run had one.
    private func faults(in runs: [Run]) throws -> [String: String] {
        let days = Dictionary(
            runs.map { ($0.row.id.text, String(ISO8601.text($0.row.started).prefix(10))) }
        ) { first, _ in first }
        let codes = Problem.farmFaults.sorted()
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT run, code FROM incident
                WHERE run IN (SELECT value FROM json_each(?))
                  AND code IN (SELECT value FROM json_each(?)) ORDER BY run, code
                """,
            arguments: [try Self.json(days.keys.sorted()), try Self.json(codes)]
        )
        return Dictionary(
            rows.compactMap { row in days[row[0]].map { ($0, row[1] as String) } }
        ) { first, _ in first }
    }

    private static func json(_ value: some Encodable) throws -> String {
        String(decoding: try SQLiteLedger.encode(value), as: UTF8.self)
    }

    /// Returns the results of each test case in the `runs`; reads one run at a time.
    func histories(of keys: [TestKey], in runs: [Run]) throws -> [TestVerdicts] {
        var results = [[TestVerdicts.Result]](repeating: [], count: keys.count)
        let faults = keys.isEmpty ? [:] : try faults(in: runs)
        for run in runs { try read(keys, in: run, faults, into: &results) }
        return zip(keys, results).map {
            TestVerdicts(job: $0.job, cell: $0.cell, test: $0.test, results: $1)
        }
    }

    /// A test case as the query's parameter, in JSON.
    private struct Wanted: Encodable {
        /// The index of the test case in the list of keys.
        let key: Int
        let job: Int
        let cell: Int
        let test: String
    }

    private func read(
        _ keys: [TestKey],
        in run: Run,
        _ faults: [String: String],
        into results: inout [[TestVerdicts.Result]]
    ) throws {
        let wanted = keys.enumerated().compactMap { index, key in
            run.places.place(of: key).map {
                Wanted(key: index, job: $0.job, cell: $0.cell, test: key.test.text)
            }
        }
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT json_extract(w.value, '$.key'), t.id, t.verdict,
                      a.worker, h.host, \(AttemptColumns.names)
                    FROM json_each(?) w
                    CROSS JOIN test_case t ON t.run = ?
                      AND t.job = json_extract(w.value, '$.job')
                      AND t.cell = json_extract(w.value, '$.cell')
                      AND t.test = json_extract(w.value, '$.test')
                    LEFT JOIN attempt a ON a.test_case = t.id
                    LEFT JOIN worker h ON h.id = a.worker
                    WHERE t.verdict IS NOT NULL ORDER BY w.key, a.epoch
                    """
            ),
            arguments: [try Self.json(wanted), run.row.id.text]
        )
        let started = ISO8601.text(run.row.started)
        var last: Int64?
        while let row = try rows.next() {
            guard let verdict = Verdict(rawValue: row[2]) else { continue }
            let (key, id): (Int, Int64) = (row[0], row[1])
            if last != id {
                last = id
                results[key].append(
                    TestVerdicts.Result(
                        run: run.row.id,
                        commit: run.row.facts.commit,
                        branch: run.row.facts.branch,
                        started: started,
                        verdict: verdict,
                        attempts: [],
                        fault: faults[String(started.prefix(10))]
                    )
                )
            }
            guard let worker = row[3] as String? else { continue }
            let attempt = Attempt(
                worker: WorkerID(worker),
                outcome: try AttemptColumns.outcome(of: keys[key].test, row, 5)
            )
            let result = results[key].count - 1
            results[key][result].attempts.append(AttemptNote(attempt, host: row[4]))
        }
    }
}
