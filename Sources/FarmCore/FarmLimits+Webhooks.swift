// Limits of webhooks, and of commits to branches on behalf of people, with unit and reason.

extension FarmLimits {
    // MARK: webhooks

    /// Webhooks of one coordinator.
    package static let webhooksMax = 20
    /// Events that wait for one receiver; further ones are dropped and logged.
    package static let webhookQueueMax = 500
    /// The most times that one event is sent to a receiver.
    package static let webhookAttemptsMax = 6
    /// Seconds before the second attempt; each further pause is four times as long, some 6 minutes
    /// in all.
    package static let webhookPauseSeconds = 1.0
    /// Seconds that a receiver may take to answer.
    package static let webhookAnswerSeconds = 10.0
    /// Pictures that an event names; its count includes all.
    package static let eventPicturesMax = 20

    // MARK: commits to branches

    /// Newest commits of a branch that are searched for a run's commit: a long pull request.
    package static let branchCommitsMax = 500
    /// Bytes of a patch of a pin that a page shows: some 2,000 changed folders.
    package static let pinPatchBytesMax = 256 * 1024
}
