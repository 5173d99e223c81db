// The leader of several coordinators of one ledger, as far as this one knows. The election is
// elsewhere; these types are only what the calls need.

/// The coordinator that leads its ledger, as far as this coordinator knows.
package enum Leader: Sendable, Hashable {
    case me
    /// Another coordinator leads, at this URL: `http` or `https`, a host, a port, no path.
    case other(url: String)
    /// No coordinator leads, or the leader's term has ended: it may hang, so no call goes to it.
    case none
}

/// A coordinator's view of the other coordinators of its ledger.
package protocol Leadership: Sendable {
    /// The coordinator that leads now.
    ///
    /// Each call reads it, also while the call is under way, so it comes from memory.
    var leader: Leader { get }
    /// Whether this coordinator can read its copy of the ledger, which may have another format.
    var canRead: Bool { get }
    /// Waits for a moment until this coordinator's copy has the changes that the leader's ledger
    /// has now.
    ///
    /// The copy may still be behind afterwards.
    func catchUp() async
    /// Why the shared ledger cannot be used now, or `nil` if it can.
    var obstacle: String? { get }
    /// The state of this coordinator among the coordinators of its ledger, for monitors.
    var facts: LeadershipFacts { get }
}

extension Leadership {
    package var canRead: Bool { true }
    package func catchUp() async {}
    package var obstacle: String? { nil }
    package var facts: LeadershipFacts { LeadershipFacts(leads: leader == .me) }
}

/// The state of a coordinator among the coordinators of its ledger, for monitors.
package struct LeadershipFacts: Sendable {
    package var leads: Bool
    /// A number that grows with each leader; 0 if the ledger is a file.
    package var term: Int64 = 0
    /// The number of changes that this coordinator's copy lacks.
    package var behind: Int64 = 0
    /// Whether the database answers and this coordinator's copy agrees with it.
    package var isSound = true

    package init(leads: Bool) { self.leads = leads }

    /// Returns these facts in Prometheus' text format.
    func text() -> String {
        let gauges: [(String, String, Int64)] = [
            ("leads", "1: this coordinator changes the ledger; another one may.", leads ? 1 : 0),
            ("term", "Grows with each leader of a shared ledger.", term),
            ("behind_changes", "Changes that this copy of a shared ledger lacks.", behind),
            (
                "sound", "1: a shared ledger answers, and this copy is what it says.",
                isSound ? 1 : 0
            ),
        ]
        return gauges.map { name, help, value in
            "# HELP snapfarm_ledger_\(name) \(help)\n# TYPE snapfarm_ledger_\(name) gauge\n"
                + "snapfarm_ledger_\(name) \(value)\n"
        }.joined()
    }
}
