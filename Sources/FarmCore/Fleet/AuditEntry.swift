// The audit log of a coordinator: who did what to runs, pictures and tokens, and from where.

/// A kind of action that the audit log keeps.
package enum AuditAction: String, Hashable, Sendable, Codable, CaseIterable {
    case submitted, cancelled, decided, published
    case tokenMade = "token-made"
    case tokenRevoked = "token-revoked"
}

/// An entry of a coordinator's audit log.
package struct AuditEntry: Hashable, Sendable, Codable {
    /// The entry's number, which grows with each entry; 0 until the ledger has stored it.
    package var number: Int64 = 0
    /// The time of the action, in milliseconds since 1970.
    package var at: Int64
    /// The person or token that acted.
    package var who: String
    /// The IP address of the caller; empty for an action on the coordinator's own machine.
    package var address: String
    package var action: AuditAction
    /// The pipeline that the action was about; empty if it was about the whole farm.
    package var pipeline: String
    /// The run or token that the action was about.
    package var subject: String
    /// More about the action, such as the pictures of a decision; may be empty.
    package var detail: String

    package init(
        number: Int64 = 0,
        at: Int64,
        who: String,
        address: String,
        action: AuditAction,
        pipeline: String = "",
        subject: String = "",
        detail: String = ""
    ) {
        self.number = number
        self.at = at
        self.who = who
        self.address = address
        self.action = action
        self.pipeline = pipeline
        self.subject = subject
        self.detail = detail
    }

    /// Returns the newest `limit` entries of two logs, newest first.
    package static func merged(
        _ log: [AuditEntry],
        _ other: [AuditEntry],
        limit: Int
    ) -> [AuditEntry] {
        let all = (log + other).sorted { ($0.at, $0.number) > ($1.at, $1.number) }
        return Array(all.prefix(limit))
    }
}
