// The rule by which two texts are compared: their lines, or the values of JSON, without what is
// ignored.

/// The rule by which a text is compared with its reference.
package struct TextRule: Hashable, Sendable, Codable {
    /// Whether the values of JSON are compared, whose order of keys does not count.
    package var isJSON: Bool
    /// Whether the text is a list of findings: lines that only the reference has do not count.
    package var isFindings = false
    package var ignored: [IgnoredText]

    /// The ending of the names of lists of findings.
    package static let findingsEnding = ".axe.yaml"

    package init(isJSON: Bool, ignored: [IgnoredText] = []) {
        self.isJSON = isJSON
        self.ignored = ignored
    }

    /// Returns the rule for a snapshot, or `nil` for a picture.
    package init?(for snapshot: SnapshotID, ignored: [IgnoredText]) {
        guard snapshot.isText else { return nil }
        self.init(isJSON: snapshot.name.hasSuffix(".json"), ignored: ignored)
        isFindings = snapshot.name.hasSuffix(Self.findingsEnding)
    }
}

extension SnapshotSummary {
    /// The id of the picture in which the text's boxes are, or `nil` if the text has none.
    package var boxedPicture: String? {
        guard boxes != nil, name.hasSuffix(TextRule.findingsEnding) else { return nil }
        let file = name.dropLast(TextRule.findingsEnding.count) + ".png"
        return SnapshotFile.name(of: String(file)).map { "\(cell)/\(suite)/\($0)" }
    }
}

/// A part of a text that never counts: the values at a path of JSON, or what a regular expression
/// matches.
package enum IgnoredText: Hashable, Sendable, Codable {
    case path(JSONPath)
    /// The pattern of a Swift regular expression; each match within a line is ignored.
    case pattern(String)

    /// Reads `$.a.b[*]` or `/pattern/`; returns `nil` for any other text, and for a pattern that is
    /// no regular expression.
    package init?(_ text: String) {
        if let path = JSONPath(text) {
            self = .path(path)
            return
        }
        guard text.count > 2, text.hasPrefix("/"), text.hasSuffix("/") else { return nil }
        let pattern = String(text.dropFirst().dropLast())
        guard (try? Regex(pattern)) != nil else { return nil }
        self = .pattern(pattern)
    }
}

/// A path of values in JSON: `$`, then `.name`, `['name']`, `[0]`, `.*` or `[*]`.
package struct JSONPath: Hashable, Sendable, Codable {
    enum Step: Hashable, Sendable, Codable {
        case name(String)
        case place(Int)
        /// Any name or place.
        case any
    }

    let steps: [Step]

    /// Reads a path; returns `nil` for any other text.
    package init?(_ text: String) {
        guard text.first == "$" else { return nil }
        var steps: [Step] = []
        var rest = text.dropFirst()
        while let first = rest.first {
            rest = rest.dropFirst()
            switch first {
            case ".":
                let name = rest.prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty else { return nil }
                steps.append(name == "*" ? .any : .name(String(name)))
                rest = rest.dropFirst(name.count)
            case "[":
                guard let end = rest.firstIndex(of: "]") else { return nil }
                let inside = rest[..<end]
                rest = rest[rest.index(after: end)...]
                if inside == "*" {
                    steps.append(.any)
                } else if let place = Int(inside), place >= 0 {
                    steps.append(.place(place))
                } else if inside.count > 2, inside.first == "'", inside.last == "'" {
                    steps.append(.name(String(inside.dropFirst().dropLast())))
                } else {
                    return nil
                }
            default: return nil
            }
        }
        guard !steps.isEmpty, steps.count <= FarmLimits.jsonDepthMax else { return nil }
        self.steps = steps
    }
}
