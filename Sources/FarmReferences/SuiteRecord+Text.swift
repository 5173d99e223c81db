// The text of `.renderer.json`. The file is part of a set, so its bytes must follow from its
// content alone on every machine: keys sorted by bytes, no white space, and no encoder whose rules
// may change.
import FarmCore
import FarmGit
import Foundation

extension SuiteRecord {
    /// The name of the file that contains a suite's record, in the suite's folder.
    package static let fileName = ".renderer.json"
    /// The largest size of a record: 500 bytes for each picture, for twice the pictures of one
    /// lease.
    static let bytesMax = 20 << 20

    /// The bytes of the record's file; equal records have equal bytes.
    var canonicalBytes: Data {
        let maker = pipeline.map { "\"pipeline\":\(quoted($0))," } ?? ""
        let text =
            "{\"job\":\(quoted(job.text)),\(maker)\"renderer\":\(object(renderer)),"
            + "\"tests\":\(object(tests.mapValues(\.text)))}"
        return Data(text.utf8)
    }

    /// Parses the bytes of a record's file; `what` names the file in errors.
    init(canonical bytes: Data, what: String) throws(GitError) {
        do {
            self = try JSONDecoder().decode(SuiteRecord.self, from: bytes)
        } catch {
            throw .malformed(what: what, fact: "not a record of a suite (\(error.inWords))")
        }
    }
}

private func object(_ members: [String: String]) -> String {
    let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return "{" + sorted.map { "\(quoted($0.key)):\(quoted($0.value))" }.joined(separator: ",") + "}"
}

/// Returns a JSON string; only characters that JSON forbids are escaped.
private func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": quoted += "\\\""
        case "\\": quoted += "\\\\"
        case "\u{0}"..."\u{1F}":
            let digits = String(scalar.value, radix: 16)
            quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: quoted.unicodeScalars.append(scalar)
        }
    }
    return quoted + "\""
}
