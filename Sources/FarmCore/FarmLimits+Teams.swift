// The limits of teams that share a coordinator, and of the overview for its operator.

extension FarmLimits {
    /// The most tokens made and revoked that the audit log remembers.
    package static let tokenChangesMax = 500
    /// The most patterns of pipelines that a token has.
    package static let tokenPatternsMax = 20
    /// The time for which the ledger remembers that a token with patterns has sent a blob.
    package static let uploadMilliseconds: Int64 = 30 * 86_400_000
}
