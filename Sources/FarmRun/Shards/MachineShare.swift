// Which share of a plan this machine takes: what the command line says, else what the CI says.
import FarmCI
import FarmCore
import FarmScheduling

enum MachineShare {
    /// The place of this machine; nil where one machine runs everything.
    ///
    /// `asked` is that of the command line; 0/1 there means everything, whatever the CI says.
    static func place(_ asked: ShardPlace?, _ environment: [String: String]) -> ShardPlace? {
        let place =
            asked
            ?? CIShard.detect(environment).flatMap {
                ShardPlace(index: $0.index, total: $0.total)
            }
        return place.flatMap { $0.total > 1 ? $0 : nil }
    }

    /// The plan with this machine's share; as it is where one machine runs everything.
    static func take(
        of plan: Plan,
        at asked: ShardPlace?,
        history: RunHistory?,
        _ environment: [String: String]
    ) -> Plan {
        guard let place = place(asked, environment) else { return plan }
        var plan = plan
        plan.share = ShareRules.share(of: plan, at: place, history: history)
        return plan
    }
}
