// Limits of calls that coordinators forward to each other, and of callers that wait for a leader,
// with unit and reason.

extension FarmLimits {
    /// Coordinators that one client may know; it tries each of them before a pause.
    package static let coordinatorsMax = 8
    /// Seconds that a caller waits for a coordinator to become leader: several times a takeover.
    package static let leaderSeconds = 30.0
    /// Seconds that a connection to the leader may take to open; a leader that is up accepts
    /// sooner.
    package static let leaderConnectSeconds = 2.0
    /// Seconds until a leader answers a forwarded call: ten times the longest parked call, for
    /// publications to slow hosts.
    ///
    /// A call to a coordinator that no longer leads is abandoned at once.
    package static let leaderAnswerSeconds = 300.0
    /// Seconds between two checks of a waiting call whether the leader still leads.
    package static let leaderLookSeconds = 0.5
    /// Seconds for which the rest of a request's body is read and discarded after the answer, so
    /// that the caller can reuse its connection.
    package static let drainSeconds = 5.0
    /// Bytes of an answer that arrives before the whole body was sent: a refusal, or "is here
    /// already".
    package static let earlyAnswerBytesMax = smallMessageBytesMax

    /// Seconds without a new failure after which the coordinator's storage counts as healthy again.
    package static let storageFaultSeconds = 10.0
}
