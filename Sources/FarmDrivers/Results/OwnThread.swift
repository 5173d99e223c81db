// Runs work that only computes, and may take long because of a file from outside. The threads that
// tasks share are as few as the cores, and they must keep leases alive.
import Foundation
import Synchronization

/// Runs `work` on a thread of its own and waits for it.
///
/// `work` must call its argument every few milliseconds, and stop when that returns false: the task
/// is cancelled, or the deadline is over.
func onOwnThread<Value: Sendable>(
    until deadline: ContinuousClock.Instant,
    _ work: @escaping @Sendable (_ mayGoOn: () -> Bool) -> Value
) async throws -> Value {
    let flag = CancelFlag()
    let value = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                continuation.resume(
                    returning: work { !flag.isSet && ContinuousClock.now < deadline }
                )
            }
            thread.start()
        }
    } onCancel: {
        flag.set()
    }
    try Task.checkCancellation()
    return value
}

private final class CancelFlag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { state.load(ordering: .relaxed) }

    func set() { state.store(true, ordering: .relaxed) }
}
