// Reads devices and languages from fastlane's files. These are Ruby: only literal lists are read,
// and files with computed lists are reported.
import FarmCore
import Foundation

struct FastlaneFacts {
    private(set) var devices: [String] = []
    private(set) var languages: [String] = []
    private(set) var workspace: String?
    private(set) var project: String?
    private(set) var scheme: String?
    /// The paths of files that compute their list of devices, so that it cannot be read.
    private(set) var computed: [String] = []

    init(_ files: ProjectFiles) {
        let names = ["Snapfile", "Scanfile", "Fastfile", "Gymfile"]
        for path in names.flatMap({ files.named($0) }) {
            guard let text = files.text(path) else { continue }
            read(Self.withoutComments(text), path)
        }
    }

    private mutating func read(_ text: String, _ path: String) {
        for key in ["devices", "device"] {
            for list in Self.values(of: key, in: text) {
                switch list {
                case .written(let found):
                    for device in found where !devices.contains(device) { devices.append(device) }
                case .computed: if !computed.contains(path) { computed.append(path) }
                }
            }
        }
        for case .written(let found) in Self.values(of: "languages", in: text) {
            for language in found where !languages.contains(language) {
                languages.append(language)
            }
        }
        func first(_ key: String) -> String? {
            for case .written(let found) in Self.values(of: key, in: text) { return found.first }
            return nil
        }
        workspace = workspace ?? first("workspace")
        project = project ?? first("project")
        scheme = scheme ?? first("scheme")
    }

    private enum Value {
        case written([String])
        case computed
    }

    /// Returns the values after `key(`, `key:` or `key `, at the start of a line or an argument.
    private static func values(of key: String, in text: String) -> [Value] {
        var found: [Value] = []
        var rest = text[...]
        while let range = rest.range(of: key) {
            defer { rest = rest[range.upperBound...] }
            let before = rest[..<range.lowerBound].last
            let isStart = before.map { " \t\n(,{:".contains($0) } ?? true
            var after = rest[range.upperBound...]
            guard isStart, let sign = after.first, "(: \t[".contains(sign) else { continue }
            after = after.drop { "(: \t\n".contains($0) }
            if after.first == "[" {
                guard let end = after.firstIndex(of: "]") else { continue }
                let inside = after[after.index(after: after.startIndex)..<end]
                let texts = quoted(inside)
                found.append(texts.isEmpty ? .computed : .written(texts))
            } else if let sign = after.first, sign == "\"" || sign == "'" {
                let text = after.dropFirst().prefix { $0 != sign && $0 != "\n" }
                // Ruby computes `#{…}`.
                found.append(text.contains("#{") ? .computed : .written([String(text)]))
            } else if sign != " ", sign != "\t" {
                // A variable or a call in Ruby.
                found.append(.computed)
            }
        }
        return found
    }

    /// Returns the quoted texts; they may contain brackets and commas.
    private static func quoted(_ text: Substring) -> [String] {
        var found: [String] = []
        var open: Character?
        var current = ""
        for character in text {
            if let quote = open {
                if character == quote {
                    if !current.contains("#{") { found.append(current) }
                    open = nil
                } else {
                    current.append(character)
                }
            } else if character == "\"" || character == "'" {
                open = character
                current = ""
            }
        }
        return found
    }

    private static func withoutComments(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            // A `#` inside quotes does not start a comment; only `#{` is common there.
            var quote: Character?
            var end = line.endIndex
            for index in line.indices {
                let character = line[index]
                if let open = quote {
                    if character == open { quote = nil }
                } else if character == "\"" || character == "'" {
                    quote = character
                } else if character == "#" {
                    end = index
                    break
                }
            }
            return String(line[..<end])
        }.joined(separator: "\n")
    }
}
