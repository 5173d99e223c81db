// Forms as a browser posts them: application/x-www-form-urlencoded (URL standard, "urlencoded
// parsing"), under limits. Our own pages send no other kind of body, so others are refused.
import FarmCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The names and values of a posted form's fields, in order.
struct PageForm: Sendable {
    static let contentType = "application/x-www-form-urlencoded"

    let fields: [(name: String, value: String)]

    /// Parses the body of a form.
    ///
    /// - Throws: `PageRefusal.notAForm` for bytes that no browser sends.
    init(_ bytes: some Collection<UInt8>) throws(PageRefusal) {
        var fields: [(name: String, value: String)] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            guard fields.count < FarmLimits.formFieldsMax else {
                throw .notAForm("it has over \(FarmLimits.formFieldsMax.grouped) fields")
            }
            let end = pair.firstIndex(of: UInt8(ascii: "="))
            let name = Self.decoded(pair[..<(end ?? pair.endIndex)])
            let value = end.map { Self.decoded(pair[pair.index(after: $0)...]) } ?? ""
            guard let name, let value else { throw .notAForm("it is not UTF-8") }
            fields.append((name, value))
        }
        self.fields = fields
    }

    /// Returns the values of all fields with a name, in order.
    subscript(all name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// Returns the value of the first field with a name, or an empty text if there is none.
    subscript(name: String) -> String { fields.first { $0.name == name }?.value ?? "" }

    private static func decoded(_ bytes: some Sequence<UInt8>) -> String? {
        var result: [UInt8] = []
        var escape: [UInt8]?
        for byte in bytes {
            if var digits = escape {
                digits.append(byte)
                guard digits.count == 2 else {
                    escape = digits
                    continue
                }
                guard let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16),
                    digits.allSatisfy(isHexDigit)
                else { return nil }
                result.append(value)
                escape = nil
            } else if byte == UInt8(ascii: "%") {
                escape = []
            } else {
                result.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return escape == nil ? String(validating: result, as: UTF8.self) : nil
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        Character(UnicodeScalar(byte)).isHexDigit
    }
}

extension RequestReading {
    /// Reads the posted form in a request's body.
    func form(_ request: Request) async throws -> PageForm {
        let type = request.headers[.contentType] ?? ""
        guard type.prefix(while: { $0 != ";" }) == PageForm.contentType else {
            throw PageRefusal.notAForm("it is not \(PageForm.contentType)")
        }
        let bytes = try await bytes(request, bytesMax: FarmLimits.formBytesMax)
        return try PageForm(bytes.readableBytesView)
    }
}
