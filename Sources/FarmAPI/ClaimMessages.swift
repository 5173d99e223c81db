// What a worker asks before each lease, and its answer: the one message that holds a job.
import FarmCore

/// `POST /workers/{id}/claim`: asks for work; waits up to `waitSeconds` for some.
package struct ClaimRequest: Codable, Sendable {
    /// Chosen by the worker; the same request gets the same lease again.
    package var request: String
    /// The cell the worker ran last.
    package var warm: CellID?
    package var waitSeconds: Double
    /// It also waits while no run is open; nil: it is told so at once.
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

/// What there is for a worker now.
package struct ClaimReply: Codable, Sendable {
    /// Nil: nothing waits for this worker now.
    package var lease: Lease?
    /// No run is open: an embedded worker may leave.
    package var idle: Bool
    /// Why this worker gets no work, whatever waits.
    package var obstacle: Problem?

    package init(lease: Lease?, idle: Bool, obstacle: Problem? = nil) {
        self.lease = lease
        self.idle = idle
        self.obstacle = obstacle
    }
}
