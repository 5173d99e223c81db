// What `snapfarm plan` shows.
import FarmCore
import Foundation

/// Matrix, test cases, and how the work would be cut.
struct PlanForecast {
    private let plan: Plan
    private let workers: Int
    private let shards: [[Int]]

    init(_ plan: Plan, workers: Int) {
        self.plan = plan
        self.workers = workers
        shards = ShardSize.forecast(plan, workers: workers)
    }

    func text() -> String {
        var lines: [String] = []
        var row = 0
        for planned in plan.jobs {
            let job = planned.job
            lines.append(
                "\(job.name)  \(job.kind.rawValue), \(job.driver.name), "
                    + "\(planned.tests.count) test cases × \(job.cells.count) cells"
            )
            for cell in job.cells {
                let sizes = shards[row].map(String.init).joined(separator: " + ")
                let pixels = cell.pixels.map { "  \($0)" } ?? ""
                lines.append("  \(cell.id)\(pixels)  shards of \(sizes)")
                row += 1
            }
            for test in planned.tests.prefix(20) { lines.append("    \(test)") }
            if planned.tests.count > 20 {
                lines.append("    … \(planned.tests.count - 20) more (--json lists all)")
            }
        }
        lines.append(
            "\(plan.testCount) (test case × cell) in about \(shards.joined().count) shards over "
                + "\(workers) workers; shards are cut when a worker asks."
        )
        lines.append("plan \(plan.digest)")
        return lines.joined(separator: "\n") + "\n"
    }

    func json() throws -> String {
        struct Document: Encodable {
            struct ForecastCell: Encodable {
                var cell: Cell
                var shards: [Int]
            }
            struct ForecastJob: Encodable {
                var name: String
                var kind: JobKind
                var driver: String
                var tests: [TestID]
                var cells: [ForecastCell]
            }
            var schemaVersion = 1
            var pipeline: String
            var planDigest: Digest
            var filtered: Bool
            var testCount: Int
            var workers: Int
            var jobs: [ForecastJob]
        }
        var row = 0
        let jobs = plan.jobs.map { planned in
            let cells = planned.job.cells.map { cell in
                defer { row += 1 }
                return Document.ForecastCell(cell: cell, shards: shards[row])
            }
            return Document.ForecastJob(
                name: planned.job.name.text,
                kind: planned.job.kind,
                driver: planned.job.driver.name,
                tests: planned.tests,
                cells: cells
            )
        }
        let document = Document(
            pipeline: plan.pipeline,
            planDigest: plan.digest,
            filtered: plan.filtered,
            testCount: plan.testCount,
            workers: workers,
            jobs: jobs
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }
}
