// Lines from bytes that come in pieces. Memory stays bounded whatever comes: a line that is too
// long is counted and dropped up to its end.
import FarmCore
import Foundation

/// Cuts a stream of bytes into lines.
struct LineBuffer {
    /// One line, without its line feed (and the carriage return before it).
    enum Line: Hashable, Sendable {
        case line([UInt8])
        case tooLong
    }

    private let bytesMax: Int
    private var bytes: [UInt8] = []
    /// Where the next line begins.
    private var start = 0
    /// Before this there is no line feed.
    private var searched = 0
    /// Inside a line that is too long.
    private var isDropping = false
    private var isFinished = false

    /// Lines of more than `bytesMax` bytes are `.tooLong`.
    init(bytesMax: Int) { self.bytesMax = bytesMax }

    mutating func append(_ chunk: UnsafeRawBufferPointer) {
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: chunk)
    }

    /// Says that no more bytes come: the last line needs no line feed.
    mutating func finish() { isFinished = true }

    /// The next whole line; nil until more bytes come, or at the end.
    mutating func next() -> Line? {
        guard let end = lineFeed() else { return last() }
        let line = start..<end
        start = end + 1
        searched = start
        if isDropping {
            isDropping = false
            return .tooLong
        }
        return line.count > bytesMax ? .tooLong : .line(content(line))
    }

    private func lineFeed() -> Int? {
        bytes.withUnsafeBytes { raw in
            guard let base = raw.baseAddress, searched < raw.count,
                let found = memchr(base + searched, 0x0A, raw.count - searched)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// What is left without a line feed: the last line, or the beginning of one to wait for.
    private mutating func last() -> Line? {
        searched = bytes.count
        if bytes.count - start > bytesMax {
            isDropping = true
            start = bytes.count
        }
        guard isFinished, isDropping || start < bytes.count else { return nil }
        defer {
            start = bytes.count
            isDropping = false
        }
        return isDropping ? .tooLong : .line(content(start..<bytes.count))
    }

    private func content(_ line: Range<Int>) -> [UInt8] {
        let content = bytes[line]
        return Array(content.last == 0x0D ? content.dropLast() : content)
    }
}
