// The coding of a pin as its text, in plans, ledgers, zips and messages. The decoder checks it as
// strictly as the file, so that a decoded pin is always valid.
import Foundation

extension ReferencePin: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(parsing: Data(text.utf8), file: "pin")
        } catch {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "pin is not the text of a pin: \(error.message)"
            )
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
