// summary.json. Keys are sorted, the indent is two spaces, and there is one trailing newline, so
// that equal runs are equal bytes. Each test has one line, so that a diff of two summaries is
// readable. Doubles have the shortest text that reads back as the same number. The schema is
// docs/schema/summary.schema.json.
import FarmCore
import Foundation

/// Reads and writes `summary.json`.
package enum SummaryJSON {
    private struct Version: Decodable {
        let schemaVersion: Int
    }

    /// Returns the bytes of `summary.json`.
    ///
    /// - Throws: `ReportError.notWritable` if a number is not finite.
    package static func encode(_ summary: RunSummary) throws(ReportError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            // Writing thousands of rows line by line is many times faster than the encoder.
            var frame = summary
            frame.tests = []
            return insert(try rows(summary.tests), into: try encoder.encode(frame))
        } catch let error as ReportError {
            throw error
        } catch let EncodingError.invalidValue(value, context) {
            let field = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw .notWritable("\(field) is \(value)")
        } catch {
            throw .notWritable(String(describing: error))
        }
    }

    /// Inserts the rows of tests between the brackets of the frame's empty `tests`.
    ///
    /// The search finds no text of a string, because JSON strings contain no line feeds.
    private static func insert(_ rows: [UInt8], into frame: Data) -> Data {
        guard !rows.isEmpty, let key = frame.firstRange(of: Data("\n  \"tests\" : [".utf8)),
            let end = frame[key.upperBound...].firstIndex(of: UInt8(ascii: "]"))
        else { return frame + Data("\n".utf8) }
        var document = Data(capacity: frame.count + rows.count + 8)
        document += frame[..<key.upperBound]
        document += Data("\n".utf8)
        document += rows
        document += Data("\n  ".utf8)
        document += frame[end...]
        document += Data("\n".utf8)
        return document
    }

    private static func rows(_ tests: [TestSummary]) throws(ReportError) -> [UInt8] {
        var rows = JSONText(capacity: 240 * tests.count)
        for (index, test) in tests.enumerated() {
            rows.add(index == 0 ? "    {" : ",\n    {")
            test.add(to: &rows)
            rows.add("}")
        }
        if let field = rows.unwritable { throw .notWritable("tests.\(field)") }
        return rows.bytes
    }

    /// Decodes a summary that this or an older version of the program wrote.
    package static func decode(_ bytes: Data) throws(ReportError) -> RunSummary {
        guard bytes.count <= ReportLimits.summaryBytesMax else {
            throw .tooLarge(bytes: bytes.count, bytesMax: ReportLimits.summaryBytesMax)
        }
        let decoder = JSONDecoder()
        do {
            let version = try decoder.decode(Version.self, from: bytes).schemaVersion
            guard version == RunSummary.currentVersion else {
                throw ReportError.version(found: version, known: RunSummary.currentVersion)
            }
            return try decoder.decode(RunSummary.self, from: bytes)
        } catch let error as ReportError {
            throw error
        } catch let error as DecodingError {
            throw .malformed(Self.reason(error))
        } catch {
            throw .malformed("it is not JSON")
        }
    }

    private static func reason(_ error: DecodingError) -> String {
        func place(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
            return path.isEmpty ? "the document" : path.joined(separator: ".")
        }
        switch error {
        case .keyNotFound(let key, let context):
            return "\(place(context)) has no \(key.stringValue)"
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            return "\(place(context)) is not of type \(type)"
        case .dataCorrupted(let context):
            return "\(place(context)) holds something unknown"
        @unknown default:
            return "it cannot be read"
        }
    }
}
