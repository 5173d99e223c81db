// What the pages of one host have in common while it runs: who listens for changes, and what the
// last form of each visitor did. It holds no truth: all of it may be lost.
import FarmCore
import Foundation
import Synchronization

/// Listeners and notices of one host's pages.
package final class PageLife: Sendable {
    private struct State {
        var nextListener = 0
        /// By page and number.
        var listeners: [String: [Int: AsyncStream<Void>.Continuation]] = [:]
        var count = 0
        /// By form token and page; some visitors never come back.
        var notices = BoundedCache<[String], String>(max: FarmLimits.pageNoticesMax)
    }

    private let state = Mutex(State())

    init() {}

    // MARK: listeners

    /// Wakes everybody who listens to a page: something there has changed.
    package func wake(_ page: String) {
        let listeners = state.withLock { $0.listeners[page].map { Array($0.values) } ?? [] }
        for listener in listeners { listener.yield() }
    }

    /// Refuses a listener before its answer begins.
    func checkRoom() throws(PageRefusal) {
        guard state.withLock({ $0.count < FarmLimits.pageListenersMax }) else {
            throw .tooManyListeners
        }
    }

    /// Gives `body` a stream that wakes it, while it runs.
    ///
    /// - Throws: `PageRefusal.tooManyListeners`.
    func listening<Value: Sendable>(
        to page: String,
        _ body: (AsyncStream<Void>) async throws -> Value
    ) async throws -> Value {
        // One word is enough, however often something changed meanwhile.
        let (stream, listener) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = try state.withLock { state in
            guard state.count < FarmLimits.pageListenersMax else {
                throw PageRefusal.tooManyListeners
            }
            state.count += 1
            state.nextListener += 1
            state.listeners[page, default: [:]][state.nextListener] = listener
            return state.nextListener
        }
        defer {
            state.withLock { state in
                state.count -= 1
                state.listeners[page]?[number] = nil
                if state.listeners[page]?.isEmpty == true { state.listeners[page] = nil }
            }
        }
        return try await body(stream)
    }

    // MARK: notices

    /// Keeps what a form did until its visitor loads the page.
    func keep(_ notice: String, for visitor: PageVisitor, of page: String) {
        state.withLock { state in
            state.notices[[visitor.formToken, page]] = notice
        }
    }

    /// What the visitor's last form did; it is said once.
    func takeNotice(for visitor: PageVisitor, of page: String) -> String {
        state.withLock { $0.notices.removeValue(forKey: [visitor.formToken, page]) ?? "" }
    }
}
