// Which share of a plan this machine takes: what the command line says, else what the CI says.
import FarmCore
import FarmLedger

enum MachineShare {
    /// The place of this machine; nil where one machine runs everything.
    ///
    /// `asked` is that of the command line; 0/1 there means everything, whatever the CI says.
    /// A CI that makes a job of each device (`parallel: matrix`), or splits the tests itself, counts
    /// these jobs in the same variables as shares: beside a selection only `asked` counts.
    static func place(
        _ asked: ShardPlace?,
        selects: Bool,
        _ environment: [String: String]
    ) -> ShardPlace? {
        let place = asked ?? (selects ? nil : ofCI(environment))
        return place.flatMap { $0.total > 1 ? $0 : nil }
    }

    private static func ofCI(_ environment: [String: String]) -> ShardPlace? {
        CIShard.detect(environment).flatMap { ShardPlace(index: $0.index, total: $0.total) }
    }

    /// Returns a note that the CI's share does not count beside a selection, or `nil` if it does.
    static func note(
        _ asked: ShardPlace?,
        selects: Bool,
        _ environment: [String: String]
    ) -> String? {
        guard asked == nil, selects, let place = ofCI(environment) else { return nil }
        return "The CI calls this job \(place.index + 1) of \(place.total). That is no share here, "
            + "because --select or --tests-from has chosen the tests: all of them run. To run a "
            + "share of them, add --shard \(place)."
    }

    /// The plan with this machine's share; as it is where one machine runs everything.
    static func take(
        of plan: Plan,
        at asked: ShardPlace?,
        history: RunHistory?,
        _ environment: [String: String]
    ) -> Plan {
        guard let place = place(asked, selects: plan.filtered, environment) else { return plan }
        var plan = plan
        plan.share = ShareRules.share(of: plan, at: place, history: history)
        return plan
    }
}
