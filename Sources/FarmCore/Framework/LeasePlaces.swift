// The folders of a lease, as profiles name them: `{references}_64`.

/// The paths of a lease's folders by their names.
package struct LeasePlaces: Sendable {
    /// The names of the folders, in the order in which messages list them.
    package static let names = ["lease", "captures", "failures", "artifacts", "references"]

    private let folders: [String: String]

    /// Makes the places of a lease from its folders' absolute paths.
    package init(
        lease: String,
        captures: String,
        failures: String,
        artifacts: String,
        references: String
    ) {
        folders = [
            "lease": lease, "captures": captures, "failures": failures, "artifacts": artifacts,
            "references": references,
        ]
    }

    /// Returns the text with each folder's path in the place of its name in braces.
    package func filled(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let brace = rest.firstIndex(of: "{"), let end = rest[brace...].firstIndex(of: "}") {
            let name = rest[rest.index(after: brace)..<end]
            result += rest[..<brace]
            result += folders[String(name)] ?? "{\(name)}"
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    /// Returns the first name in braces that is no folder of a lease, or `nil` if there is none.
    package static func unknownName(in text: String) -> String? {
        text.matches(of: #/\{([^}]*)\}/#).map { String($0.1) }.first { !names.contains($0) }
    }

    /// Whether the text begins with a folder's name in braces and has no `..`, so that its path
    /// stays in the lease.
    package static func isInside(_ text: String) -> Bool {
        names.contains { text.hasPrefix("{\($0)}") } && !text.pathParts.contains("..")
    }
}
