// Encodes JSON for the browser. Answers are decoded into the types that expect them.
import FarmCore
import Foundation

extension JSONValue {
    /// The encoded value, with sorted keys, so that equal values are equal bytes.
    var data: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self)
        }
    }

    /// Returns a text as a JavaScript literal.
    static func literal(_ text: String) -> String {
        guard let data = try? JSONValue.text(text).data else { return "\"\"" }
        // JSON may contain these two characters, JavaScript before 2019 may not.
        return String(decoding: data, as: UTF8.self)
            .replacingOccurrences(of: "\u{2028}", with: "\\u2028")
            .replacingOccurrences(of: "\u{2029}", with: "\\u2029")
    }
}
