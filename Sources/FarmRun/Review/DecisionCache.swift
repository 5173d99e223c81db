// The standing decisions of a pipeline, cached while a page is served: each call reads only the
// decisions made since the last one.
import FarmCore
import FarmLedger
import FarmServer
import Synchronization

final class DecisionCache: Sendable {
    private let state = Mutex(DecidedSoFar())

    /// Returns the standing decisions now; `read` returns the decisions after a given number.
    func now(_ read: (Int64) async throws -> DecisionList) async throws -> DecidedSoFar {
        while true {
            let number = state.withLock(\.number)
            let list = try await read(number)
            let current = state.withLock { state -> DecidedSoFar? in
                // Another call was quicker, but may have read less: read again.
                guard state.number == number else { return nil }
                state.book.add(list.decisions)
                state.number = list.newest
                return state
            }
            if let current { return current }
        }
    }
}
