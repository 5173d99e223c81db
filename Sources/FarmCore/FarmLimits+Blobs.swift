// Limits of blobs in a bucket of S3, with unit and reason.

extension FarmLimits {
    // MARK: buckets

    /// Seconds for which the address of a blob in a bucket is valid; an upload must begin within
    /// them.
    package static let presignedSeconds = 900
    /// Times that a call to a bucket is sent before the bucket counts as unavailable: about 5 s of
    /// pauses.
    package static let bucketAttemptsMax = 6
    /// Seconds that one call to a bucket may take if it moves no file, and after which no call is
    /// sent again.
    package static let bucketCallSeconds = 15.0
    /// Calls to a bucket that one message may cause at the same time.
    package static let bucketCallsAtOnce = 16
    /// Bytes of a blob that a check of a bucket holds in memory; one such piece for each parallel
    /// call.
    package static let bucketPieceBytes = 4 << 20
    /// Age in seconds after which a requested blob is marked as new: half of the shortest
    /// retention.
    package static let blobYoungSeconds = 43_200.0
    /// Blobs of a bucket whose sizes a coordinator remembers.
    package static let blobSizesKnownMax = 200_000
    /// Seconds for which workers retry while a bucket is away: a restart of its server, with room.
    ///
    /// Their leases are renewed meanwhile.
    package static let bucketPatienceSeconds = 300.0
}
