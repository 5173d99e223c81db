// Every path of the HTTP API as a caller asks for it, and the names of headers and queries for both
// sides. The server spells the same paths as patterns, in the files that answer them
// (`WorkerRoutes`, `RunRoutes`, `BlobRoutes`, `ArtifactRoutes`, `DecisionRoutes`).

/// Paths under `/api/v1`.
package enum Routes {
    package static let prefix = "/api/v1"
    /// The header that names the version of the messages that a caller speaks.
    package static let versionHeader = "Snapfarm-Version"
    /// What this program speaks.
    ///
    /// A change that the version before cannot read raises it, and the coordinator goes on reading
    /// that version: a farm is upgraded coordinator first, and nothing has to stop.
    package static let version = "1"
    /// The versions that a coordinator serves: its own and, after the next release, the one before.
    package static let versionsServed = [version]
    /// The header that holds the seal of the lease a call is about, 64 hex digits.
    package static let sealHeader = "Snapfarm-Seal"

    /// The code of a refusal while no coordinator leads: the same call is answered in a moment.
    package static let noLeaderCode = "no-leader"
    /// The message of that refusal; a reason may follow after a colon.
    package static let noLeaderWords = "no coordinator leads now"
    /// The header of a call that another coordinator sent on: it says for whom.
    package static let proxiedHeader = "Snapfarm-Proxied"

    /// Bytes of a blob, in the answer to HEAD.
    package static let bytesHeader = "Snapfarm-Bytes"
    /// What a coordinator says with 503 while the bucket of its blobs is away.
    package static let bucketAwayCode = "bucket-unavailable"
    /// That the caller of GET follows to where a blob lies, if that is not here.
    package static let followsHeader = "Snapfarm-Follows"

    package static let runs = "/runs"
    /// How many of a list to answer.
    package static let limitQuery = "limit"
    /// The number of a decision.
    package static let afterQuery = "after"
    /// Seconds that `GET /runs/{id}` waits for the run's end.
    package static let waitQuery = "wait"
    package static func run(_ id: String) -> String { "/runs/\(id)" }
    package static func cancel(_ id: String) -> String { "/runs/\(id)/cancel" }
    package static func result(_ id: String) -> String { "/runs/\(id)/result" }
    package static func artifacts(_ id: String) -> String { "/runs/\(id)/artifacts" }
    package static func decisions(_ id: String) -> String { "/runs/\(id)/decisions" }
    package static let token = "/token"
    package static let workers = "/workers"
    package static let flaky = "/flaky"
    /// The pipeline whose runs are looked at.
    package static let pipelineQuery = "pipeline"
    package static func claim(_ worker: String) -> String { "/workers/\(worker)/claim" }
    package static func lost(_ worker: String) -> String { "/workers/\(worker)/lost" }
    package static func renew(_ lease: String) -> String { "/leases/\(lease)/renew" }
    package static func verdicts(_ lease: String) -> String { "/leases/\(lease)/verdicts" }
    package static func complete(_ lease: String) -> String { "/leases/\(lease)/complete" }
    package static func release(_ lease: String) -> String { "/leases/\(lease)/release" }
    package static func blob(_ digest: String) -> String { "/blobs/\(digest)" }
    package static func place(_ digest: String) -> String { "/blobs/\(digest)/place" }
    package static func references(_ run: String, _ cell: String) -> String {
        "/references/\(run)/\(cell)"
    }
    package static func picture(_ run: String, _ object: String) -> String {
        "/pictures/\(run)/\(object)"
    }
}
