// The output of `snapfarm plan`: the matrix, the test cases, the expected shards and, with a
// history, the predicted duration for each number of workers.
import FarmCore
import FarmLedger
import Foundation

/// The forecast of a plan: its shards, cut in the same way as in a run, and its predicted duration.
package struct PlanForecast {
    private let plan: Plan
    /// The numbers of workers, at least one; shards are shown for the first.
    private let workers: [Int]
    private let shards: [[Int]]
    private let predictions: [Prediction]
    /// The number of test cases for which no duration was learned.
    private let unknown: Int
    private let launchers: [LauncherSettings]

    /// The predicted duration with a number of workers.
    private struct Prediction: Encodable {
        var workers: Int
        var seconds: Double
        /// The lower bound of the duration, in seconds: no schedule can be shorter.
        var lowerBoundSeconds: Double
        var leases: Int
    }

    /// Cuts the plan into shards, and predicts its duration if there is a history.
    init(
        _ plan: Plan,
        workers: [Int],
        history: RunHistory?,
        launchers: [LauncherSettings] = []
    ) {
        self.plan = plan
        self.launchers = launchers
        self.workers = workers
        let known = history.flatMap { $0.isEmpty ? nil : $0 }
        let cells = ScheduleSimulation.cells(of: plan, known.map { LearnedCosts($0) })
        shards =
            ScheduleSimulation.simulate(
                cells,
                workers: workers.first ?? 1,
                rule: known == nil ? .guessed : .learned
            ).shards
        guard let history = known else {
            predictions = []
            unknown = plan.testCount
            return
        }
        let costs = LearnedCosts(history)
        predictions = workers.map { count in
            let found = ScheduleSimulation.simulate(cells, workers: count, rule: .learned)
            return Prediction(
                workers: count,
                seconds: Double(found.finish) / 1_000_000,
                lowerBoundSeconds: Double(found.lowerBound) / 1_000_000,
                leases: found.leases
            )
        }
        unknown = plan.jobs.indices.reduce(0) { sum, job in
            plan.jobs[job].job.cells.indices.reduce(sum) { sum, cell in
                let key = CellKey(
                    job: plan.jobs[job].job.name,
                    cell: plan.jobs[job].job.cells[cell].id
                )
                return sum
                    + plan.tests(job: job, cell: cell).count {
                        !costs.knows(TestKey(job: key.job, cell: key.cell, test: $0))
                    }
            }
        }
    }

    // MARK: text

    /// Returns the forecast as lines for a terminal.
    package func text() -> String {
        var lines: [String] = []
        var row = 0
        for (index, planned) in plan.jobs.enumerated() {
            let job = planned.job
            lines.append(
                "\(job.name)  \(job.kind.rawValue), \(job.driver.name), "
                    + "\(planned.tests.count) test cases × \(job.cells.count) cells"
            )
            for (place, cell) in job.cells.enumerated() {
                let pixels = cell.pixels.map { "  \($0)" } ?? ""
                let needs = planned.needs(of: cell)
                lines.append(
                    "  \(cell.id)\(pixels)  \(cut(index, place, row))"
                        + (needs.isEmpty ? "" : ", needs \(needs.words)")
                )
                row += 1
            }
            lines += names(planned)
        }
        if let share = plan.share {
            let way =
                share.history == nil
                ? "as if all tests took equally long (no history)" : "by learned times"
            lines.append("\(share.place.words), cut \(way); all machines together run the plan.")
        }
        lines.append(
            "\(plan.testCount) (test case × cell) in about \(shards.joined().count) shards over "
                + "\(workers.first ?? 1) workers; shards are cut when a worker asks."
        )
        lines += predicted() + costLines() + goneLines()
        lines.append("plan \(plan.digest)")
        return lines.joined(separator: "\n") + "\n"
    }

    private func cut(_ job: Int, _ cell: Int, _ row: Int) -> String {
        let count = plan.testCount(job: job, cell: cell)
        guard count > 0 else { return "nothing here" }
        let sizes = shards[row].map(String.init).joined(separator: " + ")
        return (plan.share == nil ? "" : "\(count) here, ") + "shards of \(sizes)"
    }

    private func names(_ planned: PlannedJob) -> [String] {
        let shown = planned.tests.prefix(20).map { "    \($0)" }
        guard planned.tests.count > 20 else { return shown }
        return shown + ["    … \(planned.tests.count - 20) more (--json lists all)"]
    }

    private func predicted() -> [String] {
        guard !predictions.isEmpty else {
            return ["no history of how long tests take, so nothing is predicted (--history FILE)."]
        }
        let doubt =
            unknown == 0
            ? "" : "; \(unknown) were never timed and are taken for the median of their like"
        let head = "predicted from the history" + doubt + ":"
        return [head]
            + predictions.map {
                "  \($0.workers) workers: \(Self.time($0.seconds)) "
                    + "(no schedule is shorter than \(Self.time($0.lowerBoundSeconds)))"
            }
    }

    private func goneLines() -> [String] {
        let other = plan.lost?.other.map { " of \($0)" } ?? ""
        return (plan.lost?.tests ?? [:]).sorted { $0.key < $1.key }.map { job, tests in
            let shown = tests.prefix(5).map(\.text).joined(separator: ", ")
            return "\(job): \(tests.count) test cases of the last complete run\(other) are gone: "
                + shown
                + (tests.count > 5 ? " and \(tests.count - 5) more" : "")
        }
    }

    /// Returns lines with the cost of launched workers, for launchers with a cost per hour.
    private func costLines() -> [String] {
        let needs = plan.jobs.flatMap { planned in planned.job.cells.map { planned.needs(of: $0) } }
        return launchers.flatMap { launcher -> [String] in
            guard let cost = launcher.costPerHour,
                needs.contains(where: { OfferMatch.fits($0, launcher.offers) })
            else { return [] }
            let each = "launcher \(launcher.name), \(Self.amount(cost)) an hour for each worker"
            guard !predictions.isEmpty else { return ["cost: \(each); no history says how long."] }
            return predictions.map { prediction in
                let count = Swift.min(prediction.workers, launcher.max)
                // A worker is paid for until it has been idle for long enough to leave.
                let seconds = prediction.seconds + launcher.idleSeconds
                let sum = Double(count) * seconds * cost / 3600
                return "cost: about \(Self.amount(sum)) for \(count) workers (\(each))"
            }
        }
    }

    private static func amount(_ value: Double) -> String {
        let cents = Int((value * 100).rounded())
        return "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
    }

    private static func time(_ seconds: Double) -> String {
        seconds < 60
            ? "\((seconds * 10).rounded() / 10) s"
            : "\(Int(seconds.rounded()) / 60) min \(Int(seconds.rounded()) % 60) s"
    }

    // MARK: JSON

    private struct Document: Encodable {
        struct ForecastCell: Encodable {
            var cell: Cell
            /// The offer that a worker must have, or `nil` if the cell needs nothing.
            var needs: String?
            /// The number of the cell's test cases; for a share, only those of this machine.
            var testCount: Int
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
        /// The share's index and total, or `nil` for a whole plan.
        var shard: String?
        /// The digest of the history by which the share was cut.
        var shardHistory: Digest?
        /// The predicted durations by number of workers, or `nil` without a history.
        var predictions: [Prediction]?
        var neverTimed: Int
        var gone: [String: [TestID]]
        var jobs: [ForecastJob]
    }

    /// Returns the forecast as the JSON document of `--json`.
    package func json() throws -> String {
        var row = 0
        let jobs = plan.jobs.enumerated().map { index, planned in
            let cells = planned.job.cells.enumerated().map { place, cell in
                defer { row += 1 }
                let needs = planned.needs(of: cell)
                return Document.ForecastCell(
                    cell: cell,
                    needs: needs.isEmpty ? nil : needs.words,
                    testCount: plan.testCount(job: index, cell: place),
                    shards: shards[row]
                )
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
            workers: workers.first ?? 1,
            shard: plan.share?.place.description,
            shardHistory: plan.share?.history,
            predictions: predictions.isEmpty ? nil : predictions,
            neverTimed: unknown,
            gone: plan.lost?.tests ?? [:],
            jobs: jobs
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }
}
