// The transfer of a body from one connection to another, one piece at a time. The writer is never
// ahead of the reader by more than a piece, however large the body is.
import NIOCore
import Synchronization

/// A body on its way from one connection to the next; it has one writer and one reader.
package final class BodyPipe: AsyncSequence, Sendable {
    package typealias Element = ByteBuffer

    /// The error that the reader of an incomplete body gets.
    struct Cut: Error {}

    private enum Stage {
        case open
        case ended
        /// The reader is gone, or the writer has ended the body early.
        case cut
    }

    private struct State {
        var stage = Stage.open
        var piece: ByteBuffer?
        var writer: CheckedContinuation<Void, Never>?
        var reader: CheckedContinuation<Void, Never>?

        /// Removes and returns the waiting continuations, to be resumed outside of the lock.
        mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
            defer { (writer, reader) = (nil, nil) }
            return [writer, reader].compactMap { $0 }
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the writer has written the whole body.
    package var hasEnded: Bool { state.withLock { $0.stage == .ended } }

    /// Hands a piece of the body over once the piece before it was taken; drops it if there is no
    /// reader any more.
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

    /// Marks the end of the body.
    package func finish() { end(.ended) }

    /// Ends the body early; later pieces of the writer are dropped.
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

    /// An iterator over the pieces of the body.
    ///
    /// It cuts the pipe when it is released, because the writer would wait for ever.
    package final class AsyncIterator: AsyncIteratorProtocol {
        private let pipe: BodyPipe

        fileprivate init(pipe: BodyPipe) { self.pipe = pipe }
        deinit { pipe.cut() }

        package func next() async throws -> ByteBuffer? { try await pipe.read() }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pipe: self) }
}
