// Limits of blobs that lie in a bucket of S3, with unit and reason.

extension FarmLimits {
    // MARK: buckets

    /// Seconds for which the address of a blob in a bucket may be used: an upload begins in time.
    package static let presignedSeconds = 900
    /// Times a call of a bucket is sent before it counts as unavailable: about 5 s of pauses.
    package static let bucketAttemptsMax = 6
    /// Seconds one call of a bucket may take that moves no file, and after which it is not sent again.
    package static let bucketCallSeconds = 15.0
    /// Calls of a bucket for one message.
    package static let bucketCallsAtOnce = 16
    /// Bytes of a blob that a check of a bucket holds; as many blobs are read at once as there are calls.
    package static let bucketPieceBytes = 4 << 20
    /// Seconds after which a blob that is asked for is made young: half of the shortest retention.
    package static let blobYoungSeconds = 43_200.0
    /// Blobs whose sizes a coordinator remembers of its bucket.
    package static let blobSizesKnownMax = 200_000
    /// Seconds that workers go on trying while a bucket is away: a restart of its server, with room.
    ///
    /// Their leases are renewed meanwhile.
    package static let bucketPatienceSeconds = 300.0
}
