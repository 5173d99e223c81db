// This machine's share of a plan: the command line's, or else the CI's.
import FarmCore
import FarmLedger

enum MachineShare {
    /// Returns this machine's place among the shares, or `nil` if one machine runs everything.
    ///
    /// `asked` is the place on the command line; 0/1 there means everything, whatever the CI says.
    /// A CI that makes a job for each device (`parallel: matrix`), or splits the tests itself,
    /// counts these jobs in the same variables as shares. Therefore only `asked` counts if tests
    /// are selected.
    static func place(
        _ asked: ShardPlace?,
        selects: Bool,
        _ environment: [String: String]
    ) -> ShardPlace? {
        let place = asked ?? (selects ? nil : ofCI(environment))
        return place.flatMap { $0.total > 1 ? $0 : nil }
    }

    private static func ofCI(_ environment: [String: String]) -> ShardPlace? {
        CIShare.detect(environment).flatMap { ShardPlace(index: $0.index, total: $0.total) }
    }

    /// Returns a note that the CI's share is ignored because tests are selected, or `nil` if it is
    /// not.
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

    /// Returns the plan with this machine's share, or unchanged if one machine runs everything.
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
