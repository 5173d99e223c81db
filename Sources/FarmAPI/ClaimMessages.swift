// The claim of a worker before each lease, and the answer: the one message that holds a job.
import FarmCore

/// `POST /workers/{id}/claim`: claims work; waits up to `waitSeconds` for some.
package struct ClaimRequest: Codable, Sendable {
    /// The claim's id, chosen by the worker; the same request gets the same lease again.
    package var request: String
    /// The cell of the worker's last lease.
    package var warm: CellID?
    package var waitSeconds: Double
    /// Whether to wait also while no run is open; without it the answer comes at once.
    package var staysIdle: Bool?

    package init(
        request: String,
        warm: CellID?,
        waitSeconds: Double,
        staysIdle: Bool? = nil
    ) {
        self.request = request
        self.warm = warm
        self.waitSeconds = waitSeconds
        self.staysIdle = staysIdle
    }
}

/// The answer to a claim.
package struct ClaimReply: Codable, Sendable {
    /// The lease, or `nil` if nothing waits for this worker now.
    package var lease: Lease?
    /// Whether no run is open: an embedded worker may leave.
    package var idle: Bool
    /// The reason why this worker gets no work at all.
    package var obstacle: Problem?

    package init(lease: Lease?, idle: Bool, obstacle: Problem? = nil) {
        self.lease = lease
        self.idle = idle
        self.obstacle = obstacle
    }
}
