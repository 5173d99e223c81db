// Scans the part of XML 1.0 that results files use, tag by tag: elements, attributes, texts, CDATA,
// comments and processing instructions, in UTF-8.
//
// The file is hostile. Every byte is looked at a fixed number of times, nothing is copied before
// the reader needs it, and a document type is rejected: entities can grow without end and read
// other files. Control characters, which XML forbids and programs print, are ordinary text, and so
// is an `&` that begins no reference; a reference to no character is read as U+FFFD.
import FarmCore
import Foundation

/// The reason why a file is not XML of the kind that the scanner reads.
enum XMLFault: Error, Equatable {
    case empty
    case notXML
    case documentType
    case tooDeep
    case longName
    case longValue
    /// The file breaks off, or breaks a rule of XML.
    case broken
}

/// The next part of a file; names and texts are ranges of its bytes.
enum XMLEvent: Equatable {
    /// A start tag's name; its attributes follow, then `opened`.
    case start(Range<Int>)
    case attribute(name: Range<Int>, value: Range<Int>)
    case opened
    /// A text, in which references are not replaced yet.
    case text(Range<Int>)
    /// A text that has no references, as in CDATA.
    case characterData(Range<Int>)
    case end(Range<Int>)
    case finished
}

/// Scans a file's bytes, which must outlive the scanner.
struct XMLScanner {
    /// The most bytes of one event; a longer text comes in pieces, so that the reader can stop
    /// between two.
    private static let textBytesMax = 1 << 16

    private enum Place {
        case outside
        case tag(Range<Int>)
        /// The position after an element without content, whose `end` is still to come.
        case emptyElement(Range<Int>)
        case content
    }

    let bytes: UnsafeBufferPointer<UInt8>
    let base: UnsafePointer<UInt8>
    private var place = Place.outside
    private var hasRoot = false
    /// The names of the open elements as ranges of `bytes`, the outermost first.
    private var open: [Range<Int>] = []
    /// The offset of the next byte; after a fault, the offset of the fault.
    private(set) var at = 0
    /// The offsets of U+FFFD that stand for unreadable bytes, in order; the first `replacedTaken`
    /// were returned.
    private let replaced: [Int]
    private var replacedTaken = 0
    /// The offsets of references to no character since the last call of `takeReplaced`.
    private var badReferences: [Int] = []

    /// Creates a scanner of a file's bytes; `replaced` are the offsets of U+FFFD that stand for
    /// unreadable bytes, in order.
    ///
    /// - Throws: `XMLFault.empty` for a file without bytes.
    init(_ bytes: UnsafeBufferPointer<UInt8>, replaced: [Int] = []) throws(XMLFault) {
        guard let base = bytes.baseAddress, bytes.count > 0 else { throw .empty }
        self.bytes = bytes
        self.base = base
        self.replaced = replaced
        if has("\u{FEFF}") { at = 3 }
    }

    /// Returns the offsets at which characters were replaced since the last call.
    mutating func takeReplaced() -> [Int] {
        let start = replacedTaken
        while replacedTaken < replaced.count, replaced[replacedTaken] < at { replacedTaken += 1 }
        defer { badReferences = [] }
        return badReferences + replaced[start..<replacedTaken]
    }

    /// Returns the next event; `finished` once the only element is closed and nothing else follows.
    mutating func next() throws(XMLFault) -> XMLEvent {
        switch place {
        case .tag(let name): return try nextOfTag(name)
        case .emptyElement(let name):
            leave()
            return .end(name)
        case .outside:
            while true {
                skipSpace()
                guard at < bytes.count else {
                    guard hasRoot else { throw at == 0 ? .broken : .empty }
                    return .finished
                }
                guard bytes[at] == UInt8(ascii: "<") else { throw hasRoot ? .broken : .notXML }
                if let event = try markup() { return event }
            }
        case .content:
            while true {
                guard at < bytes.count else { throw .broken }
                guard bytes[at] == UInt8(ascii: "<") else { return .text(textRun()) }
                if let event = try markup() { return event }
            }
        }
    }

    // MARK: markup

