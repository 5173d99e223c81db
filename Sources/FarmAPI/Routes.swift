// Every path of the HTTP API for callers, and the names of headers and queries for both sides. The
// server spells the same paths as patterns, in the files that answer them (`WorkerRoutes`,
// `RunRoutes`, `BlobRoutes`, `ArtifactRoutes`, `DecisionRoutes`).
import FarmCore

/// The paths under `/api/v1`, and the names of headers and queries.
package enum Routes {
    package static let prefix = "/api/v1"
    /// The header that names the version of a caller's messages.
    package static let versionHeader = "Snapfarm-Version"
    /// The version of this program's messages.
    ///
    /// A change that the version before cannot read raises it. The coordinator goes on reading that
    /// version: a farm is upgraded coordinator first, without a stop.
    ///
    /// Version 2 names the run of each blob that is read, without which a token with `--pipeline`
    /// reads none.
    package static let version = "2"
    /// The versions that a coordinator serves: its own and the one before.
    package static let versionsServed = [version, "1"]
    /// The header that holds the seal of the call's lease, 64 hex digits.
    package static let sealHeader = "Snapfarm-Seal"

    /// The code of a refusal while no coordinator leads; the same call succeeds in a moment.
    package static let noLeaderCode = "no-leader"
    /// The message of a refusal while no coordinator leads; a reason may follow after a colon.
    package static let noLeaderWords = "no coordinator leads now"
    /// The header of a call that another coordinator forwarded; it names the original caller.
    package static let proxiedHeader = "Snapfarm-Proxied"

    /// The header with the length of a blob in bytes, in the answer to HEAD.
    package static let bytesHeader = "Snapfarm-Bytes"
    /// The code of the answer 503 while the bucket of the blobs is away.
    package static let bucketAwayCode = "bucket-unavailable"
    /// The header of a GET whose caller follows a redirect to a blob's place.
    package static let followsHeader = "Snapfarm-Follows"

    package static let runs = "/runs"
    /// The query parameter for the most entries of a list.
    package static let limitQuery = "limit"
    /// The query parameter for the decision's number after which the answer begins.
    package static let afterQuery = "after"
    /// The query parameter for the seconds that `GET /runs/{id}` waits for the run's end.
    package static let waitQuery = "wait"
    package static func run(_ id: String) -> String { "/runs/\(id)" }
    package static func cancel(_ id: String) -> String { "/runs/\(id)/cancel" }
    package static func result(_ id: String) -> String { "/runs/\(id)/result" }
    package static func artifacts(_ id: String) -> String { "/runs/\(id)/artifacts" }
    package static func decisions(_ id: String) -> String { "/runs/\(id)/decisions" }
    package static let token = "/token"
    package static let audit = "/audit"
    package static let farm = "/farm"
    package static let workers = "/workers"
    package static let flaky = "/flaky"
    /// The query parameter for the pipeline whose runs are searched.
    package static let pipelineQuery = "pipeline"
    package static func claim(_ worker: String) -> String { "/workers/\(worker)/claim" }
    package static func lost(_ worker: String) -> String { "/workers/\(worker)/lost" }
    package static func renew(_ lease: String) -> String { "/leases/\(lease)/renew" }
    package static func verdicts(_ lease: String) -> String { "/leases/\(lease)/verdicts" }
    package static func complete(_ lease: String) -> String { "/leases/\(lease)/complete" }
    package static func release(_ lease: String) -> String { "/leases/\(lease)/release" }
    /// The query parameter for the run that names a blob.
    package static let runQuery = "run"
    package static func blob(_ digest: String) -> String { "/blobs/\(digest)" }
    /// Returns the path for reading a blob that a run names.
    package static func blob(_ digest: String, of run: RunID) -> String {
        "/blobs/\(digest)?\(runQuery)=\(CoordinatorClient.escaped(run.text))"
    }
    package static func place(_ digest: String) -> String { "/blobs/\(digest)/place" }
    package static func references(_ run: String, _ cell: String) -> String {
        "/references/\(run)/\(cell)"
    }
    package static func picture(_ run: String, _ object: String) -> String {
        "/pictures/\(run)/\(object)"
    }
}
