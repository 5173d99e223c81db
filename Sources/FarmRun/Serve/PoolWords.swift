// The text of a pool for people: its status on a terminal, and its events in a coordinator's log.
import FarmLedger
import Logging

extension PoolStatus {
    /// Returns the pool's status as lines for a terminal.
    package func text() -> String {
        let who = leader.map { "\($0) leads" } ?? "no coordinator leads"
        var lines = [
            "Pool \(pool): \(who), term \(term), \(Self.counted(changes)), format \(format)."
        ]
        lines += members.filter { !$0.leads }.map { member in
            let behind = member.behind == 0 ? "has all" : "is \(Self.counted(member.behind)) behind"
            let seen =
                member.seenSecondsAgo < 5
                ? ""
                : ", last heard of "
                    + "\(Int(member.seenSecondsAgo)) s ago"
            return "  \(member.url) \(behind)\(seen)"
        }
        let points = snapshots.map { "\($0)" }.joined(separator: " and ")
        lines.append("Snapshots at \(points); the journal holds \(Self.counted(journal)).")
        if isMoved {
            lines.append("Its ledger is in a folder again: no coordinator will lead it.")
        } else if leader == nil {
            lines.append("Start a coordinator of this pool, or look into its log.")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func counted(_ changes: Int64) -> String {
        changes == 1 ? "1 change" : "\(changes) changes"
    }
}

extension LeadershipEvent {
    var level: Logger.Level {
        switch self {
        case .leads, .follows, .reachable, .formatRaised: .notice
        case .steppedDown, .restored, .unreachable, .noSnapshot, .tooOld: .warning
        }
    }

    var words: String {
        switch self {
        case .leads(let term): "this coordinator leads, term \(term)"
        case .steppedDown(let reason): "this coordinator leads no more: \(reason)"
        case .follows(let url):
            url.isEmpty ? "no coordinator leads" : "the coordinator at \(url) leads"
        case .restored(let seq, let reason):
            "this copy of the ledger was replaced by the snapshot at \(seq): \(reason)"
        case .unreachable(let reason): "the shared ledger: \(reason)"
        case .reachable: "the shared ledger answers again"
        case .noSnapshot(let reason): "no snapshot of the shared ledger could be kept: \(reason)"
        case .tooOld(let format):
            "the leader's program is newer (format \(format)): upgrade this coordinator"
        case .formatRaised(let format):
            "the ledger has format \(format) now; older coordinators wait for their upgrade"
        }
    }
}
