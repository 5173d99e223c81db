// The paths of pictures as a project describes them. What is no name in braces means what it means
// in every pattern of paths (`Glob`).
import FarmCore

/// Paths of pictures with names for what they say: `{cell}/{suite}/{name}.png`.
///
/// `{suite}` may span folders, `{cell}` and `{name}` stay within one. Of several readings the one
/// with the longest beginning counts.
package struct ImportPattern: Sendable {
    private enum Part: Hashable {
        case glob(Glob.Token)
        case cell
        case suite
        case name
    }

    /// As it was written.
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

    /// What a path says; nil where it does not match.
    func match(_ path: String) -> LayoutPlace? {
        guard path.utf8.count <= Self.bytesMax else { return nil }
        let text = Array(path)
        var matcher = Matcher(parts: parts, text: text)
        guard matcher.match(0, 0) else { return nil }
        func found(_ part: Part) -> String? { matcher.found[part].map { String(text[$0]) } }
        guard let suite = found(.suite), let name = found(.name) else { return nil }
        return LayoutPlace(cell: found(.cell).map { CellID($0) }, suite: suite, name: name)
    }

    /// Remembers what failed, so that no pattern takes more than parts × characters² steps.
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

        /// Takes the longest run that lets the rest match and ends where it may.
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

        /// By bytes: a slash under an accent is one to the file system.
        private func isSlash(_ place: Int) -> Bool {
            text[place].utf8.contains(UInt8(ascii: "/"))
        }
    }
}
