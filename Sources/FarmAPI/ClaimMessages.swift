// The claim of a worker before each lease, and the answer: the one message that holds a job.
import FarmCore

/// The body of `POST /workers/{id}/claim`: claims work, and waits up to `waitSeconds` for some.
package struct ClaimRequest: Codable, Sendable {
    /// The id of the claim, chosen by the worker; the same id gets the same lease again.
    package var request: String
    /// The cell of the worker's last lease, or `nil` if it had none.
    package var warm: CellID?
    package var waitSeconds: Double
    /// Whether the claim waits also while no run is open; without it the answer comes at once.
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
    /// The lease that the claim got, or `nil` if nothing waits for this worker now.
    package var lease: Lease?
    /// Whether no run is open: an embedded worker may leave.
    package var idle: Bool
    /// The reason why this worker gets no work at all, or `nil` if it may get some.
    package var obstacle: Problem?

    package init(lease: Lease?, idle: Bool, obstacle: Problem? = nil) {
        self.lease = lease
        self.idle = idle
        self.obstacle = obstacle
    }
}
