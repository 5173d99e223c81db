// What counts of a pipeline's decisions, kept as long as a page is served: only what was decided since
// the last look is read, however often open pages ask.
import FarmCore
import FarmLedger
import FarmServer
import Synchronization

final class KnownDecisions: Sendable {
    private let state = Mutex(DecidedSoFar())

    /// What counts now; `read` gives what was decided after the decision of a number.
    func now(_ read: (Int64) async throws -> DecisionList) async throws -> DecidedSoFar {
        while true {
            let number = state.withLock(\.number)
            let list = try await read(number)
            let current = state.withLock { state -> DecidedSoFar? in
                // Another look was quicker, and may have seen less than this one.
                guard state.number == number else { return nil }
                state.book.add(list.decisions)
                state.number = list.newest
                return state
            }
            if let current { return current }
        }
    }
}
