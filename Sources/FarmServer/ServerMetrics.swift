// The metrics at /metrics, in Prometheus' text format 0.0.4. Labels come from fixed sets or from a
// list with a limit, so no caller can make the series grow.
import FarmCore
import FarmLedger
import Synchronization

/// Counts the calls that this process answers.
final class ServerMetrics: Sendable {
    struct Counts: Sendable {
        /// The number of answers by status code.
        var answers: [Int: Int] = [:]
        var inFlight = 0
    }

    private let state = Mutex(Counts())

    func began() { state.withLock { $0.inFlight += 1 } }

    func ended(status: Int) {
        state.withLock {
            $0.inFlight -= 1
            $0.answers[status, default: 0] += 1
        }
    }

    var now: Counts { state.withLock { $0 } }
}

/// Renders a coordinator's metrics as text.
enum MetricsText {
    static func render(
        calls: ServerMetrics.Counts,
        ledger: LedgerCounts,
        unjudged: Int,
        commits: CommitTiming.Counts?,
        upkeep: UpkeepFacts?
    ) -> String {
        var text = ""
        add("snapfarm_runs", "Runs by state.", &text)
        for state in RunState.allCases {
            let count = ledger.runs[state.rawValue] ?? 0
            text += "snapfarm_runs{state=\"\(state.rawValue)\"} \(count)\n"
        }
        add("snapfarm_runs_not_judged", "Runs that ended and could not be judged yet.", &text)
        text += "snapfarm_runs_not_judged \(unjudged)\n"
        add("snapfarm_leases_live", "Leases that workers hold.", &text)
        text += "snapfarm_leases_live \(ledger.liveLeases)\n"
        addWaiting(ledger, &text)
        add("snapfarm_workers", "Workers by state.", &text)
        for (state, count) in ledger.workers.byState {
            text += "snapfarm_workers{state=\"\(state)\"} \(count)\n"
        }
        add("snapfarm_requests_in_flight", "Calls that wait for an answer.", &text)
        text += "snapfarm_requests_in_flight \(calls.inFlight)\n"
        add("snapfarm_requests_total", "Answered calls by status.", &text, kind: "counter")
        for (status, count) in calls.answers.sorted(by: { $0.key < $1.key }) {
            text += "snapfarm_requests_total{status=\"\(status)\"} \(count)\n"
        }
        if let commits { addCommits(commits, &text) }
        if let upkeep { addUpkeep(upkeep, &text) }
        return text
    }

    private static func addCommits(_ commits: CommitTiming.Counts, _ text: inout String) {
        let name = "snapfarm_ledger_commit_seconds"
        add(
            name,
            "From asking for a transaction of the ledger to its end.",
            &text,
            kind: "histogram"
        )
        var sum = 0
        for (bound, count) in zip(CommitTiming.bounds, commits.buckets) {
            sum += count
            text += "\(name)_bucket{le=\"\(bound)\"} \(sum)\n"
        }
        sum += commits.buckets.last ?? 0
        text += "\(name)_bucket{le=\"+Inf\"} \(sum)\n"
        text += "\(name)_sum \(commits.seconds)\n\(name)_count \(sum)\n"
    }

    static func add(
        _ name: String,
        _ help: String,
        _ text: inout String,
        kind: String = "gauge"
    ) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    }
}