    /// Reads the markup at a `<`; returns `nil` for a comment or a processing instruction.
    private mutating func markup() throws(XMLFault) -> XMLEvent? {
        if has("</") {
            return try endTag()
        } else if has("<?") {
            try skip(past: "?>", from: at + 2)
            return nil
        } else if has("<!--") {
            try skip(past: "-->", from: at + 4)
            return nil
        } else if has("<![CDATA["), !open.isEmpty {
            let start = at + 9
            try skip(past: "]]>", from: start)
            return .characterData(start..<at - 3)
        } else if has("<!") {
            throw open.isEmpty ? .documentType : .broken
        }
        // XML has one element at the top.
        guard !open.isEmpty || !hasRoot else { throw .broken }
        at += 1
        let name = try name()
        hasRoot = true
        open.append(name)
        guard open.count <= FarmLimits.xmlDepthMax else { throw .tooDeep }
        place = .tag(name)
        return .start(name)
    }

    private mutating func endTag() throws(XMLFault) -> XMLEvent {
        at += 2
        let name = try name()
        skipSpace()
        guard take(">"), let opened = open.last, opened.count == name.count,
            memcmp(base + opened.lowerBound, base + name.lowerBound, name.count) == 0
        else { throw .broken }
        leave()
        return .end(name)
    }

    private mutating func leave() {
        open.removeLast()
        place = open.isEmpty ? .outside : .content
    }

    private mutating func nextOfTag(_ name: Range<Int>) throws(XMLFault) -> XMLEvent {
        let hadSpace = skipSpace()
        if take(">") {
            place = .content
            return .opened
        } else if has("/>") {
            at += 2
            place = .emptyElement(name)
            return .opened
        }
        guard hadSpace else { throw .broken }
        let attribute = try self.name()
        skipSpace()
        guard take("=") else { throw .broken }
        skipSpace()
        guard at < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[at]) else {
            throw .broken
        }
        guard let end = find(bytes[at], in: at + 1..<bytes.count) else { throw .broken }
        let value = at + 1..<end
        guard value.count <= FarmLimits.xmlValueBytesMax else { throw .longValue }
        guard find(UInt8(ascii: "<"), in: value) == nil else { throw .broken }
        noteReferences(in: value)
        at = end + 1
        return .attribute(name: attribute, value: value)
    }

    private mutating func textRun() -> Range<Int> {
        let start = at
        let limit = min(start + Self.textBytesMax, bytes.count)
        let end =
            find(UInt8(ascii: "<"), in: start..<limit)
            ?? (limit < bytes.count ? pieceEnd(before: limit) : limit)
        noteReferences(in: start..<end)
        at = end
        return start..<end
    }

    private mutating func name() throws(XMLFault) -> Range<Int> {
        let start = at
        while at < bytes.count, Self.isOfName(bytes[at], isFirst: at == start) {
            at += 1
            guard at - start <= FarmLimits.xmlNameBytesMax else { throw .longName }
        }
        guard at > start else { throw .broken }
        return start..<at
    }

    private static func isOfName(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...,
            UInt8(ascii: "_"), UInt8(ascii: ":"):
            true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !isFirst
        default: false
        }
    }

    // MARK: bytes

    private func has(_ text: StaticString) -> Bool {
        bytes.count - at >= text.utf8CodeUnitCount
            && memcmp(base + at, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    private mutating func take(_ text: StaticString) -> Bool {
        guard has(text) else { return false }
        at += text.utf8CodeUnitCount
        return true
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = at
        while at < bytes.count, [9, 10, 13, 32].contains(bytes[at]) { at += 1 }
        return at > start
    }

    /// Moves to the byte after the first `text` at or after `start`.
    ///
    /// The only `>` of `text` must be its last byte.
    private mutating func skip(past text: StaticString, from start: Int) throws(XMLFault) {
        let before = text.utf8CodeUnitCount - 1
        var from = start
        while let end = find(UInt8(ascii: ">"), in: min(from, bytes.count)..<bytes.count) {
            from = end + 1
            guard end - before >= start, memcmp(base + end - before, text.utf8Start, before) == 0
            else { continue }
            at = from
            return
        }
        throw .broken
    }

    func find(_ byte: UInt8, in range: Range<Int>) -> Int? {
        memchr(base + range.lowerBound, Int32(byte), range.count).map {
            UnsafeRawPointer($0) - UnsafeRawPointer(base)
        }
    }

    private mutating func noteReferences(in range: Range<Int>) {
        var rest = range
        while let start = find(UInt8(ascii: "&"), in: rest) {
            let found = reference(at: start, in: range)
            if found.isReplaced, badReferences.count < ResultsText.replacedMax {
                badReferences.append(start)
            }
            rest = found.end..<range.upperBound
        }
    }
}
