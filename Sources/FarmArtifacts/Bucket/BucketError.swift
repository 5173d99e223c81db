// The errors of a bucket of S3, in words for people.
import FarmCore

/// The reason why a call of a bucket failed.
package enum BucketError: ExplainedError, Hashable {
    /// The bucket does not answer, or answers with errors of its own; `reason` names one.
    case unavailable(bucket: String, reason: String)
    case noBucket(String)
    /// The bucket denies access; `reason` is the code of S3, such as `SignatureDoesNotMatch`.
    case denied(bucket: String, reason: String)
    case otherRegion(bucket: String, region: String)
    /// The bytes that arrived at the bucket do not have the announced digest.
    case mismatch(Digest)
    /// Another farm has its blobs below the same prefix of the bucket.
    case taken(bucket: String, object: String)
    /// The bucket refused the call for any other reason, with this status.
    case refused(bucket: String, status: Int, reason: String)

    package var code: String {
        switch self {
        case .unavailable: "bucket-unavailable"
        case .noBucket: "bucket-missing"
        case .denied: "bucket-denied"
        case .otherRegion: "bucket-region"
        case .mismatch: "bucket-mismatch"
        case .taken: "bucket-taken"
        case .refused: "bucket-refused"
        }
    }

    package var message: String {
        switch self {
        case .unavailable(let bucket, let reason):
            "the bucket \(bucket) does not answer: \(reason)."
        case .noBucket(let bucket): "there is no bucket \(bucket)."
        case .denied(let bucket, let reason): "the bucket \(bucket) refuses the keys: \(reason)."
        case .otherRegion(let bucket, let region): "the bucket \(bucket) is in region \(region)."
        case .mismatch(let digest): "other bytes than those of \(digest) reached the bucket."
        case .taken(let bucket, _): "another farm has its blobs in \(bucket)."
        case .refused(let bucket, let status, let reason):
            "the bucket \(bucket) refuses a call with status \(status)"
                + (reason == "status \(status)" ? "." : ": \(reason).")
        }
    }

    package var remedy: String {
        switch self {
        case .unavailable:
            "Look whether its server runs and can be reached from here; the farm goes on when it is "
                + "back."
        case .noBucket: "Make it, or correct `bucket` and `endpoint` in `blobs:`."
        case .denied(_, "RequestTimeTooSkewed"): "Set the clock of this machine."
        case .denied:
            "Compare the variables that `blobs:` names with the keys, and the keys' policy with "
                + "docs/s3.md."
        case .otherRegion: "Write that region into `blobs:`."
        case .mismatch: "Send it again; if this repeats, check the network between the machines."
        case .taken(_, let object):
            "Set another `prefix` for this farm. If the other farm no longer exists, or was this one "
                + "before its `lease.key` was lost, remove the object \(object)."
        case .refused: "Look into the log of its server; docs/s3.md says what a server must know."
        }
    }

    package var exit: ExitCode {
        switch self {
        case .unavailable: .unavailable
        case .noBucket, .denied, .otherRegion, .taken, .refused: .configuration
        case .mismatch: .busy
        }
    }
}
