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
}

extension Leadership {
    package var canRead: Bool { true }
    package func catchUp() async {}
}
