// `refs commit --select`: which of the pictures that were edited here are meant.
import FarmCore

/// A choice among edited pictures: the same key twice means either, different keys mean both.
package struct CheckoutSelection: Sendable {
    private static let keys = ["cell", "suite", "snapshot"]
    /// The key of a word that names none.
    private static let either = ""

    private var patterns: [String: [Glob]] = [:]

    /// Reads `KEY=PATTERN`; a word without a key is a pattern of `<cell>/<suite>/<name>` or of
    /// the file's path, as `refs status` shows both.
    package init(_ words: [String]) throws(Selection.Mistake) {
        for word in words {
            guard let equals = word.firstIndex(of: "=") else {
                add(word, to: Self.either)
                continue
            }
            let key = String(word[..<equals])
            guard Self.keys.contains(key) else { throw .key(key, known: Self.keys) }
            add(String(word[word.index(after: equals)...]), to: key)
        }
    }

    private mutating func add(_ pattern: String, to key: String) {
        patterns[key, default: []].append(Glob(pattern, mode: .text))
    }

    /// Whether a picture is meant; one that cannot be mapped to a snapshot has only its path.
    func takes(_ path: String, _ id: SnapshotID?) -> Bool {
        patterns.allSatisfy { key, globs in
            let texts =
                switch key {
                case "cell": [id?.cell.text]
                case "suite": [id?.suite]
                case "snapshot": [id?.text]
                default: [id?.text, path]
                }
            return texts.compactMap(\.self).contains { text in
                globs.contains { $0.matches(text) }
            }
        }
    }
}

extension CheckoutStatus {
    /// Only what a selection takes.
    package func only(_ selection: CheckoutSelection) -> CheckoutStatus {
        var status = self
        func takes(_ edit: CheckoutEdit) -> Bool { selection.takes(edit.path, edit.id) }
        status.modified = modified.filter(takes)
        status.added = added.filter(takes)
        status.deleted = deleted.filter(takes)
        status.unusable = unusable.filter { selection.takes($0.path, $0.id) }
        return status
    }
}
