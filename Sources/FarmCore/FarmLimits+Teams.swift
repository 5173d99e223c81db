// The limits of teams that share a coordinator, and of the overview for its operator.

extension FarmLimits {
    /// The most tokens made and revoked that the audit log remembers.
    package static let tokenChangesMax = 500
    /// The most patterns of pipelines that a token has.
    package static let tokenPatternsMax = 20
    /// The time for which the ledger remembers that a token with patterns has sent a blob.
    package static let uploadMilliseconds: Int64 = 30 * 86_400_000
    /// The most open runs or waiting test cases that a team's quota can allow.
    package static let quotaMax = 1_000_000
    /// The minutes for which a caller waits until its team's quota has room.
    package static let quotaWaitMinutes = 30
    /// The seconds between two tries to hand a run in while the team's quota has no room.
    package static let quotaPauseSeconds = 5.0
    /// The seconds without a started or reported test after which a lease counts as late.
    package static let leaseLateSeconds = 300
    /// The seconds for which the overview names a worker that has fallen silent.
    package static let silentWorkerSeconds = 86_400
    /// The free part of the disk, one in so many, below which the overview warns.
    package static let diskFreeParts = 10
    /// The changes that a copy of a shared ledger may lack before the overview warns.
    package static let behindChangesMax: Int64 = 1_000
    /// The age in days at which the overview warns about the last backup.
    package static let backupDaysMax: Int64 = 2
}
