// The folders of a lease as profiles name them: `{references}_64`.

/// Where each name of a lease's folder leads.
package struct LeasePlaces: Sendable {
    /// In the order in which they are shown to people.
    package static let names = ["lease", "captures", "failures", "artifacts", "references"]

    private let folders: [String: String]

    /// Absolute paths.
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

    /// The text with its folders in the place of their names.
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

    /// A name in braces that is no folder of a lease.
    package static func unknownName(in text: String) -> String? {
        text.matches(of: #/\{([^}]*)\}/#).map { String($0.1) }.first { !names.contains($0) }
    }

    /// Whether a text is one of the folders or a folder that begins like it, and stays in the lease.
    package static func isInside(_ text: String) -> Bool {
        names.contains { text.hasPrefix("{\($0)}") } && !text.pathParts.contains("..")
    }
}
