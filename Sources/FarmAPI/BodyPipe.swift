// One piece of a body at a time, from who reads it off one connection to who writes it to another:
// neither is ahead of the other by more than a piece, however large the body is.
import NIOCore
import Synchronization

/// A body on its way from one connection to the next; it has one writer and one reader.
package final class BodyPipe: AsyncSequence, Sendable {
    package typealias Element = ByteBuffer

    /// Thrown to the reader of a body that does not come to its end.
    struct Cut: Error {}

    private enum Stage {
        case open
        case ended
        /// Nobody reads any more, or nobody writes the rest.
        case cut
    }

    private struct State {
        var stage = Stage.open
        var piece: ByteBuffer?
        var writer: CheckedContinuation<Void, Never>?
        var reader: CheckedContinuation<Void, Never>?

        /// Whoever waits, to be resumed outside of the lock.
        mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
            defer { (writer, reader) = (nil, nil) }
            return [writer, reader].compactMap { $0 }
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the writer has written all of it.
    package var hasEnded: Bool { state.withLock { $0.stage == .ended } }

    /// Returns when the piece before this one was taken; drops it where nobody reads any more.
    package func write(_ piece: ByteBuffer) async {
        await withCheckedContinuation { (waiting: CheckedContinuation<Void, Never>) in
            let isReady = state.withLock { state in
                if state.piece == nil || state.stage != .open { return true }
                state.writer = waiting
                return false
            }
            if isReady { waiting.resume() }
        }
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.stage == .open else { return [] }
            state.piece = piece
            return state.takeWaiting()
        }
        for one in waiting { one.resume() }
    }

    /// Nothing more comes.
    package func finish() { end(.ended) }

    /// Ends it before its end; the writer may go on, into nothing.
    package func cut() { end(.cut) }

    private func end(_ stage: Stage) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.stage == .open else { return [] }
            state.stage = stage
            if stage == .cut { state.piece = nil }
            return state.takeWaiting()
        }
        for one in waiting { one.resume() }
    }

    private func read() async throws -> ByteBuffer? {
        while true {
            let (isOver, piece, writer) = try state.withLock { state in
                if state.stage == .cut { throw Cut() }
                defer { if state.piece != nil { (state.piece, state.writer) = (nil, nil) } }
                let isOver = state.stage == .ended && state.piece == nil
                return (isOver, state.piece, state.piece == nil ? nil : state.writer)
            }
            writer?.resume()
            if isOver { return nil }
            if let piece { return piece }
            await withCheckedContinuation { (waiting: CheckedContinuation<Void, Never>) in
                let isReady = state.withLock { state in
                    if state.piece != nil || state.stage != .open { return true }
                    state.reader = waiting
                    return false
                }
                if isReady { waiting.resume() }
            }
        }
    }

    // MARK: AsyncSequence

    /// A reader that goes away cuts the pipe: its writer would wait for ever.
    package final class AsyncIterator: AsyncIteratorProtocol {
        private let pipe: BodyPipe

        fileprivate init(pipe: BodyPipe) { self.pipe = pipe }
        deinit { pipe.cut() }

        package func next() async throws -> ByteBuffer? { try await pipe.read() }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pipe: self) }
}
