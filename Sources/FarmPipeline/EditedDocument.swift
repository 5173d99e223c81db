// The text of a YAML file, changed at the places that the parser names. Each change returns `false`
// where the file is written in a form that it does not fit; whether the change says what is meant,
// its caller finds by reading the changed file.
import Foundation
import Yams

/// A YAML file that gets one new value; all other bytes stay.
struct EditedDocument {
    private var scalars: [Unicode.Scalar]
    /// The places of the lines' beginnings in `scalars`.
    private let lines: [Int]
    private let newline: String

    init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        self.scalars = scalars
        lines = [0] + scalars.indices.filter { scalars[$0] == "\n" }.map { $0 + 1 }
        newline = text.unicodeScalars.contains("\r") ? "\r\n" : "\n"
    }

    var text: String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    /// Adds a value under new keys, each below the one before it, at the beginning of a map.
    mutating func add(_ keys: [String], _ value: String, to node: Node) -> Bool {
        guard let map = node.mapping, let place = place(node.mark) else { return false }
        // The parser does not say the style of a map or list.
        if scalars[place] == "{" {
            let end = String(repeating: "}", count: keys.count - 1)
            let entry = keys.joined(separator: ": {") + ": " + value + end
            insert(entry + (map.isEmpty ? "" : ", "), at: place + 1)
            return true
        }
        guard let first = map.first?.key.mark, let start = self.place(first) else { return false }
        let indent = scalars[lines[first.line - 1]..<start]
        guard indent.allSatisfy({ $0 == " " }) else { return false }
        // A comment above the first entry is about that entry.
        var line = first.line - 1
        while line > 0, isComment(line - 1) { line -= 1 }
        let entry = keys.enumerated().map { depth, key in
            String(repeating: " ", count: indent.count + 2 * depth) + key + ":"
        }
        insert(entry.joined(separator: newline) + " " + value + newline, at: lines[line])
        return true
    }

    /// Adds a value at the end of a list, or makes a list of a single value and this one.
    mutating func append(_ value: String, to node: Node) -> Bool {
        guard let list = node.sequence else { return makeList(of: node, and: value) }
        guard let place = place(node.mark) else { return false }
        if scalars[place] == "[" {
            guard let last = list.last else {
                insert(value, at: place + 1)
                return true
            }
            guard let end = end(of: last) else { return false }
            insert(", " + value, at: end)
            return true
        }
        guard let last = list.last?.mark, let item = self.place(last) else { return false }
        let dash = scalars[lines[last.line - 1]..<item]
        guard dash.contains("-"), dash.allSatisfy({ $0 == " " || $0 == "-" }) else { return false }
        let entry = dash.map(String.init).joined() + value
        if lines.indices.contains(last.line) {
            insert(entry + newline, at: lines[last.line])
        } else {
            insert(newline + entry, at: scalars.count)
        }
        return true
    }

    private mutating func makeList(of node: Node, and value: String) -> Bool {
        guard let place = place(node.mark), let end = end(of: node) else { return false }
        let quote = Self.quotes.contains(scalars[place]) ? "" : "\""
        insert("\(quote), \(value)]", at: end)
        insert("[" + quote, at: place)
        return true
    }

    private static let quotes: Set<Unicode.Scalar> = ["\"", "'"]

    /// Returns the place behind a scalar without escaped characters.
    private func end(of node: Node) -> Int? {
        guard let text = node.scalar?.string, let place = place(node.mark) else { return nil }
        guard Self.quotes.contains(scalars[place]) else {
            let end = place + text.unicodeScalars.count
            return end <= scalars.count ? end : nil
        }
        return scalars[(place + 1)...].firstIndex(of: scalars[place]).map { $0 + 1 }
    }

    /// Returns the place of a mark, or `nil` if it is outside of the text.
    private func place(_ mark: Mark?) -> Int? {
        guard let mark, lines.indices.contains(mark.line - 1), mark.column > 0 else { return nil }
        let place = lines[mark.line - 1] + mark.column - 1
        return place < scalars.count ? place : nil
    }

    /// Whether a line has a comment alone, or nothing.
    private func isComment(_ line: Int) -> Bool {
        let content = scalars[lines[line]..<lines[line + 1]]
            .drop { $0.properties.isWhitespace }
        return content.isEmpty || content.first == "#"
    }

    private mutating func insert(_ text: String, at place: Int) {
        scalars.insert(contentsOf: text.unicodeScalars, at: place)
    }
}

extension String {
    /// The text in double quotes, which are those of JSON in YAML.
    var yamlText: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: (try? encoder.encode(self)) ?? Data(), as: UTF8.self)
    }
}
