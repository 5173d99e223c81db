// The needs of a cell, which a worker's offer must meet: `xcode: ">=15.2 <17"`, `os: macos`,
// `lab: true`. A job and a device can name them in the pipeline file; the cell has those of both.

/// A need: one thing that a worker must offer, such as `xcode >=15.2`.
package struct Need: Hashable, Sendable {
    package enum Relation: String, Hashable, Sendable {
        case equal = "="
        case atLeast = ">="
        case above = ">"
        case atMost = "<="
        case below = "<"
    }

    package struct Bound: Hashable, Sendable {
        package var relation: Relation
        /// The value that the offered one is compared with: a version or, for `equal`, any text.
        package var value: String

        package init(relation: Relation, value: String) {
            self.relation = relation
            self.value = value
        }

        func holds(_ offered: String) -> Bool {
            guard let limit = VersionNumber(value), let version = VersionNumber(offered) else {
                return relation == .equal && offered == value
            }
            return switch relation {
            case .equal: version == limit
            case .atLeast: version >= limit
            case .above: version > limit
            case .atMost: version <= limit
            case .below: version < limit
            }
        }
    }

    package let name: String
    /// The conditions that one offered value must all meet; if empty, any value will do.
    package let bounds: [Bound]

    package init(name: String, bounds: [Bound]) {
        self.name = name
        self.bounds = bounds
    }

    /// The value in a pipeline file that stands for "any value".
    package static let anything = "true"

    /// Parses a value, a range such as `>=15.2 <17`, or `true`.
    ///
    /// - Throws: if no worker can offer the name, or if no value can meet the text.
    package init(name: String, parsing text: String) throws(NeedMistake) {
        guard WorkerOffer.isName(name) else { throw .name(name) }
        guard FleetNames.isUsable(text), text != "false" else { throw .form(name, text) }
        self.name = name
        if text == Self.anything {
            bounds = []
        } else if let first = text.first, "<>=".contains(first) {
            bounds = try Self.range(name, text)
        } else {
            bounds = [Bound(relation: .equal, value: text)]
        }
        guard canBeMet else { throw .impossible(self) }
    }

    private static func range(_ name: String, _ text: String) throws(NeedMistake) -> [Bound] {
        var bounds: [Bound] = []
        var pending: Relation?
        for word in text.split(separator: " ") {
            let sign = word.prefix { "<>=".contains($0) }
            let value = word.dropFirst(sign.count)
            if !sign.isEmpty {
                guard pending == nil, let relation = Relation(rawValue: String(sign)) else {
                    throw .form(name, text)
                }
                pending = relation
            }
            // A space after the relation is allowed: `>= 15.2` is `>=15.2`.
            if value.isEmpty { continue }
            guard let relation = pending, VersionNumber(value) != nil else {
                throw .form(name, text)
            }
            bounds.append(Bound(relation: relation, value: String(value)))
            pending = nil
        }
        guard pending == nil, !bounds.isEmpty else { throw .form(name, text) }
        return bounds
    }

    /// Whether the values that a worker offers under the need's name meet the need; `values` is
    /// `nil` if the worker does not offer the name, which never does.
    package func isMet(by values: [String]?) -> Bool {
        guard let values else { return false }
        return bounds.isEmpty
            || values.contains { value in bounds.allSatisfy { $0.holds(value) } }
    }

    /// Whether any value at all can meet all bounds of the need.
    package var canBeMet: Bool {
        if let exact = bounds.first(where: { $0.relation == .equal }) {
            return bounds.allSatisfy { $0.holds(exact.value) }
        }
        // Between any two versions there is a third: only pairs of a lower and an upper bound
        // matter.
        let lows = bounds.filter { [.atLeast, .above].contains($0.relation) }
        let highs = bounds.filter { [.atMost, .below].contains($0.relation) }
        return lows.allSatisfy { low in
            highs.allSatisfy { high in
                guard let bottom = VersionNumber(low.value), let top = VersionNumber(high.value)
                else { return false }
                return bottom < top
                    || bottom == top && low.relation == .atLeast && high.relation == .atMost
            }
        }
    }

    /// The value of the need as in a pipeline file: `true`, `macos`, `>=15.2 <17`.
    package var text: String {
        if bounds.isEmpty { return Self.anything }
        if bounds.count == 1, bounds[0].relation == .equal { return bounds[0].value }
        return bounds.map { $0.relation.rawValue + $0.value }.joined(separator: " ")
    }

    /// The need with its name: `lab`, `xcode >=15.2 <17`.
    package var words: String { bounds.isEmpty ? name : "\(name) \(text)" }
}

/// The needs of a job, a device or a cell: what its workers must offer.
package struct Needs: Hashable, Sendable {
    /// The needs, sorted by name, each name once.
    package let all: [Need]

    /// Makes the needs; those of one name become one need, which one offered value must meet.
    package init(_ needs: [Need]) {
        let named = Dictionary(grouping: needs, by: \.name)
        all = named.sorted { $0.key < $1.key }.map { name, needs in
            var bounds: [Need.Bound] = []
            for bound in needs.flatMap(\.bounds) where !bounds.contains(bound) {
                bounds.append(bound)
            }
            return Need(name: name, bounds: bounds)
        }
    }

    package var isEmpty: Bool { all.isEmpty }

    package var words: String { all.map(\.words).joined(separator: " and ") }
}

extension Needs: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let texts = try container.decode([String: String].self)
        guard texts.count <= FarmLimits.needsMax else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "more than \(FarmLimits.needsMax) needs"
            )
        }
        var needs: [Need] = []
        for (name, text) in texts {
            do throws(NeedMistake) {
                needs.append(try Need(name: name, parsing: text))
            } catch {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: error.message
                )
            }
        }
        self.init(needs)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(
            Dictionary(all.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
        )
    }
}

/// The reason why a need in a pipeline file or plan is invalid.
package enum NeedMistake: ExplainedError, Hashable {
    case name(String)
    case form(String, String)
    case impossible(Need)

    package var code: String { "need-invalid" }
    package var message: String {
        switch self {
        case .name(let name): "\"\(name.prefix(80))\" is no name of something a worker offers."
        case .form(let name, let text): "the need \(name) is \"\(text.prefix(80))\"."
        case .impossible(let need): "no value can be \(need.words)."
        }
    }
    package var remedy: String {
        switch self {
        case .name: "Names are lower-case letters, digits, `.`, `_` and `-`, a letter first."
        case .form:
            "Write a value (macos, \"16.0\"), versions (\">=15.2 <17\"), or true for any value."
        case .impossible: "Correct its bounds."
        }
    }
    package var exit: ExitCode { .invalidInput }
}
