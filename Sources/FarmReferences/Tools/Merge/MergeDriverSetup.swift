// The setup of the merge driver: one line in `.gitattributes`, which is committed, and settings of
// each clone. Both are computed here and written by the command.
import FarmCore
import Foundation

/// The missing parts of the merge driver's setup in a clone; the caller writes them.
package struct MergeDriverSetup: Sendable, Hashable, Codable {
    package struct Setting: Sendable, Hashable, Codable {
        package var name: String
        package var value: String
    }

    /// The line for `.gitattributes`, or `nil` if it is there already.
    package var attributesLine: String?
    /// The settings of the clone (`git config --local`) that are missing or differ.
    package var settings: [Setting]

    package var isComplete: Bool { attributesLine == nil && settings.isEmpty }

    /// The setup as shell commands, for people who prefer to type them.
    package var commands: [String] {
        let attributes = attributesLine.map { ["echo '\($0)' >> .gitattributes"] } ?? []
        return attributes + settings.map { "git config --local \($0.name) '\($0.value)'" }
    }

    /// The settings of a clone that the driver needs; `driver` is the command that Git runs.
    ///
    /// `recursive` is for merges of merge bases: `binary` keeps the base there, because conflict
    /// markers would make the outer merge fail.
    private static let wanted = [
        Setting(name: "merge.snapfarm.name", value: "snapfarm reference pins"),
        Setting(name: "merge.snapfarm.driver", value: "snapfarm refs merge-driver %O %A %B"),
        Setting(name: "merge.snapfarm.recursive", value: "binary"),
    ]

    /// Compares the present configuration with the needed one.
    ///
    /// - Parameters:
    ///   - pinPath: the path of the pin in the main repository, with `/`.
    ///   - attributes: the text of `.gitattributes`, or empty if there is none.
    ///   - configured: the values of the clone's settings, by name.
    package init(pinPath: String, attributes: String, configured: [String: String]) {
        let line = "\(Self.pattern(for: pinPath)) merge=snapfarm -text"
        let lines = attributes.split(whereSeparator: \.isNewline)
        attributesLine = lines.contains { $0 == line } ? nil : line
        settings = Self.wanted.filter { configured[$0.name] != $0.value }
    }

    /// Returns the text of `.gitattributes` with the line added.
    package func attributes(after text: String) -> String {
        guard let attributesLine else { return text }
        let separator = text.isEmpty || text.hasSuffix("\n") ? "" : "\n"
        return text + separator + attributesLine + "\n"
    }

    /// Returns the pattern of a path from the root, quoted as gitattributes(5) requires.
    private static func pattern(for path: String) -> String {
        var pattern = "/"
        var quotes = false
        for scalar in path.unicodeScalars {
            switch scalar {
            case "*", "?", "[", "]":
                pattern += "\\"
                pattern.unicodeScalars.append(scalar)
            case "\"", "\\":
                pattern += "\\"
                pattern.unicodeScalars.append(scalar)
                quotes = true
            default:
                pattern.unicodeScalars.append(scalar)
                if scalar == " " { quotes = true }
            }
        }
        return quotes ? "\"\(pattern)\"" : pattern
    }
}
