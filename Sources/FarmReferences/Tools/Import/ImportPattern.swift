// The pattern by which a project describes the paths of its pictures. Outside of the names in
// braces, it has the syntax of all path patterns (`Glob`).
import FarmCore

/// A pattern of paths with names in braces, such as `{cell}/{suite}/{name}.png`.
///
/// `{suite}` may span folders; `{cell}` and `{name}` stay within one. If a path has several
/// readings, earlier parts match as much as possible.
package struct ImportPattern: Sendable {
    private enum Part: Hashable {
        case glob(Glob.Token)
        case cell
        case suite
        case name
    }

    /// The pattern, as the user wrote it.
    package let text: String
    private let parts: [Part]
    private static let bytesMax = 4_096
    private static let names: [(String, Part)] = [
        ("{cell}", .cell), ("{suite}", .suite), ("{name}", .name),
    ]

    package init(_ text: String) throws(ImportFault) {
        self.text = text
        var parts: [Part] = []
        var rest = text[...]
        while !rest.isEmpty {
            if let (word, name) = Self.names.first(where: { rest.hasPrefix($0.0) }) {
                parts.append(name)
                rest = rest.dropFirst(word.count)
                continue
            }
            let plain = rest.prefix { $0 != "{" }
            guard !plain.isEmpty, !plain.contains("}") else {
                throw .pattern(text, reason: "holds an unknown name in braces")
            }
            let tokens = Glob.pathTokens(String(plain), atComponentStart: parts.isEmpty)
            parts += tokens.map { .glob($0) }
            rest = rest.dropFirst(plain.count)
        }
        for part in [Part.suite, .name] where parts.count(where: { $0 == part }) != 1 {
            throw .pattern(text, reason: "does not hold {suite} and {name} once each")
        }
        guard parts.count(where: { $0 == .cell }) < 2, text.utf8.count <= Self.bytesMax,
            text.hasSuffix(".png")
        else {
            throw .pattern(
                text,
                reason: "is too long, names the cell twice, or does not end in .png"
            )
        }
        self.parts = parts
    }

    /// Returns the cell, suite and name in a path, or `nil` if it does not match.
    func match(_ path: String) -> LayoutPlace? {
        guard path.utf8.count <= Self.bytesMax else { return nil }
        let text = Array(path)
        var matcher = Matcher(parts: parts, text: text)
        guard matcher.match(0, 0) else { return nil }
        func found(_ part: Part) -> String? { matcher.found[part].map { String(text[$0]) } }
        guard let suite = found(.suite), let name = found(.name) else { return nil }
        return LayoutPlace(cell: found(.cell).map { CellID($0) }, suite: suite, name: name)
    }

    /// A matcher that remembers failures, so that no pattern takes more than parts × characters²
    /// steps.
    private struct Matcher {
        let parts: [Part]
        let text: [Character]
        var found: [Part: Range<Int>] = [:]
        private var failed: Set<Int> = []

        init(parts: [Part], text: [Character]) {
            self.parts = parts
            self.text = text
        }

        mutating func match(_ part: Int, _ start: Int) -> Bool {
            guard part < parts.count else { return start == text.count }
            let key = part * (text.count + 1) + start
            guard !failed.contains(key) else { return false }
            let matches =
                switch parts[part] {
                case .glob(.literal(let expected)):
                    start < text.count && text[start] == expected && match(part + 1, start + 1)
                case .glob(.one):
                    start < text.count && !isSlash(start) && match(part + 1, start + 1)
                case .glob, .cell, .suite, .name: matchRun(part, start)
                }
            if !matches { failed.insert(key) }
            return matches
        }

        /// Matches the longest run of characters after which the rest of the pattern matches.
        private mutating func matchRun(_ part: Int, _ start: Int) -> Bool {
            let kind = parts[part]
            let spansFolders = [.suite, .glob(.deepRun), .glob(.folders)].contains(kind)
            var end = start
            while end < text.count, spansFolders || !isSlash(end) { end += 1 }
            while end >= start {
                if mayEnd(kind, start..<end), match(part + 1, end) {
                    found[kind] = start..<end
                    return true
                }
                end -= 1
            }
            return false
        }

        private func mayEnd(_ kind: Part, _ taken: Range<Int>) -> Bool {
            switch kind {
            case .glob(.folders): taken.isEmpty || isSlash(taken.upperBound - 1)
            case .glob: true
            case .cell, .suite, .name: !taken.isEmpty
            }
        }

        /// Whether a character contains the byte of a slash: to the file system, a slash with an
        /// accent is a slash.
        private func isSlash(_ place: Int) -> Bool {
            text[place].utf8.contains(UInt8(ascii: "/"))
        }
    }
}
