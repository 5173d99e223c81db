// Pairs from lines: a list (`--pairs`) or requests (`--stdin`). An unusable line gets a finding of
// its own, and the other lines still run.
import FarmCore
import FarmPipeline
import Foundation

/// Reads lines of a file, a pipe or a terminal.
struct LineReader {
    private static let chunkBytes = 64 << 10

    private let descriptor: Int32
    private let name: String
    private let bytesTotal: Int?
    private var bytesRead = 0
    private var lines = LineBuffer(bytesMax: FarmLimits.pairLineBytesMax)
    private var isAtEnd = false
    /// The number of the line that was read last, from 1; 0 before the first.
    private(set) var number = 0

    /// Returns a reader of standard input.
    static var input: LineReader {
        LineReader(descriptor: STDIN_FILENO, name: "standard input", bytesTotal: nil)
    }

    private init(descriptor: Int32, name: String, bytesTotal: Int?) {
        self.descriptor = descriptor
        self.name = name
        self.bytesTotal = bytesTotal
    }

    /// Opens a file or a pipe to read lines from; it stays open until the program ends.
    init(path: String) throws(CompareError) {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0 else {
            throw .unreadable(path, reason: String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw .unreadable(path, reason: "it is a folder")
        }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        self.init(
            descriptor: file,
            name: path,
            bytesTotal: isFile ? Int(status.st_size) : nil
        )
    }

    /// The part of the file that was read so far, 0...1, or `nil` if it is not a regular file.
    var share: Double? {
        bytesTotal.map { $0 > 0 ? min(1, Double(bytesRead) / Double($0)) : 1 }
    }

    enum Step {
        case line(LineBuffer.Line)
        case nothingYet
        case end
    }

    mutating func next(waiting: Bool) throws(CompareError) -> Step {
        while true {
            if let line = lines.next() {
                number += 1
                return .line(line)
            }
            if isAtEnd { return .end }
            if !waiting, !isReady { return .nothingYet }
            try readChunk()
        }
    }

    private var isReady: Bool {
        var wish = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wish, 1, 0) != 0
    }

    private mutating func readChunk() throws(CompareError) {
        let got = withUnsafeTemporaryAllocation(byteCount: Self.chunkBytes, alignment: 1) { room in
            let got = read(descriptor, room.baseAddress, room.count)
            if got > 0 { lines.append(UnsafeRawBufferPointer(rebasing: room[..<got])) }
            return got
        }
        if got < 0, errno == EINTR { return }
        guard got >= 0 else {
            throw .unreadable(name, reason: String(cString: strerror(errno)))
        }
        bytesRead += got
        guard got == 0 else { return }
        isAtEnd = true
        lines.finish()
    }
}

/// The pairs of a list with `A<TAB>B` in each line; empty lines are skipped.
struct ListedPairs: PairSource {
    private var reader: LineReader

    init(_ reader: LineReader) { self.reader = reader }

    var share: Double? { reader.share }

    mutating func next(waiting: Bool) throws -> SourceStep {
        while true {
            switch try reader.next(waiting: waiting) {
            case .nothingYet: return .nothingYet
            case .end: return .end
            case .line(.line([])): continue
            case .line(let line): return .item(Self.item(line, number: reader.number))
            }
        }
    }

    private static func item(_ line: LineBuffer.Line, number: Int) -> CompareItem {
        do throws(PairLineError) {
            guard case .line(let bytes) = line else { throw .tooLong }
            return CompareItem(pair: try PicturePair(line: bytes, number: number))
        } catch {
            return .broken(line: number, Problem(error))
        }
    }
}

/// The pairs of requests, one JSON object in each line; empty lines are skipped.
struct RequestedPairs: PairSource {
    private var reader: LineReader
    private let flags: PolicyFlags
    private let ignored: [PixelBox]

    /// Creates the source of pairs; a request may override single `flags`, and adds its own boxes
    /// to `ignored`.
    init(_ reader: LineReader, flags: PolicyFlags, ignored: [PixelBox]) {
        self.reader = reader
        self.flags = flags
        self.ignored = ignored
    }

    mutating func next(waiting: Bool) throws -> SourceStep {
        while true {
            switch try reader.next(waiting: waiting) {
            case .nothingYet: return .nothingYet
            case .end: return .end
            case .line(.line([])): continue
            case .line(let line): return .item(item(line, number: reader.number))
            }
        }
    }

    private func item(_ line: LineBuffer.Line, number: Int) -> CompareItem {
        guard case .line(let bytes) = line else {
            return .broken(line: number, Problem(RequestError.tooLong))
        }
        return PairRequest.item(bytes, line: number, flags: flags, ignored: ignored)
    }
}

extension CompareItem {
    /// Creates the broken item for a line that names no pair.
    static func broken(line: Int, _ problem: Problem, request: PairRequest? = nil) -> CompareItem {
        let nowhere = PathBytes("")
        return CompareItem(
            pair: PicturePair(number: line, a: nowhere, b: nowhere),
            kind: .broken(problem),
            request: request
        )
    }
}
