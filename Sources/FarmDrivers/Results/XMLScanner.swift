// Reads the part of XML 1.0 that results files are written in, tag by tag: elements, attributes,
// texts, CDATA, comments and processing instructions, in UTF-8.
//
// The file is hostile. Every byte is looked at a fixed number of times, nothing is copied before
// somebody asks for it, and a document type is refused: entities can grow without end and read
// other files. Control characters, which XML forbids and programs print, are text like any other.
import FarmCore
import Foundation

/// Why a file is not the XML that is read here.
enum XMLFault: Error, Equatable {
    case empty
    case notXML
    case documentType
    case tooDeep
    case longName
    case longValue
    /// It breaks off, or breaks a rule of XML.
    case broken
}

/// What comes next in a file; names and texts are where they stand.
enum XMLEvent: Equatable {
    /// A start tag's name; its attributes follow, then `opened`.
    case start(Range<Int>)
    case attribute(name: Range<Int>, value: Range<Int>)
    case opened
    /// Text with its references as written.
    case text(Range<Int>)
    /// Text that has no references.
    case characterData(Range<Int>)
    case end(Range<Int>)
    case finished
}

/// Walks over a file's bytes, which must outlive it.
struct XMLScanner {
    /// Longer texts come in pieces, so that who reads them can stop between two.
    private static let textBytesMax = 1 << 16

    private enum Place {
        case outside
        case tag(Range<Int>)
        /// An element without content, whose end is still to be said.
        case emptyElement(Range<Int>)
        case content
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private let base: UnsafePointer<UInt8>
    private var place = Place.outside
    private var hasRoot = false
    /// The names of the elements that are open.
    private var open: [Range<Int>] = []
    /// Where the next byte is; after a fault, where it was seen.
    private(set) var at = 0

    /// - Throws: `XMLFault.empty` for a file without bytes.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(XMLFault) {
        guard let base = bytes.baseAddress, bytes.count > 0 else { throw .empty }
        self.bytes = bytes
        self.base = base
        if has("\u{FEFF}") { at = 3 }
    }

    /// The next event; `finished` once the only element has been closed and nothing else follows.
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
                guard bytes[at] == UInt8(ascii: "<") else { return .text(try textRun()) }
                if let event = try markup() { return event }
            }
        }
    }

    // MARK: markup

    /// What stands at a `<`; nil of what says nothing.
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
        try checkReferences(in: value)
        at = end + 1
        return .attribute(name: attribute, value: value)
    }

    private mutating func textRun() throws(XMLFault) -> Range<Int> {
        let start = at
        let limit = min(start + Self.textBytesMax, bytes.count)
        var end = find(UInt8(ascii: "<"), in: start..<limit) ?? limit
        if end == limit, limit < bytes.count {
            // A reference and an end of a line stay in one piece.
            let last = limit - Self.referenceBytesMax..<limit
            if let open = last.last(where: { bytes[$0] == UInt8(ascii: "&") }),
                find(UInt8(ascii: ";"), in: open..<limit) == nil
            {
                end = open
            } else if bytes[limit - 1] == 13 {
                end -= 1
            }
        }
        try checkReferences(in: start..<end)
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

    /// Goes on behind the first `text`, which ends in `>` and in no other place holds one.
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

    private func find(_ byte: UInt8, in range: Range<Int>) -> Int? {
        memchr(base + range.lowerBound, Int32(byte), range.count).map {
            UnsafeRawPointer($0) - UnsafeRawPointer(base)
        }
    }

    private mutating func checkReferences(in range: Range<Int>) throws(XMLFault) {
        var rest = range
        while let start = find(UInt8(ascii: "&"), in: rest) {
            at = start
            let (_, end) = try reference(at: start, in: range)
            rest = end..<range.upperBound
        }
    }
}

// MARK: - text

extension XMLScanner {
    /// Digits that name any character have seven; leading zeros say nothing.
    private static let referenceBytesMax = 16
    private static let named: [(StaticString, Unicode.Scalar)] = [
        ("lt", "<"), ("gt", ">"), ("amp", "&"), ("quot", "\""), ("apos", "'"),
    ]

    /// The character of `&…;`, and where the text goes on.
    private func reference(
        at start: Int,
        in range: Range<Int>
    ) throws(XMLFault) -> (scalar: Unicode.Scalar, end: Int) {
        let limit = min(range.upperBound, start + Self.referenceBytesMax)
        guard let end = find(UInt8(ascii: ";"), in: start..<limit) else { throw .broken }
        for (name, scalar) in Self.named where name.utf8CodeUnitCount == end - start - 1 {
            guard memcmp(base + start + 1, name.utf8Start, name.utf8CodeUnitCount) != 0 else {
                return (scalar, end + 1)
            }
        }
        let name = string(start + 1..<end)
        let digits = name.dropFirst(name.utf8.starts(with: "#x".utf8) ? 2 : 1)
        guard name.utf8.first == UInt8(ascii: "#"), digits.utf8.first != UInt8(ascii: "+"),
            let value = UInt32(digits, radix: name.utf8.dropFirst().first == 0x78 ? 16 : 10),
            value > 0, let scalar = Unicode.Scalar(value)
        else { throw .broken }
        return (scalar, end + 1)
    }

    /// The bytes of a range as they are.
    func string(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    /// The first bytes of an attribute's value, cut between two characters; white space is spaces.
    func value(_ range: Range<Int>, bytesMax: Int) throws(XMLFault) -> String {
        var kept: [UInt8] = []
        try pieces(of: range) { piece in
            kept += piece
            return kept.count <= bytesMax
        }
        kept.cut(toBytes: bytesMax)
        for index in kept.indices where [9, 10, 13].contains(kept[index]) { kept[index] = 32 }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Hands over a text in pieces, with its references replaced and its lines ended by LF, until
    /// `take` says that it has enough.
    func pieces(
        of range: Range<Int>,
        hasReferences: Bool = true,
        _ take: (UnsafeBufferPointer<UInt8>) -> Bool
    ) throws(XMLFault) {
        var start = range.lowerBound
        var index = start
        while index < range.upperBound {
            let byte = bytes[index]
            let isReference = byte == UInt8(ascii: "&") && hasReferences
            // Long texts come in pieces too, so that who has enough need not see the rest.
            guard isReference || byte == 13 || index - start == 1 << 16 else {
                index += 1
                continue
            }
            guard take(UnsafeBufferPointer(rebasing: bytes[start..<index])) else { return }
            start = index
            guard isReference || byte == 13 else { continue }
            var replacement = [UInt8(ascii: "\n")]
            start += 1
            if isReference {
                let (scalar, end) = try reference(at: index, in: range)
                replacement = Array(String(scalar).utf8)
                start = end
            } else if start < range.upperBound, bytes[start] == 10 {
                start += 1
            }
            index = start
            guard replacement.withUnsafeBufferPointer(take) else { return }
        }
        _ = take(UnsafeBufferPointer(rebasing: bytes[start..<range.upperBound]))
    }

    /// Whether all bytes are UTF-8.
    static func isText(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            // A piece ends before the first byte of a character.
            var end = min(rest.startIndex + 1 << 20, rest.endIndex)
            while end < rest.endIndex, end > rest.startIndex, rest[end] & 0xC0 == 0x80 { end -= 1 }
            guard end > rest.startIndex,
                String(
                    validating: UnsafeBufferPointer(rebasing: rest[..<end]),
                    as: UTF8.self
                ) != nil
            else { return false }
            rest = rest[end...]
        }
        return true
    }
}
