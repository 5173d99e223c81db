// What makes Git call the merge driver: one line in `.gitattributes`, which is committed, and two
// settings, which each clone needs for itself. Both are decided here and written by the command.
import FarmCore
import Foundation

/// What is missing so that Git merges pins with snapfarm; nothing is written before `apply`.
package struct MergeDriverSetup: Sendable, Hashable, Codable {
    package struct Setting: Sendable, Hashable, Codable {
        package var name: String
        package var value: String
    }

    /// The line for `.gitattributes`; nil where it is there already.
    package var attributesLine: String?
    /// Settings of the clone (`git config --local`) that are missing or differ.
    package var settings: [Setting]

    package var isComplete: Bool { attributesLine == nil && settings.isEmpty }

    /// The same as commands, for people who would rather type them.
    package var commands: [String] {
        let attributes = attributesLine.map { ["echo '\($0)' >> .gitattributes"] } ?? []
        return attributes + settings.map { "git config --local \($0.name) '\($0.value)'" }
    }

    /// Git tries the driver's own words; `binary` for merges of merge bases keeps the base there,
    /// where markers would make the outer merge fail.
    private static let wanted = [
        Setting(name: "merge.snapfarm.name", value: "snapfarm reference pins"),
        Setting(name: "merge.snapfarm.driver", value: "snapfarm refs merge-driver %O %A %B"),
        Setting(name: "merge.snapfarm.recursive", value: "binary"),
    ]

    /// - Parameters:
    ///   - pinPath: path of the pin in the main repository, with `/`.
    ///   - attributes: the text of `.gitattributes`, empty where there is none.
    ///   - configured: values the clone has, by name.
    package init(pinPath: String, attributes: String, configured: [String: String]) {
        let line = "\(Self.pattern(for: pinPath)) merge=snapfarm -text"
        let lines = attributes.split(whereSeparator: \.isNewline)
        attributesLine = lines.contains { $0 == line } ? nil : line
        settings = Self.wanted.filter { configured[$0.name] != $0.value }
    }

    /// The text of `.gitattributes` with the line.
    package func attributes(after text: String) -> String {
        guard let attributesLine else { return text }
        let separator = text.isEmpty || text.hasSuffix("\n") ? "" : "\n"
        return text + separator + attributesLine + "\n"
    }

    /// From the root of the repository; quoted as gitattributes(5) wants where it must be.
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
