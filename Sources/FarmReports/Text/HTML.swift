// Markup that always escapes text: the literal parts of `"<b>\(name)</b>" as HTML` are markup,
// everything interpolated is text. Escaping works byte by byte: escaping by Character, as mustache
// libraries for Swift do, lets a quote with a combining mark end an attribute.

/// HTML markup in which all foreign text is escaped.
package struct HTML: ExpressibleByStringInterpolation, Sendable {
    package private(set) var markup: String

    /// Makes markup from the program's own text without escaping it; never pass input.
    package init(trusted markup: String) {
        self.markup = markup
    }

    package init(stringLiteral markup: String) {
        self.markup = markup
    }

    package init(stringInterpolation: Interpolation) {
        markup = stringInterpolation.markup
    }

    package static func += (left: inout Self, right: Self) {
        left.markup += right.markup
    }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            markup.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) {
            markup += literal
        }

        package mutating func appendInterpolation(_ text: String) {
            markup += HTML.escaped(text)
        }

        package mutating func appendInterpolation(_ number: Int) {
            markup += String(number)
        }

        package mutating func appendInterpolation(_ part: HTML) {
            markup += part.markup
        }

        package mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { markup += part.markup }
        }
    }

    /// Returns text escaped for element content and quoted attributes, in HTML and XML.
    static func escaped(_ text: String) -> String {
        let legal = LegalText.document(text)
        guard legal.utf8.contains(where: isSpecial) else { return legal }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(legal.utf8.count + 16)
        for byte in legal.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
            case UInt8(ascii: "'"): bytes += Array("&#39;".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
            UInt8(ascii: "'"):
            true
        default: false
        }
    }
}
