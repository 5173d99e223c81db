// A worker whose uploads wait for a bucket looks as one that does nothing: it says so, once a minute,
// however many calls wait.
import FarmCore
import Synchronization

/// Says that a coordinator's bucket is away.
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
