// Splits bytes that arrive in pieces into lines. Memory stays bounded: the bytes of a line that is
// too long are dropped up to its end, and the line is reported as too long.
import FarmCore
import Foundation

/// Cuts a stream of bytes into lines.
struct LineBuffer {
    /// A line of the input, without its line feed and a carriage return before that.
    enum Line: Hashable, Sendable {
        case line([UInt8])
        case tooLong
    }

    private let bytesMax: Int
    private var bytes: [UInt8] = []
    /// The index of the next line's first byte in the buffer.
    private var start = 0
    /// The index in the buffer at which the search for the next line feed continues.
    private var searched = 0
    /// Whether the next bytes belong to a line that is too long.
    private var isDropping = false
    private var isFinished = false

    /// Creates an empty buffer; lines of more than `bytesMax` bytes are `.tooLong`.
    init(bytesMax: Int) { self.bytesMax = bytesMax }

    mutating func append(_ chunk: UnsafeRawBufferPointer) {
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: chunk)
    }

    /// Marks the end of the input: the last line needs no line feed.
    mutating func finish() { isFinished = true }

    /// Returns the next whole line, or `nil` at the end or until more bytes arrive.
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

    /// Returns the last line at the end of the input, else `nil`.
    ///
    /// Drops the beginning of a line that is too long before its line feed arrives.
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
