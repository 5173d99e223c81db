// Limits of calls that one coordinator sends on to another, and of callers that wait for a leader, with
// unit and reason.

extension FarmLimits {
    /// Coordinators that one client is told of; each is asked before a pause.
    package static let coordinatorsMax = 8
    /// Seconds that a caller waits for a coordinator to lead: several times what a takeover takes.
    package static let leaderSeconds = 30.0
    /// Seconds until a leader takes a connection of another coordinator: it is up, or it is gone.
    package static let leaderConnectSeconds = 2.0
    /// Seconds until a leader answers what was sent on to it: ten times the longest parked call, for
    /// publications to slow hosts.
    ///
    /// A leader that is none any more is left at once.
    package static let leaderAnswerSeconds = 300.0
    /// Seconds between two looks, while a call waits for the leader, whether it leads still.
    package static let leaderLookSeconds = 0.5
    /// Seconds that a body is read into nothing whose call is answered already, so that the caller can
    /// use its connection again.
    package static let drainSeconds = 5.0
    /// Bytes of an answer that comes before the whole body was sent: a refusal, or "is here already".
    package static let earlyAnswerBytesMax = smallMessageBytesMax

    /// Seconds after which a failure of the coordinator's storage that was not seen again is over.
    package static let storageFaultSeconds = 10.0
}
