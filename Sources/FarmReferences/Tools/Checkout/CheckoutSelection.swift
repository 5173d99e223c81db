// The selection of `refs commit --select` among the edited pictures.
import FarmCore

/// A selection of edited pictures; a picture must match one pattern of each key that is given.
package struct CheckoutSelection: Sendable {
    private static let keys = ["cell", "suite", "snapshot"]
    /// The internal key of patterns without a key.
    private static let either = ""

    private var patterns: [String: [Glob]] = [:]

    /// Parses the words of `--select`, each `KEY=PATTERN` or only a pattern.
    ///
    /// A pattern without a key is for `<cell>/<suite>/<name>` or for the file's path; `refs status`
    /// shows both.
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

    /// Whether the selection contains a picture; `id` is `nil` if the file's snapshot is unknown.
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
    /// Returns the status with only the selected pictures.
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
