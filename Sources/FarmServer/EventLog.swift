// The log of a coordinator, one line per event: JSON for machines, words for people. Tokens and
// passwords in URLs are masked before a line is written.
import FarmCore
import Foundation
import Logging

/// Writes events as lines of text.
package struct EventLog: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level = .info
    package var metadataProvider: Logger.MetadataProvider?
    private let format: LogFormat
    private let write: @Sendable (String) -> Void

    /// Makes a log in a format; `write` gets each line with its newline.
    package init(format: LogFormat, write: @escaping @Sendable (String) -> Void) {
        self.format = format
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var facts = metadata.merging(event.metadata ?? [:]) { $1 }
        // The HTTP library's numbers of calls mean nothing outside of it.
        facts["hb.request.id"] = nil
        if let error = event.error { facts["error"] = "\(error)" }
        let pairs = facts.sorted { $0.key < $1.key }.map {
            (key: $0.key, value: Self.masked("\($0.value)"))
        }
        let message = Self.masked("\(event.message)")
        let time = ISO8601.text(Int64(Date().timeIntervalSince1970 * 1000))
        switch format {
        case .json:
            var line = "{\"time\":\(Self.quoted(time)),\"level\":\"\(event.level)\""
            line += ",\"event\":\(Self.quoted(message))"
            for (key, value) in pairs { line += ",\(Self.quoted(key)):\(Self.quoted(value))" }
            write(line + "}\n")
        case .text:
            let words = pairs.map { " \($0.key)=\(Self.oneLine($0.value))" }.joined()
            write("\(time) \(event.level) \(Self.oneLine(message))\(words)\n")
        }
    }

    private static func masked(_ text: String) -> String {
        SecretMask().mask(text.replacing(/[Bb]earer [^ ]+/, with: "Bearer ***"))
    }

    private static func oneLine(_ text: String) -> String {
        TerminalText.shown(String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 }))
    }

    private static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let bytes = (try? encoder.encode(text)) ?? Data("\"\"".utf8)
        return TerminalText.shown(String(decoding: bytes, as: UTF8.self))
    }
}
