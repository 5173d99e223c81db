// A worker whose uploads wait for a bucket looks idle. This notice explains the wait, at most once
// a minute, for all waiting calls together.
import FarmCore
import Synchronization

/// Prints that a coordinator's bucket does not answer.
final class BucketNotice: Sendable {
    private let said = Mutex<ContinuousClock.Instant?>(nil)
    private let say: @Sendable (String) -> Void

    init(say: @escaping @Sendable (String) -> Void) { self.say = say }

    func give(now: ContinuousClock.Instant = .now) {
        let isDue = said.withLock { said in
            guard said.map({ $0.advanced(by: .seconds(60)) <= now }) ?? true else { return false }
            said = now
            return true
        }
        guard isDue else { return }
        say(
            "the bucket of the coordinator's blobs does not answer: trying again for "
                + "\(Int(FarmLimits.bucketPatienceSeconds / 60)) minutes."
        )
    }
}
