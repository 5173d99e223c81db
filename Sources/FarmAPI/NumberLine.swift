// Numbers by the thousand, written as one text: one by one, JSON's coders take a microsecond for
// each, several times what a number takes by itself.

/// Numbers as they travel: one text with spaces between them; a list is read as well.
struct NumberLine<Number: Codable & LosslessStringConvertible & Sendable>: Codable, Sendable {
    let numbers: [Number]

    init(_ numbers: [Number]) { self.numbers = numbers }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let text = try? value.decode(String.self) else {
            numbers = try value.decode([Number].self)
            return
        }
        numbers = try text.utf8.split(separator: UInt8(ascii: " ")).map { word in
            guard let first = word.first, first != UInt8(ascii: "+"), word.allSatisfy(Self.isPlain),
                let number = Number(String(decoding: word, as: UTF8.self)),
                (number as? Double)?.isFinite != false
            else {
                throw DecodingError.dataCorruptedError(
                    in: value,
                    debugDescription: "not a number of this kind"
                )
            }
            return number
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(numbers.map(\.description).joined(separator: " "))
    }

    /// What JSON's numbers are made of: no `inf`, no `nan`, no `0x1p3`.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
