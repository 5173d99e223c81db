// Which of several coordinators of one ledger leads, as this one knows it. Who leads decides
// elsewhere; here is only what the calls need of it.

/// Who leads the coordinators of one ledger, as far as this one knows.
package enum Leader: Sendable, Hashable {
    case me
    /// Another one, reached under this URL: `http` or `https`, a host, a port, no path.
    case other(url: String)
    /// Nobody; or one whose time is over, which may hang and is asked for nothing.
    case none
}

/// What one coordinator knows about the others of its ledger.
package protocol Leadership: Sendable {
    /// Asked for each call and while each is under way: it answers from memory.
    var leader: Leader { get }
    /// Whether this coordinator's copy is one that it can read; of another format it is not.
    var canRead: Bool { get }
    /// Returns once this coordinator's copy holds what the leader's ledger held at the call, or
    /// after a moment in which it has not come so far.
    func catchUp() async
    /// Why the shared ledger cannot be used now; nil where it can.
    var obstacle: String? { get }
    /// For monitors.
    var facts: LeadershipFacts { get }
}

extension Leadership {
    package var canRead: Bool { true }
    package func catchUp() async {}
    package var obstacle: String? { nil }
    package var facts: LeadershipFacts { LeadershipFacts(leads: leader == .me) }
}

/// What monitors are told of a coordinator's part in its ledger.
package struct LeadershipFacts: Sendable {
    package var leads: Bool
    /// Grows with each leader; 0 where the ledger is a file.
    package var term: Int64 = 0
    /// Changes that this coordinator's copy lacks.
    package var behind: Int64 = 0
    /// The database answers, and the copy is what it says.
    package var isSound = true

    package init(leads: Bool) { self.leads = leads }

    /// In Prometheus' text format.
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
