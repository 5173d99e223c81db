// summary.json: keys sorted, two spaces, one trailing newline, so that equal runs are equal bytes
// and a diff of two summaries reads well. Doubles are written in the shortest form that reads
// back as the same number. The schema is docs/schema/summary.schema.json.
import FarmCore
import Foundation

/// Reads and writes `summary.json`.
package enum SummaryJSON {
    private struct Version: Decodable {
        let schemaVersion: Int
    }

    /// The bytes of `summary.json`.
    ///
    /// - Throws: `ReportError.notWritable` when a number is not finite.
    package static func encode(_ summary: RunSummary) throws(ReportError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            return try encoder.encode(summary) + Data("\n".utf8)
        } catch let EncodingError.invalidValue(value, context) {
            let field = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw .notWritable("\(field) is \(value)")
        } catch {
            throw .notWritable(String(describing: error))
        }
    }

    /// Reads a summary that this or an older program wrote.
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
