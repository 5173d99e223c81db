// The memory that the pages of one host share: listeners for changes, and a notice about each
// visitor's last form. All of it may be lost.
import FarmCore
import Foundation
import Synchronization

/// The listeners and notices of one host's pages.
package final class PageHub: Sendable {
    private struct State {
        var nextListener = 0
        /// The streams of listeners, by page and number.
        var listeners: [String: [Int: AsyncStream<Void>.Continuation]] = [:]
        var count = 0
        /// The notices about visitors' last forms, by form token and page; bounded, because some
        /// visitors never come back.
        var notices = BoundedCache<[String], String>(max: FarmLimits.pageNoticesMax)
    }

    private let state = Mutex(State())

    init() {}

    // MARK: listeners

    /// Wakes all listeners of a page, because the page has changed.
    package func wake(_ page: String) {
        let listeners = state.withLock { $0.listeners[page].map { Array($0.values) } ?? [] }
        for listener in listeners { listener.yield() }
    }

    /// Checks that there is room for another listener, before an answer begins.
    ///
    /// - Throws: `PageRefusal.tooManyListeners`.
    func checkRoom() throws(PageRefusal) {
        guard state.withLock({ $0.count < FarmLimits.pageListenersMax }) else {
            throw .tooManyListeners
        }
    }

    /// Runs `body` with a stream that gets a value whenever the page changes.
    ///
    /// - Throws: `PageRefusal.tooManyListeners`, and the errors of `body`.
    func listening<Value: Sendable>(
        to page: String,
        _ body: (AsyncStream<Void>) async throws -> Value
    ) async throws -> Value {
        // One wake-up is enough for all changes since the last.
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

    /// Stores the notice about a visitor's form until the visitor loads the page.
    func keep(_ notice: String, for visitor: PageVisitor, of page: String) {
        state.withLock { state in
            state.notices[[visitor.formToken, page]] = notice
        }
    }

    /// Removes the notice about the visitor's last form, and returns it; empty if there is none.
    func takeNotice(for visitor: PageVisitor, of page: String) -> String {
        state.withLock { $0.notices.removeValue(forKey: [visitor.formToken, page]) ?? "" }
    }
}
